import type { RecordStyle } from '../../market/record-style.ts';

export const record: RecordStyle = {
  idNames: [],
  marketIsCondition: true,
  outcomeIsToken: true,
  levelsShown: null,
  twoBidSides: null,
  latestOutcome: null,
  historyOutcomes: null,
  afterSeries: null,
};
