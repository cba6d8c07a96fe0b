// One message of the log on its way to many clients: written and framed once, when the first client needs it. Frames from a
// server are not masked, so the same bytes go to every socket, and a queue of a slow client holds references, not copies.

import type { MarketIdentity, Position, StreamEvent } from '@ladderlog/core';
import { formatPosition, streamText } from '@ladderlog/core';

/** A whole WebSocket text frame, FIN set, unmasked. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = 0x81;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    frame.writeUInt32BE(length % 2 ** 32, 6);
  }
  frame.write(text, header);
  return frame;
}

export class Item {
  readonly event: StreamEvent;
  readonly position: Position;
  readonly market: string;
  private readonly identity: MarketIdentity | null;
  private framed: Buffer | null = null;

  constructor(event: StreamEvent, position: Position, market: string, identity: MarketIdentity | null) {
    this.event = event;
    this.position = position;
    this.market = market;
    this.identity = identity;
  }

  get seq(): string {
    return formatPosition(this.position);
  }

  frame(): Buffer {
    this.framed ??= textFrame(streamText(this.event, this.position, this.identity));
    return this.framed;
  }

  /** Of two messages with the same slot, a slow client needs only the newer. */
  get slot(): string {
    const { event } = this;
    if (event.type === 'BookObserved') return `b\n${this.market}\n${event.outcome}`;
    if (event.type === 'MarketObserved') return `m\n${this.market}`;
    return `g\n${this.market}\n${event.gapId}`;
  }
}
