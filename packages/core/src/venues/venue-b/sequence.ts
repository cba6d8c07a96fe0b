// Venue B numbers the frames of one subscription (`sid`), all its markets and its acknowledgements together. A number that
// is missing means that any market of the subscription may have lost a change.

import type { Micros } from '../../kernel/time.ts';

export type Verdict =
  /** The next in line, or the first seen: whatever number a recording begins with. */
  | 'next'
  /** Seen before: the frame must not be applied again. */
  | 'old'
  /** Something between is missing, or the numbering began anew: no book of the subscription can be vouched for. */
  | 'break';

export class Sequence {
  /** When the last one came. */
  lastAt: Micros | null = null;
  private last: number | null = null;
  private lastText = '';
  /** An old number whose frame was set aside; if the next follows it, the numbering began anew. */
  private stray: number | null = null;

  get newest(): number | null {
    return this.last;
  }

  /**
   * A connection neither repeats nor reorders, so an old number comes from a recorder that wrote a frame twice, or from two
   * connections in one recording. A repeat is set aside and the book stands. A restart shows as a whole book with an old
   * number, or as two old numbers in a row.
   */
  judge(sequence: number, text: string, at: Micros, isSnapshot: boolean): Verdict {
    const { last, stray } = this;
    if (last === null || sequence === last + 1) return this.take('next', sequence, text, at);
    if (sequence > last) return this.take('break', sequence, text, at);
    if (sequence === last) return text === this.lastText ? 'old' : this.take('break', sequence, text, at);
    if (isSnapshot || (stray !== null && sequence === stray + 1))
      return this.take('break', sequence, text, at);
    this.stray = sequence;
    return 'old';
  }

  private take(verdict: Verdict, sequence: number, text: string, at: Micros): Verdict {
    this.last = sequence;
    this.lastText = text;
    // Times of an import may run backwards.
    this.lastAt = Math.max(this.lastAt ?? at, at);
    this.stray = null;
    return verdict;
  }
}
