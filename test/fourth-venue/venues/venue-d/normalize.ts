// Venue D: answers to findings. Each answer is whole by itself, so nothing is built up between them.

import type { Finding, Frame, MarketFields, Normalizer } from '../../capture/finding.ts';
import { isObject, parseExact, arrayOf } from '../../kernel/exact-json.ts';
import { parseChannel } from '../shared/channel.ts';
import { KnownMarkets, isEnded } from '../shared/known-markets.ts';
import { mergeMarket } from '../shared/merge-market.ts';
import { reject } from '../shared/findings.ts';
import { readBooks } from './books.ts';
import { fromMatch } from './catalogue.ts';
import { errorOf, routeOf } from './wire.ts';

export class VenueDNormalizer implements Normalizer {
  private readonly known = new KnownMarkets(() => {});

  normalize({ channel: text, text: body }: Frame): Finding[] {
    const channel = parseChannel(text);
    const route = channel?.kind === 'rest' ? routeOf(channel.path) : null;
    if (route === null) return [reject('', 'unknown_channel', text)];
    const market = route.read === 'book' ? route.match : '';
    const answer = parseExact(body);
    if (answer === undefined) return [reject(market, 'not_json', body)];
    const error = errorOf(answer);
    if (error !== null) return [reject(market, 'venue_error', error)];
    if (route.read === 'book') return readBooks(market, answer);
    const matches = route.read === 'match' ? [answer] : arrayOf(isObject(answer) ? answer['matches'] : null);
    return matches.length === 0
      ? [{ type: 'skip', reason: 'empty_answer' }]
      : matches.flatMap((match) => this.readMatch(match));
  }

  private readMatch(match: unknown): Finding[] {
    const entry = fromMatch(match);
    if (entry === null) return [reject('', 'bad_market', match)];
    const { market } = entry;
    const before = this.known.get(market);
    const fields = mergeMarket(before, entry.fields);
    this.known.set(market, fields);
    const ended: Finding[] =
      before && !isEnded(before) && isEnded(fields) ? [{ type: 'end', market, reason: fields.status }] : [];
    return [{ type: 'market', sourceTs: null, market, fields }, ...ended];
  }

  forget(): void {}

  learn(market: string, fields: MarketFields): void {
    this.known.set(market, fields);
  }
}
