// Writing of a projector, and pauses of it: nothing is begun while some work needs the tables to stand still.

export class WriteGate {
  private open: Promise<unknown> = Promise.resolve();

  /** Resolves when writing is allowed. */
  async passed(): Promise<void> {
    for (let seen: unknown = null; seen !== this.open;) {
      seen = this.open;
      await seen;
    }
  }

  /** Runs the work while nothing is written: after the works before it, and when `written` says that what was begun has ended. */
  closedFor<T>(work: () => Promise<T>, written: () => Promise<unknown>): Promise<T> {
    const before = this.open;
    const result = (async () => {
      await before;
      await written();
      return work();
    })();
    this.open = result.catch(() => undefined);
    return result;
  }
}
