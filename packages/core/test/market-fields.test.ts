import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MarketFieldKind } from '../src/index.ts';
import { MARKET_FIELDS, MARKET_STATUSES, UNKNOWN_MARKET } from '../src/index.ts';

type AvroField = { readonly name: string; readonly doc: string; readonly type: unknown };
const { fields } = JSON.parse(
  readFileSync(new URL('../../../avro/market-observed.avsc', import.meta.url), 'utf8'),
) as { fields: AvroField[] };

const orNull = (type: unknown): unknown => ['null', type];
const AVRO_TYPES: Readonly<Record<MarketFieldKind, unknown>> = {
  text: orNull('string'),
  time: orNull({ type: 'long', logicalType: 'timestamp-micros' }),
  amount: orNull('long'),
  number: orNull('long'),
  count: orNull('long'),
  status: expect.objectContaining({ type: 'enum', symbols: [...MARKET_STATUSES] }),
  outcomes: expect.objectContaining({ type: 'array' }),
  flag: 'boolean',
  json: 'string',
};

describe('the fields of a market', () => {
  test('are those of the Avro schema: names, order, types and meaning', () => {
    const described = Object.values(MARKET_FIELDS).map(({ kind, column, meaning }) => ({
      name: column,
      doc: meaning,
      type: AVRO_TYPES[kind],
    }));
    const ofSchema = fields.slice(fields.findIndex(({ name }) => name === 'provenance') + 1);
    expect(ofSchema.map(({ name, doc, type }) => ({ name, doc, type }))).toEqual(described);
  });
  test('are unknown until something is said of them', () => {
    expect(UNKNOWN_MARKET).toMatchObject({ status: 'unknown', outcomes: [], simulated: false, native: '{}' });
    const rest = Object.entries(UNKNOWN_MARKET).filter(([, value]) => value === null);
    expect(rest).toHaveLength(Object.keys(MARKET_FIELDS).length - 4);
  });
});
