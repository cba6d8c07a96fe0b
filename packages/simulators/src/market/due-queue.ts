/** What to do at which time; equal times keep the order in which they were pushed. */
export class DueQueue<Run> {
  /** Latest first, so that the next one is at the end. */
  private readonly items: { readonly at: number; readonly run: Run }[] = [];

  peek(): { readonly at: number; readonly run: Run } | undefined {
    return this.items.at(-1);
  }

  pop(): void {
    this.items.pop();
  }

  push(at: number, run: Run): void {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.items[middle]!.at > at) low = middle + 1;
      else high = middle;
    }
    this.items.splice(low, 0, { at, run });
  }
}
