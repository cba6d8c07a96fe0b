/** Collects items for a moment, each key once, and hands them over together. */
export class Batch<T> {
  private readonly items = new Map<string, T>();
  private timer: NodeJS.Timeout | null = null;
  private readonly delayMs: number;
  private readonly handOver: (items: readonly T[]) => void;

  constructor(delayMs: number, handOver: (items: readonly T[]) => void) {
    this.delayMs = delayMs;
    this.handOver = handOver;
  }

  add(key: string, item: T): void {
    this.items.set(key, item);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const items = [...this.items.values()];
      this.items.clear();
      this.handOver(items);
    }, this.delayMs);
  }
}
