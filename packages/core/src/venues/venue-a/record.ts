import type { RecordStyle } from '../../market/record-style.ts';

export const record: RecordStyle = {
  idNames: [{ name: 'topic_id', id: 'event' }],
  marketIsCondition: false,
  outcomeIsToken: false,
  levelsShown: null,
  twoBidSides: null,
  latestOutcome: '0',
  historyOutcomes: null,
  afterSeries: null,
};
