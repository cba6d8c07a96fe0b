import type { RecordStyle } from '../../market/record-style.ts';

export const record: RecordStyle = {
  idNames: [{ name: 'league', id: 'series' }],
  marketIsCondition: false,
  outcomeIsToken: false,
  levelsShown: null,
  twoBidSides: null,
  latestOutcome: null,
  historyOutcomes: null,
  afterSeries: null,
};
