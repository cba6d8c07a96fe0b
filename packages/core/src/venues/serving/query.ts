import { queryPairs } from '../shared/channel.ts';

/** The query of a request, decoded. */
export class Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];

  constructor(query: string | Query['pairs']) {
    this.pairs = typeof query === 'string' ? queryPairs(query) : query;
  }

  /** The first value; null where the name is not given. */
  get(name: string): string | null {
    return this.pairs.find(([given]) => given === name)?.[1] ?? null;
  }

  /** Every value, repeated names included, lists parted by commas. */
  list(name: string): string[] {
    return this.pairs.filter(([given]) => given === name).flatMap(([, value]) => value.split(','));
  }

  without(name: string): Query {
    return new Query(this.pairs.filter(([given]) => given !== name));
  }
}
