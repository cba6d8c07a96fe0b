import type { Capture, Finding, MessageAges, VenueTiming } from '@ladderlog/core';
import type { Logger } from 'pino';

import { MAX_FRAME_BYTES } from './encodable.ts';
import type { Outbox } from './outbox.ts';
import type { Clocks } from './session-clock.ts';
import type { StampWatch } from './stamp-watch.ts';

/** Of the WebSocket itself. */
export const SOCKET_OPTIONS = {
  maxPayload: MAX_FRAME_BYTES,
  perMessageDeflate: false,
  handshakeTimeout: 10_000,
};

export type VenueSocketOptions = {
  readonly nameInLogs: string;
  readonly timing: Pick<VenueTiming, 'silenceMs' | 'lifeMs' | 'firstBookMs'>;
  readonly capture: Capture;
  readonly outbox: Outbox;
  /** Those of the watch. */
  readonly clocks: Clocks;
  readonly stamps: Pick<StampWatch, 'limitMs' | 'agesRose'>;
  /** How old messages are when they are received. */
  readonly ages: MessageAges;
  readonly logger: Logger;
  readonly newSessionId: () => string;
  readonly beatMs: number;
  readonly clockJumpMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Of each frame that came. */
  readonly onFindings: (findings: readonly Finding[]) => void;
};
