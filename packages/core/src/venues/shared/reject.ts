import { excerptOf } from '../../kernel/exact-json.ts';
import type { RejectFinding } from '../../capture/finding.ts';

const DETAIL_LENGTH = 200;

export const reject = (market: string, reason: string, detail: unknown): RejectFinding => ({
  type: 'reject',
  market,
  reason,
  detail: excerptOf(detail, DETAIL_LENGTH),
});
