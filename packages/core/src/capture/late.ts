// Frames that were stamped too late. While a connection reads what piled up when the recorder was held up, its frames update the
// books that it holds and give no observation; when it has caught up, what it holds may be stated again, or must be asked for.

import type { BookFinding } from './finding.ts';
import type { Track } from './tracks.ts';

export class LateReading {
  /** The first late frame. */
  readonly first: number;
  /** The newest book of each track, as far as nothing was lost since. */
  private readonly books = new Map<Track, BookFinding>();
  private readonly broken = new Set<Track>();
  frames = 0;

  constructor(first: number) {
    this.first = first;
  }

  /** A book that is known to be whole; a change is so only where the book before it was. */
  hold(track: Track, book: BookFinding): void {
    if (book.kind === 'delta' && !this.books.has(track)) return;
    this.books.set(track, book);
    this.broken.delete(track);
  }

  /** Something of the track was lost: what is held does not tell how it stands. */
  lose(track: Track): void {
    this.books.delete(track);
    this.broken.add(track);
  }

  held(track: Track): BookFinding | null {
    return this.books.get(track) ?? null;
  }

  isBroken(track: Track): boolean {
    return this.broken.has(track);
  }
}
