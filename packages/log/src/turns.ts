// Long work in slices. Everything that reads a lot (history, replays, whole logs) takes its turns here, so that all of it together
// has a few milliseconds of each turn of the event loop, one after another, and sockets and timers come between.

/** A slice: what others may have to wait. */
const SLICE_MS = 4;

export class Turns {
  private readonly sliceMs: number;
  private readonly waiting: (() => void)[] = [];
  /** When the slice of this turn of the loop began; null where nobody has taken one. */
  private began: number | null = null;

  constructor(sliceMs: number = SLICE_MS) {
    this.sliceMs = sliceMs;
  }

  /** Whether the slice of this turn is used up. Looked at between small pieces of work; then `next` is awaited. */
  get isOver(): boolean {
    if (this.began === null) {
      this.begin();
      return false;
    }
    return performance.now() - this.began >= this.sliceMs;
  }

  /** Resolved in a later turn of the loop; those who wait have one each, in order. */
  next(): Promise<void> {
    if (this.began === null) this.begin();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  private begin(): void {
    this.began = performance.now();
    setImmediate(this.turned);
  }

  private readonly turned = (): void => {
    this.began = null;
    const resume = this.waiting.shift();
    if (!resume) return;
    this.begin();
    resume();
  };
}

/** Of this process, as its event loop is. */
export const readingTurns = new Turns();
