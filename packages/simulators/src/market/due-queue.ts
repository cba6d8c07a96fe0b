/** Something to do at a time; equal times keep the order in which they were pushed. */
export type Due<Run> = { readonly at: number; readonly run: Run };

export type DueQueue<Run> = {
  peek(): Due<Run> | undefined;
  readonly push: (at: number, run: Run) => void;
  pop(): void;
};

type Entry<Run> = Due<Run> & { readonly order: number };

/** A binary heap: thousands of markets each have their next moment in it. */
export function createDueQueue<Run>(): DueQueue<Run> {
  const items: Entry<Run>[] = [];
  let pushed = 0;
  const before = (a: Entry<Run>, b: Entry<Run>): boolean =>
    a.at < b.at || (a.at === b.at && a.order < b.order);
  return {
    peek: () => items[0],
    push(at, run) {
      const due: Entry<Run> = { at, run, order: pushed++ };
      let child = items.push(due) - 1;
      while (child > 0) {
        const parent = (child - 1) >> 1;
        if (!before(due, items[parent]!)) break;
        items[child] = items[parent]!;
        child = parent;
      }
      items[child] = due;
    },
    pop() {
      const last = items.pop()!;
      if (items.length === 0) return;
      let parent = 0;
      for (;;) {
        let child = parent * 2 + 1;
        if (child >= items.length) break;
        if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++;
        if (!before(items[child]!, last)) break;
        items[parent] = items[child]!;
        parent = child;
      }
      items[parent] = last;
    },
  };
}
