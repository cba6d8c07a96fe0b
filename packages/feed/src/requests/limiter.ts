// At most so many at a time, of all and of one owner; the others wait. Owners who wait have their turns one after another, however
// much each of them wants done, and the work of one owner is done in the order in which it came.

export class Limiter {
  private readonly limit: number;
  private readonly perOwner: number;
  private readonly running = new Map<object, number>();
  private total = 0;
  /** What each owner waits for, and the owners that may begin when there is a place. */
  private readonly waiting = new Map<object, (() => void)[]>();
  private readonly next = new Set<object>();

  constructor(limit: number, perOwner: number) {
    this.limit = limit;
    this.perOwner = perOwner;
  }

  /** Somebody waits for a place that others have. */
  get isWanted(): boolean {
    return this.next.size > 0;
  }

  async run(owner: object, work: () => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      const queue = this.waiting.get(owner);
      if (queue) queue.push(resolve);
      else this.waiting.set(owner, [resolve]);
      this.admit(owner);
    });
    try {
      await work();
    } finally {
      this.total--;
      const left = this.running.get(owner)! - 1;
      if (left > 0) this.running.set(owner, left);
      else this.running.delete(owner);
      this.admit(owner);
    }
  }

  /** Lets those begin that may. `changed`: who wants more, or has finished something. */
  private admit(changed: object): void {
    this.enlist(changed);
    for (const owner of this.next) {
      if (this.total >= this.limit) return;
      this.next.delete(owner);
      const queue = this.waiting.get(owner)!;
      const start = queue.shift()!;
      if (queue.length === 0) this.waiting.delete(owner);
      this.total++;
      this.running.set(owner, (this.running.get(owner) ?? 0) + 1);
      this.enlist(owner);
      start();
    }
  }

  private enlist(owner: object): void {
    if (this.waiting.has(owner) && (this.running.get(owner) ?? 0) < this.perOwner) this.next.add(owner);
  }
}
