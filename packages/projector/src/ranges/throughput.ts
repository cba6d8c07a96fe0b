/** Rows per second over the last ten seconds. */
export class Throughput {
  private readonly marks: { readonly at: number; readonly rows: number }[] = [];

  add(rows: number): void {
    this.marks.push({ at: performance.now(), rows });
    this.forget();
  }

  perSecond(): number {
    this.forget();
    return Math.round(this.marks.reduce((sum, mark) => sum + mark.rows, 0) / (WINDOW_MS / 1_000));
  }

  private forget(): void {
    const since = performance.now() - WINDOW_MS;
    while (this.marks.length > 0 && this.marks[0]!.at < since) this.marks.shift();
  }
}

const WINDOW_MS = 10_000;
