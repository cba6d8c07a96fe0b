type Say = (fields: object, text: string) => void;

/** What packing and retention need of a logger: they may run in a thread that has none of its own. */
export type UpkeepLogger = {
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
};
