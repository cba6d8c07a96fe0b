// Which recorded frames clients get. Where the venue sends changes, they only build on a book of their own connection: each id
// (a market, or on venue C a token) follows one.

import type { FrameCaptured } from '@ladderlog/core';
import type { FrameA, FrameB, FrameC } from '@ladderlog/simulators';
import { framesA, framesB, framesC, withoutTokens } from './frames.ts';
import type { NativeMemory } from './memory.ts';

export type Delivery<Frame> = { readonly frame: Frame; readonly id: string };

/** Turns one recorded frame into what clients get; `followed` says which connection the book of an id follows. */
export type Replay<Frame> = (
  event: FrameCaptured,
  text: string,
  followed: Map<string, string>,
  memory: NativeMemory,
) => Delivery<Frame>[];

/** Every push is a whole book: nothing to follow. */
export const replayA: Replay<FrameA> = (_event, text) =>
  framesA(text).map((frame) => ({ frame, id: frame.market }));

export const replayB: Replay<FrameB> = (event, text, followed, memory) => {
  const stated = event.settings['use_yes_price'];
  const yesPrices = (market: string): boolean => {
    if (stated !== undefined) return stated === 'true';
    const book = memory.book(market, 'yes');
    return book !== null && book.session === event.session && !book.askComplement;
  };
  return framesB(text, yesPrices).flatMap((frame) => {
    if (frame.type === 'orderbook_snapshot') followed.set(frame.market, event.session);
    const follows = followed.get(frame.market);
    // A change only builds on the snapshot of its own connection.
    const fits =
      frame.type === 'orderbook_delta'
        ? follows === event.session
        : (follows ?? event.session) === event.session;
    return fits ? [{ frame, id: frame.market }] : [];
  });
};

export const replayC: Replay<FrameC> = (event, text, followed) =>
  framesC(text).flatMap(({ kind, ...frame }) => {
    if (kind === 'book') for (const token of frame.tokens) followed.set(token, event.session);
    const others = frame.tokens.filter((token) => {
      const follows = followed.get(token);
      return kind === 'change' ? follows !== event.session : (follows ?? event.session) !== event.session;
    });
    const left = others.length === 0 ? frame : withoutTokens(frame, new Set(others));
    return left ? [{ frame: left, id: left.tokens[0] ?? '' }] : [];
  });
