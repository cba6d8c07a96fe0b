// How the records of a venue are shown, as data: core makes text of it, the store makes columns of it, and both say the same.

export type RecordStyle = {
  /** The venue's own names of ids, shown beside ours in this order. */
  readonly idNames: readonly { readonly name: string; readonly id: 'market' | 'event' | 'series' }[];
  /** The market id is the condition id, whether or not the catalogue knows the market. */
  readonly marketIsCondition: boolean;
  /** The outcome id is the token id, likewise. */
  readonly outcomeIsToken: boolean;
  /** Levels a side in an answer; every recorded level stays in the log, the tables and exports. Null: all of them. */
  readonly levelsShown: number | null;
  /**
   * The venue's names of our bids and asks, where it has bids of both outcomes and no asks: they are shown beside ours. A bid for
   * the second outcome at p is our ask at 1 − p.
   */
  readonly twoBidSides: { readonly bids: string; readonly asks: string } | null;
  /** The outcome meant by a request for the latest book that names none; null: every outcome. */
  readonly latestOutcome: string | null;
  /** The outcomes meant by a request for history that names none; null: those that the catalogue names. */
  readonly historyOutcomes: readonly string[] | null;
  /** What stands between the series and the rest in a market id that begins with its series; null: ids say nothing of it. */
  readonly afterSeries: string | null;
};

/** Ids of a market under the venue's own names. */
export const ownIds = (
  { idNames }: RecordStyle,
  ids: Readonly<Record<'market' | 'event' | 'series', string | null>>,
): Record<string, string | null> => {
  const named: Record<string, string | null> = {};
  for (const { name, id } of idNames) named[name] = ids[id];
  return named;
};
