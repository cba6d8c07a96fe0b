// Orders on their way, resting, and over; arrivals in order of time, then of sending.

import type { Venue } from '../events/events.ts';
import type { Micros } from '../kernel/time.ts';
import type { Order, OrderEnd, OrderRequest } from './strategy.ts';

export type MutableOrder = { -readonly [K in keyof Order]: Order[K] };

/** Of an order or a cancel at the venue, or of a market's close. */
type Arrival = { readonly at: Micros } & (
  | { readonly kind: 'order' | 'cancel'; readonly order: MutableOrder }
  | { readonly kind: 'close'; readonly market: string }
);

export class Orders {
  private readonly delay: () => Micros;
  private readonly all: MutableOrder[] = [];
  private readonly active = new Map<string, Set<MutableOrder>>();
  /** In order of arrival. */
  private readonly waiting = new Map<string, MutableOrder[]>();
  /** By time, then in order of scheduling; soonest last. */
  private readonly arrivals: Arrival[] = [];

  constructor(delay: () => Micros) {
    this.delay = delay;
  }

  send(request: OrderRequest, venue: Venue | null, now: Micros): number {
    const order: MutableOrder = {
      id: this.all.length + 1,
      venue,
      request,
      sentAt: now,
      arrivesAt: now + this.delay(),
      state: 'sent',
      filled: 0,
      end: null,
    };
    this.all.push(order);
    const siblings = this.active.get(request.market);
    if (siblings) siblings.add(order);
    else this.active.set(request.market, new Set([order]));
    this.schedule({ at: order.arrivesAt, kind: 'order', order });
    return order.id;
  }

  /** A number that is not an order, or of one that is over, changes nothing. */
  cancel(id: number, now: Micros): void {
    const order = this.all[id - 1];
    if (order && order.state !== 'done') this.schedule({ at: now + this.delay(), kind: 'cancel', order });
  }

  closeAt(market: string, at: Micros): void {
    this.schedule({ at, kind: 'close', market });
  }

  private schedule(arrival: Arrival): void {
    const { at } = arrival;
    let low = 0;
    let high = this.arrivals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.arrivals[middle]!.at > at) low = middle + 1;
      else high = middle;
    }
    this.arrivals.splice(low, 0, arrival);
  }

  nextArrival(until: Micros): Arrival | null {
    const next = this.arrivals.at(-1);
    if (!next || next.at > until) return null;
    this.arrivals.pop();
    return next;
  }

  rest(order: MutableOrder): void {
    order.state = 'resting';
    const siblings = this.waiting.get(order.request.market);
    if (siblings) siblings.push(order);
    else this.waiting.set(order.request.market, [order]);
  }

  end(order: MutableOrder, why: OrderEnd): void {
    if (order.state === 'resting') {
      const left = this.waiting.get(order.request.market)!.filter((other) => other !== order);
      if (left.length > 0) this.waiting.set(order.request.market, left);
      else this.waiting.delete(order.request.market);
    }
    order.state = 'done';
    order.end = why;
    const siblings = this.active.get(order.request.market);
    siblings?.delete(order);
    if (siblings?.size === 0) this.active.delete(order.request.market);
  }

  open(market?: string): readonly Order[] {
    return market === undefined
      ? this.unfinished().map((order) => ({ ...order }))
      : [...(this.active.get(market) ?? [])].map((order) => ({ ...order }));
  }

  /** A list that is not changed while it is walked: ending an order makes a new one. */
  resting(market: string): readonly MutableOrder[] {
    return this.waiting.get(market) ?? NONE;
  }

  unfinished(): readonly MutableOrder[] {
    return [...this.active.values()].flatMap((orders) => [...orders]).sort((a, b) => a.id - b.id);
  }

  list(): readonly Order[] {
    return this.all;
  }
}

const NONE: readonly MutableOrder[] = [];
