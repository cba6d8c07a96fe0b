/** The part of pino's logger that is used here; passed in by the caller. */
export type Logger = {
  debug(fields: Readonly<Record<string, unknown>>, text: string): void;
  info(fields: Readonly<Record<string, unknown>>, text: string): void;
  warn(fields: Readonly<Record<string, unknown>>, text: string): void;
  error(fields: Readonly<Record<string, unknown>>, text: string): void;
};

export const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
