// How fast a venue may be asked. A token bucket whose rate adapts: halved when the venue says 429, regained slowly while it
// does not. Time is an argument: pure.

export type RateLimits = {
  readonly perSecond: number;
  readonly burst: number;
  readonly minPerSecond?: number;
};

export class AdaptiveRate {
  private readonly limits: RateLimits;
  private rate: number;
  private tokens: number;
  private updatedMs: number;
  /** No call before this: after a 429. */
  private holdUntilMs = 0;
  private refusals = 0;

  constructor(limits: RateLimits, nowMs: number) {
    this.limits = limits;
    this.rate = limits.perSecond;
    this.tokens = limits.burst;
    this.updatedMs = nowMs;
  }

  get perSecond(): number {
    return this.rate;
  }

  /** Milliseconds until a call may go, 0 for now. Taking is the caller's promise to go. */
  take(nowMs: number): number {
    this.refill(nowMs);
    if (nowMs < this.holdUntilMs) return this.holdUntilMs - nowMs;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.tokens) / this.rate) * 1_000);
  }

  accepted(): void {
    this.refusals = 0;
    this.rate = Math.min(this.limits.perSecond, this.rate + this.limits.perSecond * 0.05);
  }

  /** 429 or its like. `retryAfterMs` when the venue said so; otherwise exponential with the given random number in [0, 1). */
  refused(nowMs: number, random: number, retryAfterMs: number | null): void {
    // Calls that were under way when the venue first refused tell nothing new.
    if (nowMs < this.holdUntilMs && retryAfterMs === null) return;
    this.refusals++;
    this.rate = Math.max(this.limits.minPerSecond ?? this.limits.perSecond / 50, this.rate / 2);
    this.tokens = 0;
    const waitMs =
      retryAfterMs ?? Math.min(60_000, 500 * 2 ** Math.min(this.refusals, 10)) * (0.5 + random / 2);
    this.holdUntilMs = Math.max(this.holdUntilMs, nowMs + waitMs);
  }

  private refill(nowMs: number): void {
    const elapsed = Math.max(0, nowMs - this.updatedMs);
    this.tokens = Math.min(this.limits.burst, this.tokens + (elapsed / 1_000) * this.rate);
    this.updatedMs = nowMs;
  }
}
