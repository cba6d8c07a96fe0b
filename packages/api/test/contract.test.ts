import type { MarketFieldKind, Venue } from '@ladderlog/core';
import { MARKET_FIELDS, VENUE_ADAPTERS, adapterOf } from '@ladderlog/core';
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { describe, expect, test } from 'vitest';
import { loadContract, nearestName } from '../src/contract/contract.ts';
import { STATUS_OF } from '../src/answers/errors.ts';
import { HANDLERS } from '../src/routes/handlers.ts';

const contract = loadContract();

describe('the contract', () => {
  test('is valid OpenAPI 3.1', async () => {
    const handlers = OpenApiValidator.middleware({
      apiSpec: structuredClone(contract.document) as never,
      validateApiSpec: true,
      validateSecurity: false,
    });
    const failure = await new Promise<unknown>((resolve) => {
      void handlers[0]!({ app: express() } as never, {} as never, resolve as never);
    });
    expect(failure).toBeUndefined();
  });
  test('has no description that YAML cut at a comma', () => {
    const cut: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (value === null) cut.push(path);
      else if (typeof value === 'object')
        for (const [name, part] of Object.entries(value!))
          if (name !== 'example') look(part, `${path}/${name}`);
    };
    look(contract.document, '');
    expect(cut).toEqual([]);
  });
  test('a market has the fields of their one description', () => {
    const orNull = (type: string) => ({ type: [type, 'null'] });
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const types: Readonly<Record<MarketFieldKind, object>> = {
      text: orNull('string'),
      time: ref('IsoOrNull'),
      amount: orNull('number'),
      number: orNull('number'),
      count: orNull('integer'),
      status: ref('MarketStatus'),
      outcomes: { type: 'array', items: ref('Outcome') },
      flag: { type: 'boolean' },
      json: { type: ['object', 'array', 'null'] },
    };
    const market = contract.document.components.schemas['Market'] as {
      required: string[];
      properties: Record<string, { allOf?: [object] }>;
    };
    for (const { kind, column } of Object.values(MARKET_FIELDS)) {
      const property = market.properties[column];
      // A reference with a description of its own.
      expect(property?.allOf?.[0] ?? property).toMatchObject(types[kind]);
      expect(market.required).toContain(column);
    }
  });
  test('every operation has a handler, and every handler an operation', () => {
    const kinds = new Set(contract.operations.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(Object.keys(HANDLERS).sort());
  });
  test('the alias has every route of venue A, with the same parameters', () => {
    const routes = (base: string) =>
      contract.operations
        .filter(({ template }) => template.startsWith(base))
        .map(({ template, queryNames, pathNames }) => [template.slice(base.length), queryNames, pathNames])
        .sort();
    expect(routes('/v3/venuea-alias')).toEqual(routes('/v3/venuea-prediction'));
    expect(routes('/v3/venuea-alias')).toHaveLength(8);
  });
  test('literal segments win over placeholders', () => {
    const id = (path: string) => contract.match(path)?.operation.id;
    expect(id('/v3/venueb/markets')).toBe('listVenueBMarkets');
    expect(id('/v3/btc/markets')).toBe('listVenueCMarkets');
    expect(id('/v3/venuea-prediction/markets')).toBe('listVenueAMarkets');
    expect(id('/v3/venueb/KX-1.5/snapshots')).toBe('listVenueBSnapshots');
    expect(id('/v3/venueb/markets/KX-1.5')).toBe('getVenueBMarket');
    expect(id('/v3/venuea-alias/12/snapshots/at/1794700800000')).toBe('getVenueASnapshotAtAlias');
    expect(id('/v3/btc/markets/by-slug/x')).toBe('getVenueCMarketBySlug');
    expect(id('/v3/nothing')).toBeUndefined();
    expect(id('/v3/venueb/markets/')).toBeUndefined();
  });
  test('a wrong path under another route is not one of an asset', () => {
    for (const first of ['venuea-prediction', 'venuea-alias', 'venueb', 'health', 'gaps'])
      expect(contract.match(`/v3/${first}/markets/12/snapshots`)).toBeNull();
    expect(contract.match('/v3/nothing/markets/12/snapshots')?.operation.id).toBe('listVenueCSnapshots');
  });
  test('path parameters are decoded', () => {
    expect(contract.match('/v3/venueb/KX%2D1.5/snapshots')?.params).toEqual({ market_ticker: 'KX-1.5' });
  });
  test('only health and overview need no key', () => {
    expect(contract.operations.filter(({ open }) => open).map(({ id }) => id)).toEqual([
      'getHealth',
      'getOverview',
    ]);
  });
  test('lists exactly the error codes the API can give', () => {
    const { error } = contract.document.components.schemas['ErrorAnswer']!['properties'] as {
      error: { properties: { code: { enum: string[] } } };
    };
    expect(error.properties.code.enum.toSorted()).toEqual(Object.keys(STATUS_OF).sort());
  });
});

test('a venue that the registry gains has its routes by that alone', () => {
  const { routes, ...rest } = adapterOf('venueb');
  const { series, event, marketTicker } = routes.parameters;
  const three = VENUE_ADAPTERS.slice(0, 3);
  const more = loadContract([
    ...three,
    {
      ...rest,
      venue: 'venued' as Venue,
      routes: {
        ...routes,
        operationName: 'VenueD',
        words: { ...routes.words, short: 'D' },
        bases: [{ path: '/v3/venued', tag: 'venue D', tagDescription: 'Made up.' }],
        marketParameter: 'tickerD',
        parameters: { tickerD: marketTicker!, seriesD: series!, eventD: event! },
        routes: { markets: { parameters: ['seriesD'] }, 'latest-books': {} },
      },
    },
  ]);
  const matched = more.match('/v3/venued/KX-1/orderbook/latest')!;
  expect(matched.operation).toMatchObject({ id: 'getVenueDLatest', venue: 'venued', kind: 'latest-books' });
  expect(matched.params).toEqual({ market_ticker: 'KX-1' });
  expect(more.match('/v3/venued/markets')!.operation.queryNames).toContain('series');
  expect(more.match('/v3/venued/KX-1/snapshots')).toBeNull();
  expect(more.document.components.schemas['Venue']!['enum']).toEqual([
    ...three.map(({ venue }) => venue),
    'venued',
  ]);
  expect(JSON.stringify(more.document['info'])).toContain('four prediction-market venues');
  expect(more.operations).toHaveLength(loadContract(three).operations.length + 2);
});

describe('the nearest valid name', () => {
  const names = ['cursor', 'end_time', 'include_orderbook', 'interval', 'limit', 'start_time'];
  test.each([
    ['limt', 'limit'],
    ['Limit', 'limit'],
    ['starttime', 'start_time'],
    ['start-time', 'start_time'],
    ['includeOrderbook', 'include_orderbook'],
    ['api_key_of_mine', null],
    ['__proto__', null],
  ])('%s → %s', (wrong, right) => {
    expect(nearestName(wrong, names)).toBe(right);
  });
});
