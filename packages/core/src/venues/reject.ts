import { excerptOf } from '../exact-json.ts';
import type { RejectFinding } from '../venue.ts';

const DETAIL_LENGTH = 200;

export const reject = (market: string, reason: string, detail: unknown): RejectFinding => ({
  find: 'reject',
  market,
  reason,
  detail: excerptOf(detail, DETAIL_LENGTH),
});
