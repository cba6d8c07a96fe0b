// Scaled mode: every role a process of its own, on a real broker and registry and one shared ClickHouse (its protocol over
// chDB in a process of its own, since no server can run everywhere). Configuration only; the code is that of `up`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { VENUES } from '@ladderlog/core';
import { positionsAtEnd, positionsFromBeginning, readEvents } from '@ladderlog/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { newPrefix, openTestLog, sharedKafka } from '../harness/kafka-log.ts';
import type { Started } from '../harness/ladderlog.ts';
import { eventually, ladderlog, launch, readyFacts } from '../harness/ladderlog.ts';

const kafka = sharedKafka();
const prefix = newPrefix();
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-scaled-'));
const running = new Map<string, Started>();

type Simulated = {
  venuea: { restUrl: string; wsUrl: string; apiKey: string; apiSecret: string };
  venueb: { restUrl: string; wsUrl: string; keyId: string; privateKeyPem: string };
  venuec: { gammaUrl: string; clobUrl: string; wsUrl: string };
};

let env: Record<string, string>;
let url: string;
let key: string;
let metricsPort: number;

const start = (name: string, args: readonly string[], extra: Record<string, string> = {}): Started => {
  const started = launch([...args, '--json', '--data', join(folder, name)], { env: { ...env, ...extra } });
  running.set(name, started);
  return started;
};

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

type Check = { ok: boolean; state?: string; markets?: number; books?: number };
const health = () =>
  get<{ data: { generation: number; checks: Readonly<Record<string, Check | undefined>> } }>('health');

/** The venues, seen from outside: one set that all collectors share. */
async function venueSettings(): Promise<Record<string, string>> {
  const { venuea, venueb, venuec } = await readyFacts<Simulated>(start('venues', ['simulate']));
  const keyFile = join(folder, 'venueb.pem');
  writeFileSync(keyFile, venueb.privateKeyPem, { mode: 0o600 });
  return {
    LADDERLOG_VENUES: 'live',
    LADDERLOG_VENUEA_REST_URL: venuea.restUrl,
    LADDERLOG_VENUEA_WS_URL: venuea.wsUrl,
    LADDERLOG_VENUEA_API_KEY: venuea.apiKey,
    LADDERLOG_VENUEA_API_SECRET: venuea.apiSecret,
    LADDERLOG_VENUEB_REST_URL: venueb.restUrl,
    LADDERLOG_VENUEB_WS_URL: venueb.wsUrl,
    LADDERLOG_VENUEB_KEY_ID: venueb.keyId,
    LADDERLOG_VENUEB_PRIVATE_KEY_FILE: keyFile,
    LADDERLOG_VENUEB_SERIES: 'KXBTC15M,KXETH15M,KXBTCD',
    LADDERLOG_VENUEC_GAMMA_URL: venuec.gammaUrl,
    LADDERLOG_VENUEC_CLOB_URL: venuec.clobUrl,
    LADDERLOG_VENUEC_WS_URL: venuec.wsUrl,
  };
}

describe.skipIf(!kafka)('scaled mode', () => {
  beforeAll(async () => {
    const server = launch([join(folder, 'clickhouse')], {
      program: [process.execPath, join(import.meta.dirname, '..', 'harness', 'chdb-server.ts')],
    });
    running.set('clickhouse', server);
    env = {
      LADDERLOG_KAFKA_BROKERS: kafka!.brokers.join(','),
      LADDERLOG_SCHEMA_REGISTRY_URL: kafka!.registryUrl,
      LADDERLOG_KAFKA_PREFIX: prefix,
      LADDERLOG_CLICKHOUSE_URL: (await readyFacts<{ url: string }>(server)).url,
      LADDERLOG_LOG_LEVEL: 'warn',
    };
    const project = start('project', ['project', '--metrics-port', '0']);
    ({ metricsPort } = await readyFacts<{ metricsPort: number }>(project));
    const [serve, venues] = await Promise.all([
      readyFacts<{ url: string }>(start('serve', ['serve', '--port', '0'])),
      venueSettings(),
    ]);
    url = serve.url;
    await Promise.all(
      [0, 1].map((index) =>
        readyFacts(
          start(`collect-${index}`, ['collect', '--shard', `${index}/2`], {
            ...venues,
            LADDERLOG_COLLECTOR_ID: `collect-${index}`,
          }),
        ),
      ),
    );
    const issued = await ladderlog(
      ['keys', 'issue', '--plan', 'desk', '--name', 'test', '--json', '--data', join(folder, 'operator')],
      { env },
    );
    key = (JSON.parse(issued.stdout) as { key: string }).key;
  });

  afterAll(async () => {
    await Promise.all([...running.values()].map((started) => started.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  test('books of every venue come out of /v3', async () => {
    const routes: Record<string, [list: string, path: (id: string) => string]> = {
      venuea: ['venuea-prediction/markets?coin=BTC', (id) => `venuea-prediction/${id}`],
      venueb: ['venueb/markets?series=KXBTC15M', (id) => `venueb/${id}`],
      venuec: ['btc/markets?window=15m', (id) => `btc/markets/${id}`],
    };
    for (const venue of VENUES) {
      const [list, of] = routes[venue]!;
      const page = await eventually(
        `snapshots of ${venue}`,
        async () => {
          const now = new Date().toISOString();
          const { data } = await get<{ data: { market_id: string }[] }>(
            `${list}&start_time=${now}&end_time=${now}&limit=1`,
          );
          return get<{ data: { orderbook: Record<string, number[]> }[] }>(
            `${of(data[0]!.market_id)}/snapshots?include_orderbook=true&limit=5`,
          );
        },
        ({ data }) => data.length > 0,
      );
      // Near its end a market may have one side only.
      const { bid_prices: bids, ask_prices: asks } = page.data[0]!.orderbook;
      expect(bids!.length + asks!.length).toBeGreaterThan(0);
    }
  });

  test('health knows from the log that every venue is captured, though other processes do it', async () => {
    const { data } = await eventually('capture of every venue', health, ({ data: { checks } }) =>
      VENUES.every((venue) => checks[venue]?.state === 'capturing'),
    );
    expect(data.generation).toBe(1);
    expect(data.checks['projector']).toMatchObject({ ok: true, lag: expect.any(Number) as number });
    for (const venue of VENUES) {
      expect(data.checks[venue]).toMatchObject({ ok: true, gaps_open: 0, gap_since: null });
      expect(data.checks[venue]!.books).toBeGreaterThanOrEqual(data.checks[venue]!.markets!);
    }
  });

  test('two collectors share the markets of every venue without overlap', async () => {
    const log = await openTestLog(kafka!, prefix);
    try {
      const seen = await eventually(
        'books from both collectors',
        async () => {
          const collectors = new Map<string, Set<string>>();
          const [from, to] = [await positionsFromBeginning(log, VENUES), await positionsAtEnd(log, VENUES)];
          for await (const events of readEvents(log, { from, to }))
            for (const { event } of events) {
              if (event?.type !== 'BookObserved') continue;
              const collector = /collect-\d/.exec(event.session)![0];
              const markets = collectors.get(collector) ?? new Set();
              collectors.set(collector, markets.add(`${event.venue} ${event.market}`));
            }
          return collectors;
        },
        (found) => found.size === 2 && [...found.values()].every((markets) => markets.size > 2),
      );
      const [first, second] = [...seen.values()];
      expect([...first!.intersection(second!)]).toEqual([]);
    } finally {
      await log.close();
    }
  });

  test('every role ends cleanly, and the tables are exactly the log', async () => {
    const end = async (name: string): Promise<void> => {
      const { code, stderr } = await running.get(name)!.interrupt();
      expect({ name, code, stderr: code === 0 ? '' : stderr.slice(-2_000) }).toEqual({
        name,
        code: 0,
        stderr: '',
      });
    };
    await Promise.all(['collect-0', 'collect-1'].map(end));
    await eventually('word that capture ended', health, ({ data: { checks } }) =>
      VENUES.every((venue) => checks[venue]?.state === 'stopped'),
    );
    await end('serve');
    // Else a slow machine is told to end in the middle of a range, and does.
    await eventually(
      'a projector with nothing left to do',
      async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
      (metrics) => /^ladderlog_projector_lag_events 0$/m.test(metrics),
    );
    await end('project');
    const verified = await ladderlog(['verify', '--json', '--data', join(folder, 'operator')], { env });
    expect({
      code: verified.code,
      differences: differencesOf(verified.stdout),
      stderr: verified.code === 0 ? '' : verified.stderr,
    }).toEqual({
      code: 0,
      differences: [],
      stderr: '',
    });
  });
});

const differencesOf = (text: string): unknown =>
  (JSON.parse(text || '{}') as { differences?: unknown }).differences;
