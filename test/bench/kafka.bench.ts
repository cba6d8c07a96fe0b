// The Kafka log against bare kafkajs on the same broker, with the same topic settings and the same bytes, in one run.

import { readFileSync, readdirSync, statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BookObserved, LadderEvent } from '@ladderlog/core';
import { keyOf, timeOf, toMillis } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';
import { openKafkaLog, positionsFromBeginning, readEvents } from '@ladderlog/log';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { connectKafka } from '../../packages/log/src/kafka/client.ts';
import type { KafkaService } from '../harness/kafka.ts';
import { startKafka } from '../harness/kafka.ts';
import { bookAt } from '../harness/log-events.ts';
import { RECORDINGS } from '../harness/recordings.ts';

/** `ratio` is ours by theirs; `aim` what it should be at least. */
export type BenchResult = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
  readonly aim?: number;
};

const EVENTS = Number(process.env['LADDERLOG_BENCH_EVENTS'] ?? 10_000);
const ROUNDS = 4;
const BATCH = 1_000;
const silent = pino({ level: 'silent' });

export async function run(): Promise<BenchResult[]> {
  const kafka = await startKafka();
  if (!kafka) return [];
  try {
    const { source, events } = books();
    const open = (prefix: string): Promise<EventLog> =>
      openKafkaLog({ brokers: kafka.brokers, registryUrl: kafka.registryUrl, prefix, logger: silent });
    const [ours, bare] = [await open('ours.'), await open('bare.')];
    // Warm: compiled code, connections, and a broker that has seen a batch.
    await ours.append(events.slice(0, BATCH).map((event) => ({ ...event, venue: 'venuea' as const })));

    const values = events.map((event) => Buffer.from(bare.codec.encode(event)));
    let [appended, produced, read, decoded, consumed] = [0, 0, 0, 0, 0];
    // In turns, the best of each: on a busy machine one long run of each would compare two moments, not two programs.
    for (let round = 1; round <= ROUNDS; round++) {
      const [inLog, count] = [round * events.length, events.length];
      appended = Math.max(appended, await rate(count, () => appendAll(ours, events, BATCH)));
      produced = Math.max(produced, await rate(count, () => produceBare(kafka, events, values)));
      read = Math.max(read, await rate(inLog, () => readAll(ours, inLog)));
      consumed = Math.max(consumed, await rate(inLog, () => consumeBare(kafka, round, inLog)));
      decoded = Math.max(decoded, await rate(inLog, () => decodeAll(ours, inLog)));
    }
    const results: BenchResult[] = [
      {
        name: `kafka append, ${source}`,
        value: appended,
        unit: 'events/s',
        ratio: appended / produced,
        aim: 0.8,
      },
      { name: 'bare kafkajs produce of the encoded bytes', value: produced, unit: 'events/s' },
      { name: 'kafka read', value: read, unit: 'events/s', ratio: read / consumed, aim: 0.8 },
      { name: 'kafka read and decode', value: decoded, unit: 'events/s', ratio: decoded / consumed },
      { name: 'bare kafkajs consume', value: consumed, unit: 'events/s' },
    ];
    for (const batch of kafka.dataFolders.length > 0 ? [100, 2_000] : []) {
      const prefix = `disk${batch}.`;
      const log = await open(prefix);
      await appendAll(log, events, batch);
      await log.close();
      const bytes = kafka.dataFolders.reduce(
        (sum, folder) => sum + segmentBytes(folder, `${prefix}venueb-`),
        0,
      );
      results.push({
        name: `kafka bytes an observation on disk, ${batch} a batch`,
        value: bytes / events.length,
        unit: 'bytes',
      });
    }
    await Promise.all([ours.close(), bare.close()]);
    return results;
  } finally {
    await kafka.stop();
  }
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - began);
}

async function appendAll(log: EventLog, events: readonly LadderEvent[], batch: number): Promise<void> {
  for (let n = 0; n < events.length; n += batch) await log.append(events.slice(n, n + batch));
}

async function produceBare(
  kafka: KafkaService,
  events: readonly LadderEvent[],
  values: readonly Buffer[],
): Promise<void> {
  const producer = client(kafka).producer({
    idempotent: true,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  for (let n = 0; n < events.length; n += BATCH)
    await producer.send({
      topic: 'bare.venueb',
      acks: -1,
      compression: kafkajs.CompressionTypes.ZSTD,
      messages: events.slice(n, n + BATCH).map((event, index) => ({
        key: keyOf(event),
        value: values[n + index]!,
        timestamp: String(toMillis(timeOf(event))),
      })),
    });
  await producer.disconnect();
}

async function readAll(log: EventLog, expected: number): Promise<void> {
  let count = 0;
  for await (const batch of log.read({ from: await positionsFromBeginning(log, ['venueb']) }))
    count += batch.records.length;
  if (count !== expected) throw new Error(`read ${count} of ${expected}`);
}

async function decodeAll(log: EventLog, expected: number): Promise<void> {
  let count = 0;
  for await (const batch of readEvents(log, { from: await positionsFromBeginning(log, ['venueb']) }))
    for (const { event } of batch) if (event) count++;
  if (count !== expected) throw new Error(`decoded ${count} of ${expected}`);
}

async function consumeBare(kafka: KafkaService, round: number, count: number): Promise<void> {
  const consumer = client(kafka).consumer({ groupId: `bare${round}`, maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic: 'bare.venueb', fromBeginning: true });
  let seen = 0;
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          seen += batch.messages.length;
          if (seen >= count) resolve();
        },
      })
      .catch(reject);
  });
  void consumer.disconnect();
}

const client = (kafka: KafkaService) => connectKafka({ brokers: kafka.brokers, logger: silent });

function segmentBytes(folder: string, topic: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder).filter((name) => name.startsWith(topic)))
    for (const file of readdirSync(join(folder, name)).filter((file) => file.endsWith('.log')))
      bytes += statSync(join(folder, name, file)).size;
  return bytes;
}

// --- what is appended: ladders of a real recording where it is at hand, otherwise made ones of the same size

type Row = {
  event_type: string;
  local_recv_ns: number;
  market_ticker: string;
  sequence_number: number | null;
  payload_json: {
    yes_dollars_fp?: [string, string][];
    no_dollars_fp?: [string, string][];
    side?: 'yes' | 'no';
    price_dollars?: string;
    delta_fp?: string;
  };
};

const micro = (text: string): number => Math.round(Number(text) * 1_000_000);

function books(): { source: string; events: BookObserved[] } {
  const path = join(RECORDINGS, 'venue-b', 'ws_btc15m_run_20260515T0916.jsonl.gz');
  if (!existsSync(path))
    return {
      source: 'made ladders of 100+100 levels',
      events: Array.from({ length: EVENTS }, (_, n) => bookAt(n, { levels: 100, markets: 16 })),
    };
  const sides = { yes: new Map<number, number>(), no: new Map<number, number>() };
  const events: BookObserved[] = [];
  for (const line of gunzipSync(readFileSync(path)).toString('utf8').split('\n')) {
    if (events.length === EVENTS) break;
    if (!line.includes('"channel":"orderbook_delta"')) continue;
    const row = JSON.parse(line) as Row;
    const { yes_dollars_fp, no_dollars_fp, side, price_dollars, delta_fp } = row.payload_json;
    if (row.event_type === 'orderbook_snapshot') {
      sides.yes = new Map((yes_dollars_fp ?? []).map(([price, size]) => [micro(price), micro(size)]));
      sides.no = new Map((no_dollars_fp ?? []).map(([price, size]) => [micro(price), micro(size)]));
    } else if (side && price_dollars && delta_fp) {
      const price = micro(price_dollars);
      const size = (sides[side].get(price) ?? 0) + micro(delta_fp);
      if (size > 0) sides[side].set(price, size);
      else sides[side].delete(price);
    } else continue;
    const [bids, asks] = [sides.yes, sides.no].map((levels) => [...levels].sort(([a], [b]) => b - a));
    events.push({
      ...bookAt(events.length),
      market: row.market_ticker,
      observedAt: Math.floor(row.local_recv_ns / 1_000),
      ordinal: events.length,
      sequence: row.sequence_number,
      bidPrices: bids!.map(([price]) => price),
      bidSizes: bids!.map(([, size]) => size),
      askPrices: asks!.map(([price]) => 1_000_000 - price),
      askSizes: asks!.map(([, size]) => size),
    });
  }
  while (events.length < EVENTS) events.push(...events.slice(0, EVENTS - events.length));
  return { source: 'real ladders of venue B', events };
}

if (process.argv[1] === import.meta.filename)
  for (const { name, value, unit, ratio, aim } of await run())
    console.log(
      `${name}: ${value.toFixed(unit === 'bytes' ? 1 : 0)} ${unit}` +
        (ratio === undefined ? '' : `, ratio ${ratio.toFixed(2)}${aim === undefined ? '' : ` (aim ${aim})`}`),
    );
