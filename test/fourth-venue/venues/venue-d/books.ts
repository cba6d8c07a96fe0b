// An answer with the books of a match: one finding an outcome, each a whole book.

import type { Finding } from '../../capture/finding.ts';
import { isObject } from '../../kernel/exact-json.ts';
import { reject } from '../shared/findings.ts';
import { composeBook } from '../shared/wire-levels.ts';
import { OUTCOMES, readSide } from './wire.ts';

export const readBooks = (market: string, answer: unknown): Finding[] =>
  OUTCOMES.map((outcome) => readBook(market, outcome, isObject(answer) ? answer[outcome] : null));

function readBook(market: string, outcome: string, book: unknown): Finding {
  const bids = isObject(book) ? readSide(book['bids']) : null;
  const asks = isObject(book) ? readSide(book['asks']) : null;
  if (!bids || !asks) return reject(market, 'bad_book', book);
  const { exact, ...composed } = composeBook(bids, asks);
  return {
    type: 'book',
    market,
    outcome,
    kind: 'snapshot',
    sourceTs: null,
    ...composed,
    nativeBid: 'bids',
    nativeAsk: 'asks',
    askComplement: false,
    hash: null,
    sequence: null,
    nativeIds: {},
    flags: exact ? [] : ['inexact'],
  };
}
