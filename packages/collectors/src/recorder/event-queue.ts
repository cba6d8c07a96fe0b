// Events in order, with about how much memory they take. Pushing, looking and dropping cost the same however many wait.

import type { LadderEvent } from '@ladderlog/core';

/** An object, its strings, and the fields that every event has. */
const EVENT_BYTES = 500;
/** With what the venue says of it, in its own words. */
const MARKET_BYTES = 8_000;
const NUMBER_BYTES = 8;
const COMPACT_FROM = 1_024;

/** About what an event holds in memory, without looking into its lists. */
export function sizeOf(event: LadderEvent): number {
  if (event.type === 'FrameCaptured' || event.type === 'FrameRejected')
    return EVENT_BYTES + event.body.length;
  if (event.type === 'MarketObserved') return MARKET_BYTES;
  if (event.type !== 'BookObserved') return EVENT_BYTES;
  const levels = event.bidPrices.length + event.askPrices.length;
  return EVENT_BYTES + levels * 2 * NUMBER_BYTES;
}

export class EventQueue {
  private events: (LadderEvent | undefined)[] = [];
  private head = 0;
  bytes = 0;

  get size(): number {
    return this.events.length - this.head;
  }

  push(events: readonly LadderEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.bytes += sizeOf(event);
    }
  }

  /** The first ones, up to both limits, and at least one where there is any. */
  peek(most: number, mostBytes: number): LadderEvent[] {
    const found: LadderEvent[] = [];
    let bytes = 0;
    for (let at = this.head; at < this.events.length && found.length < most && bytes < mostBytes; at++) {
      found.push(this.events[at]!);
      bytes += sizeOf(this.events[at]!);
    }
    return found;
  }

  drop(count: number): void {
    const end = this.head + count;
    for (let at = this.head; at < end; at++) this.bytes -= sizeOf(this.events[at]!);
    // What was dropped can be collected now, not when the list is cut.
    this.events.fill(undefined, this.head, end);
    this.head = end;
    if (this.head < COMPACT_FROM || this.head < this.events.length / 2) return;
    this.events = this.events.slice(this.head);
    this.head = 0;
  }

  /** Puts others in the place of the first ones. */
  replace(events: readonly LadderEvent[]): void {
    for (const [index, event] of events.entries()) {
      const at = this.head + index;
      this.bytes += sizeOf(event) - sizeOf(this.events[at]!);
      this.events[at] = event;
    }
  }
}
