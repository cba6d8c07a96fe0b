// Invented frames of venue B in the true shape, and short words for what they give.

import type { Finding, Frame, Normalizer } from '../../../src/capture/finding.ts';
import { venueB } from '../../../src/venues/venue-b/index.ts';
import { AT, feed } from '../frames.ts';

export const M = 'KXBTC15M-26NOV141915-15';
export const N = 'KXETH15M-26NOV141915-15';

export type Fields = Record<string, unknown>;

export const snapshot = (seq: number | null, msg: Fields = {}, sid = 2): Fields => ({
  type: 'orderbook_snapshot',
  ...(seq === null ? {} : { sid, seq }),
  msg: {
    market_ticker: M,
    yes_dollars_fp: [['0.5400', '10.00']],
    no_dollars_fp: [['0.4500', '5.00']],
    ...msg,
  },
});

export const delta = (seq: number | null, msg: Fields = {}, sid = 2): Fields => ({
  type: 'orderbook_delta',
  ...(seq === null ? {} : { sid, seq }),
  msg: { market_ticker: M, price_dollars: '0.5400', delta_fp: '1.00', side: 'yes', ...msg },
});

export const sent = (normalizer: Normalizer, command: unknown): Finding[] =>
  normalizer.normalize({ ...asFrame(command), direction: 'out' });

export const asFrame = (message: unknown, settings: Record<string, string> = {}): Frame => ({
  channel: 'ws',
  direction: 'in',
  text: JSON.stringify(message),
  observedAt: AT,
  settings,
});

export const summary = (findings: readonly Finding[]): string[] =>
  findings.map((finding) => {
    switch (finding.type) {
      case 'skip':
        return `skip ${finding.reason}`;
      case 'reject':
        return `reject ${finding.reason}`;
      case 'break':
        return `break ${finding.market} ${finding.cause} ${finding.scope}`;
      case 'book':
        return `${finding.kind} ${finding.market}`;
      default:
        return `${finding.type} ${finding.market}`;
    }
  });

/** Feeds all; the summary of what the last one gave. */
export const last = (normalizer: Normalizer, ...messages: unknown[]): string[] =>
  summary(messages.map((message) => feed(normalizer, message)).at(-1)!);

export const open = (): Normalizer => venueB.capture.createNormalizer();
