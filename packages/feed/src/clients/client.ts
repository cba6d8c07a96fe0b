// One connection: what is sent at once, what waits, what a slow reader loses, and when it is closed.
// `ws` queues without bound, so nothing is written while too much is unsent; then only the newest message of each slot is held,
// what it replaced is counted, and the reader is told. Frames are written to the socket itself, since ws would build the same
// header again for each client; ws writes its own frames whole, so the two never mix.

import type { Duplex } from 'node:stream';
import type { ApiKey, Position, StreamMessage } from '@ladderlog/core';
import { STREAM_CLOSE, formatPosition } from '@ladderlog/core';
import type { Turns } from '@ladderlog/log';
import type { WebSocket } from 'ws';
import type { Item } from './item.ts';
import { textFrame } from './item.ts';
import type { FeedLimits, FeedObserver } from '../options.ts';

type Skipped = { first: Position; last: Position; count: number };

export type ClientParts = {
  readonly limits: FeedLimits;
  readonly observer: FeedObserver;
  /** Those of all clients, for what they are sent out of turn: current books, and what waited. */
  readonly turns: Turns;
  /** Unsent bytes past which history waits, just now. */
  historyBytes(): number;
  /** Frames of a market's newest books and open gaps. */
  currentFrames(market: string): readonly Buffer[];
};

export class Client {
  readonly id: number;
  readonly socket: WebSocket;
  readonly stream: Duplex;
  key: ApiKey | null = null;
  closed = false;
  /** Number of the last record offered: overlapping subscriptions give it once. */
  stamp = -1;
  /** Answered the last ping. */
  alive = true;
  private readonly parts: ClientParts;
  private readonly held = new Map<string, Item>();
  private readonly skipped = new Map<string, Skipped>();
  /** Markets whose current state is still to be sent. All news wait for it: who has some of them has the state before, too. */
  private readonly starting = new Set<string>();
  private slow = false;
  private corked = false;
  private stalledSince: number | null = null;
  private unsentBefore = 0;
  private waiting: (() => void)[] = [];
  private grace: NodeJS.Timeout | null = null;
  private isPumpDue = false;

  constructor(id: number, socket: WebSocket, stream: Duplex, parts: ClientParts) {
    this.id = id;
    this.socket = socket;
    this.stream = stream;
    this.parts = parts;
    stream.on('drain', () => this.pump());
  }

  /** `drain` comes only past the stream's own mark, which may be above our caps. */
  private readonly onWritten = (): void => {
    if (this.slow || this.waiting.length > 0 || !this.upToDate) this.pump();
  };

  get unsent(): number {
    return this.stream.writableLength;
  }

  /** Nothing waits: what the client has is all there is. */
  get upToDate(): boolean {
    return this.held.size === 0 && this.starting.size === 0 && this.skipped.size === 0;
  }

  private get pressed(): boolean {
    return !this.closed && !this.slow && this.unsent > this.parts.limits.softBytes;
  }

  /** A client that is just behind gets a moment; then it counts as slow. Nobody else waits for it. */
  limitPressure(): void {
    if (this.grace || !this.pressed) return;
    // After a pause of this process what the socket took is known only after the loop has looked.
    this.grace = setTimeout(() => setImmediate(() => this.endGrace()), this.parts.limits.graceMs).unref();
  }

  private endGrace(): void {
    this.grace = null;
    if (this.pressed) this.beSlow();
  }

  send(message: StreamMessage): void {
    if (!this.closed) this.write(textFrame(JSON.stringify(message)));
  }

  private write(frame: Buffer): void {
    if (this.unsent + frame.length > this.parts.limits.hardBytes) {
      this.close(STREAM_CLOSE.tryAgainLater, 'reading too slowly');
      return;
    }
    this.stream.write(frame, this.onWritten);
  }

  /** A message of the log. */
  offer(item: Item): void {
    if (this.closed) return;
    if (this.slow || !this.upToDate) {
      this.hold(item);
      return;
    }
    const frame = item.frame();
    if (this.unsent + frame.length > this.parts.limits.hardBytes) {
      this.beSlow();
      this.hold(item);
      return;
    }
    this.stream.write(frame, this.onWritten);
    this.parts.observer.onSent?.(1, frame.length);
  }

  /** One system call for all that is written until `uncork`. True the first time. */
  cork(): boolean {
    if (this.corked || this.closed) return false;
    this.corked = true;
    this.stream.cork();
    return true;
  }

  uncork(): void {
    if (!this.corked) return;
    this.corked = false;
    this.stream.uncork();
  }

  private beSlow(): void {
    if (this.closed || this.slow) return;
    this.slow = true;
    this.stalledSince = performance.now();
    this.unsentBefore = this.unsent;
  }

  private hold(item: Item): void {
    const { slot } = item;
    const replaced = this.held.get(slot);
    if (replaced) {
      this.held.delete(slot);
      this.skip(replaced.position);
    }
    this.held.set(slot, item);
    if (this.held.size > this.parts.limits.held) this.close(STREAM_CLOSE.tryAgainLater, 'reading too slowly');
  }

  private skip(position: Position): void {
    this.parts.observer.onConflated?.(1);
    const place = `${position.topic}/${position.partition}`;
    const known = this.skipped.get(place);
    if (!known) {
      this.skipped.set(place, { first: position, last: position, count: 1 });
      return;
    }
    known.count++;
    if (position.offset < known.first.offset) known.first = position;
    if (position.offset > known.last.offset) known.last = position;
  }

  /** The current state of these markets comes next. */
  begin(markets: readonly string[]): void {
    for (const market of markets) this.starting.add(market);
    this.pump();
  }

  /** Sends what waits, as far as the socket takes it. */
  pump(): void {
    if (this.closed || this.isPumpDue) return;
    const room = this.parts.limits.softBytes / 2;
    if (this.unsent >= room) return;
    const uncork = this.cork();
    while (this.unsent < room && !this.isPumpDue && this.sendNext())
      if (this.parts.turns.isOver) this.pumpLater();
    if (uncork) this.uncork();
    if (this.closed || this.isPumpDue || this.unsent >= room) return;
    this.slow = false;
    this.stalledSince = null;
    if (this.hasRoom) this.release();
  }

  /** A socket that takes everything at once would have it all in one turn. */
  private pumpLater(): void {
    this.isPumpDue = true;
    void this.parts.turns.next().then(() => {
      this.isPumpDue = false;
      this.pump();
    });
  }

  private sendNext(): boolean {
    if (this.closed) return false;
    for (const market of this.starting) {
      this.starting.delete(market);
      for (const frame of this.parts.currentFrames(market)) this.write(frame);
      return true;
    }
    for (const [place, { first, last, count }] of this.skipped) {
      this.skipped.delete(place);
      this.send({ type: 'skipped', from: formatPosition(first), to: formatPosition(last), count });
      return true;
    }
    for (const [slot, item] of this.held) {
      this.held.delete(slot);
      const frame = item.frame();
      this.write(frame);
      this.parts.observer.onSent?.(1, frame.length);
      return true;
    }
    return false;
  }

  /** For more history. Less than news may have: answers to the client come behind what is unsent. */
  get hasRoom(): boolean {
    const room = Math.min(this.parts.limits.softBytes / 2, this.parts.historyBytes());
    return this.closed || (!this.slow && this.unsent < room);
  }

  /** Resolved when there is room, or the client is gone; null when there is. */
  room(): Promise<void> | null {
    if (this.hasRoom) return null;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.pump();
    });
  }

  /** History: in order, never conflated; the sender awaits `room` first. */
  sendHistory(frame: Buffer): void {
    if (this.closed) return;
    this.write(frame);
    this.parts.observer.onSent?.(1, frame.length);
  }

  /** Called every second or so: closes a client that takes nothing. */
  checkStalled(now: number): void {
    if (this.closed) return;
    const { unsent } = this;
    if (unsent < this.parts.limits.softBytes / 2) {
      this.pump();
      if (!this.slow) this.stalledSince = null;
      this.unsentBefore = unsent;
      return;
    }
    if (unsent < this.unsentBefore || this.stalledSince === null) this.stalledSince = now;
    this.unsentBefore = unsent;
    if (now - this.stalledSince >= this.parts.limits.stalledMs)
      this.close(STREAM_CLOSE.tryAgainLater, 'reading too slowly');
  }

  close(code: number, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.uncork();
    this.parts.observer.onClosed?.(code);
    this.held.clear();
    this.starting.clear();
    this.skipped.clear();
    this.socket.close(code, reason);
    // The code comes behind what is unsent. A reader that takes nothing for long does not answer it either, and is cut.
    setTimeout(() => this.socket.terminate(), this.parts.limits.closeMs).unref();
    this.release();
  }

  /** The socket is gone. */
  gone(): void {
    if (!this.closed) this.parts.observer.onClosed?.(1006);
    this.closed = true;
    this.held.clear();
    this.starting.clear();
    this.skipped.clear();
    this.release();
  }

  private release(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resume of waiting) resume();
  }
}
