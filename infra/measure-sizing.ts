// Measures what docs/sizing.md states: `ladderlog up` on the simulated venues for as many minutes as asked (5 unless told
// otherwise), then bytes per event in the log and per row in the tables, rates, CPU seconds and memory.
//
//   node infra/measure-sizing.ts 5

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { launch, readyFacts } from '../test/harness/ladderlog.ts';

const minutes = Number(process.argv[2] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-sizing-'));
const data = join(folder, 'data');
const up = launch(
  [
    'up',
    '--json',
    '--port',
    '0',
    '--metrics-port',
    '0',
    '--sql-port',
    '0',
    '--data',
    data,
    '--log-level',
    'warn',
  ],
  {},
);
try {
  const { metricsPort, sqlUrl } = await readyFacts<{ metricsPort: number; sqlUrl: string }>(up);
  const scrape = async (): Promise<Map<string, number>> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return new Map(
      [...text.matchAll(/^(ladderlog_\w+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, name, value]) => [
        name!,
        Number(value),
      ]),
    );
  };
  const sumOf = (figures: Map<string, number>, prefix: string): number =>
    [...figures].filter(([name]) => name.startsWith(prefix)).reduce((sum, [, value]) => sum + value, 0);
  const before = await scrape();
  const began = performance.now();
  await sleep(minutes * 60_000);
  const after = await scrape();
  const seconds = (performance.now() - began) / 1_000;
  const rate = (prefix: string): number => (sumOf(after, prefix) - sumOf(before, prefix)) / seconds;
  console.log(`${minutes} minutes; a second:`);
  for (const name of [
    'frames_total',
    'observations_total',
    'projector_rows_total',
    'process_cpu_seconds_total',
  ])
    console.log(`  ${name.padEnd(28)} ${rate(`ladderlog_${name}`).toFixed(2)}`);
  console.log(`  books watched                ${sumOf(after, 'ladderlog_books_watched')}`);
  console.log(
    `  resident MB                  ${(after.get('ladderlog_process_resident_memory_bytes')! / 2 ** 20).toFixed(0)}`,
  );
  const query = encodeURIComponent(
    "SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND database = 'ladderlog' GROUP BY table ORDER BY bytes DESC FORMAT JSONEachRow",
  );
  const tables = (await (await fetch(`${sqlUrl}/?query=${query}`)).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { table: string; rows: string; bytes: string; parts: string });
  console.log('tables:');
  for (const { table, rows, bytes, parts } of tables)
    console.log(
      `  ${table.padEnd(20)} ${rows} rows, ${bytes} bytes, ${(Number(bytes) / Number(rows)).toFixed(1)} a row, ${parts} parts`,
    );
  await up.interrupt();
  console.log(`log.sqlite: ${statSync(join(data, 'log.sqlite')).size} bytes`);
  const log = new DatabaseSync(join(data, 'log.sqlite'), { readOnly: true });
  const topics = log
    .prepare(
      'SELECT topic, sum(count) AS events, sum(raw_bytes) AS raw, sum(bytes) AS bytes, count(*) AS batches, sum(packed) AS packed, sum(bytes * packed) AS packedBytes, sum(count * packed) AS packedEvents FROM batches JOIN partitions ON partitions.id = partition_id GROUP BY topic',
    )
    .all() as {
    topic: string;
    events: number;
    raw: number;
    bytes: number;
    batches: number;
    packed: number;
    packedBytes: number;
    packedEvents: number;
  }[];
  for (const { topic, events, raw, bytes, batches, packed, packedBytes, packedEvents } of topics)
    console.log(
      `  ${topic.padEnd(16)} ${events} events, ${(raw / events).toFixed(0)} bytes raw, ${(bytes / events).toFixed(1)} stored an event, ${batches} batches (${packed} packed, ${(packedBytes / Math.max(1, packedEvents)).toFixed(1)} an event in them)`,
    );
  log.close();
} finally {
  await up.kill();
  rmSync(folder, { recursive: true, force: true });
}
