// ladderlog doctor: looks at everything that may be wrong on this machine and says what to do about it.

import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';

import type { Venue } from '@ladderlog/core';
import { adapterOf, isLadderlogError } from '@ladderlog/core';
import type { ThinTopic } from '@ladderlog/log';

import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import type { RunningUp } from '../data/up-lock.ts';
import { runningUp } from '../data/up-lock.ts';
import { flag } from '../flags.ts';
import { askProcess } from '../processes/ask-process.ts';
import { openLog, registryAccess } from '../processes/open-log.ts';
import { openStore } from '../processes/runtime.ts';
import type { Config } from '../settings/config.ts';
import { venueValues } from '../settings/config.ts';
import { masked } from '../settings/setting-texts.ts';

type Check = {
  readonly name: string;
  readonly ok: boolean | null;
  readonly found: string;
  readonly advice?: string;
};

const GIB = 1024 ** 3;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks Node, data directory, disk, clock, log, store, registry and venues, and says what to do.',
  examples: ['ladderlog doctor', 'ladderlog doctor --venues none --json'],
  flags: [flag('--venues <which>', 'Which venues to reach: live, none, or a list; simulated reaches none.')],
  async run(context) {
    const checks: Check[] = [];
    for await (const check of examine(context)) {
      checks.push(check);
      if (!context.json) context.print(describe(check));
    }
    if (context.json) context.print(JSON.stringify(checks));
    return checks.some(({ ok }) => ok === false) ? EXIT.failed : EXIT.ok;
  },
};

function describe({ name, ok, found, advice }: Check): string {
  const mark = ok === null ? (advice ? 'WARN' : ' -  ') : ok ? ' ok ' : 'FAIL';
  return `${mark} ${name.padEnd(16)} ${found}${advice ? `\n                      → ${advice}` : ''}`;
}

async function* examine(context: Context): AsyncGenerator<Check> {
  yield { name: 'node', ok: true, found: `${process.versions.node} on ${process.platform} ${process.arch}` };
  let directory: DataDirectory;
  try {
    directory = openDataDirectory(context.config.data, context.logger);
    rmSync(mkdtempSync(join(directory.path, 'doctor-')), { recursive: true });
    yield { name: 'data directory', ok: true, found: directory.path };
  } catch (error) {
    yield {
      name: 'data directory',
      ok: false,
      found: (error as Error).message,
      advice: 'choose a directory you may write to with --data',
    };
    return;
  }
  yield* examineMachine(directory);
  const running = runningUp(directory.path);
  if (running) yield* examineProcesses(directory, running);
  yield* examineLog(context, directory);
  yield await examineStore(context, directory, running !== null);
  yield await examineRegistry(context);
  yield* examineVenues(context);
}

function* examineMachine(directory: DataDirectory): Generator<Check> {
  const disk = statfsSync(directory.path);
  const free = disk.bavail * disk.bsize;
  yield {
    name: 'disk',
    ok: free > GIB,
    found: `${(free / GIB).toFixed(1)} GiB free`,
    ...(free > GIB ? {} : { advice: 'make room, or move the data directory to a larger disk' }),
  };
  const year = new Date().getUTCFullYear();
  yield {
    name: 'clock',
    ok: year >= 2025 && year < 2100,
    found: new Date().toISOString(),
    ...(year >= 2025 ? {} : { advice: 'set the clock: every observation is stamped with it' }),
  };
}

async function* examineLog(context: Context, directory: DataDirectory): AsyncGenerator<Check> {
  let thin: readonly ThinTopic[] = [];
  const advice = context.config.kafkaBrokers
    ? 'are the brokers and the registry reachable from here?'
    : 'is the disk healthy? restore a backup if the file is damaged';
  yield await attempt('log', advice, async () => {
    const log = await openLog(context, directory);
    try {
      thin = log.thinTopics ?? [];
      const topics = await log.topics();
      const events = topics
        .flatMap(({ partitions }) => partitions)
        .reduce((sum, { begin, end }) => sum + end - begin, 0);
      return `${log.kind}, ${topics.length} topics, ${events} events`;
    } finally {
      await log.close();
    }
  });
  if (thin.length > 0)
    yield {
      name: 'copies',
      ok: null,
      found: `${thin.map(({ topic, copies }) => `${topic} ${copies}`).join(', ')}; the brokers allow ${thin[0]!.wanted}`,
      advice:
        'add copies with kafka-reassign-partitions.sh and set min.insync.replicas to 2; or say with LADDERLOG_KAFKA_REPLICATION that it is meant so',
    };
}

/** Of an `up` on this directory. The simulators have nothing to be asked. */
async function* examineProcesses(
  { sockets }: DataDirectory,
  { pid, processes }: RunningUp,
): AsyncGenerator<Check> {
  yield { name: 'ladderlog up', ok: true, found: `runs as process ${pid}` };
  for (const [role, { pid: own, restarts }] of Object.entries(processes)) {
    const answer = role === 'simulators' ? null : await askProcess(sockets.status(role), '/ready', 5_000);
    const isWell = own !== null && (role === 'simulators' || answer?.status === 200);
    const again = restarts === 0 ? '' : `, started again ${restarts} times`;
    const state = own === null ? 'is being started again' : isWell ? 'is well' : 'is not ready';
    yield {
      name: role,
      ok: isWell,
      found: `${own === null ? '' : `process ${own} `}${state}${again}`,
      ...(isWell ? {} : { advice: `look at the log lines of ladderlog up; it is started again by itself` }),
    };
  }
}

async function examineStore(context: Context, directory: DataDirectory, isRunning: boolean): Promise<Check> {
  if (isRunning)
    return { name: 'store', ok: true, found: 'in use by a running ladderlog on this data directory' };
  const advice = context.config.clickhouseUrl
    ? 'is the ClickHouse server reachable, and may the user write?'
    : 'set LADDERLOG_CLICKHOUSE_URL to use a ClickHouse server instead';
  return attempt('store', advice, async () => {
    const store = await openStore(context, directory, 'ladderlog doctor');
    try {
      const health = await store.health();
      if (!health.ok) throw new Error(health.error ?? 'not healthy');
      return `${health.kind} ${health.version ?? ''}`;
    } finally {
      await store.close();
    }
  });
}

async function examineRegistry({ config }: Context): Promise<Check> {
  const registry = registryAccess(config);
  if (registry === null) return { name: 'schema registry', ok: null, found: 'not used: the log is SQLite' };
  const advice = 'is LADDERLOG_SCHEMA_REGISTRY_URL the Confluent-compatible address?';
  return attempt('schema registry', advice, async () => {
    const { url, auth } = registry;
    const user = Buffer.from(`${auth?.username}:${auth?.password}`).toString('base64');
    const response = await fetch(`${url}/subjects`, {
      headers: auth ? { authorization: `Basic ${user}` } : {},
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return `${((await response.json()) as unknown[]).length} subjects`;
  });
}

async function* examineVenues({ config }: Context): AsyncGenerator<Check> {
  const { mode, venues } = config.venues;
  if (mode !== 'live') {
    yield { name: 'venues', ok: null, found: mode === 'simulated' ? 'simulated: nothing to reach' : 'none' };
    return;
  }
  yield* venueClock(venues.flatMap((venue) => addressesOf(config, venue)));
  for (const venue of venues)
    for (const address of addressesOf(config, venue)) {
      const { protocol, hostname, port } = new URL(address);
      const secure = protocol === 'https:' || protocol === 'wss:';
      const problem = await reachable(secure ? 'tls' : 'tcp', Number(port) || (secure ? 443 : 80), hostname);
      yield problem === null
        ? { name: venue, ok: true, found: `${hostname} answers` }
        : {
            name: venue,
            ok: false,
            found: `${hostname}: ${problem}`,
            advice: 'check the network, a proxy, or a geographic block; or leave the venue out with --venues',
          };
    }
}

/** Where a venue is reached: its settings that are addresses. */
const addressesOf = (config: Config, venue: Venue): string[] =>
  Object.entries(venueValues(config, adapterOf(venue))).flatMap(([name, value]) =>
    name.endsWith('Url') && typeof value === 'string' ? [value] : [],
  );

const CLOCK_OFF_MS = 30_000;

/** Our clock against the Date of the first venue that tells it. */
async function* venueClock(addresses: readonly string[]): AsyncGenerator<Check> {
  for (const address of addresses.filter((one) => one.startsWith('http'))) {
    const answer = await fetch(address, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    const theirs = Date.parse(answer?.headers.get('date') ?? '');
    if (Number.isNaN(theirs)) continue;
    const off = Date.now() - theirs;
    const isOff = Math.abs(off) > CLOCK_OFF_MS;
    yield {
      name: 'venue clock',
      ok: isOff ? null : true,
      found: `ours is ${isOff ? `${Math.round(Math.abs(off) / 1_000)} s ${off > 0 ? 'ahead of' : 'behind'}` : 'that of'} ${new URL(address).hostname}`,
      ...(isOff ? { advice: 'set the clock, by NTP: every observation is stamped with it' } : {}),
    };
    return;
  }
}

async function attempt(name: string, advice: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, found: await work() };
  } catch (error) {
    return {
      name,
      ok: false,
      found: `${isLadderlogError(error) ? `${error.code}: ` : ''}${masked((error as Error).message)}`,
      advice,
    };
  }
}

/** Null when it can be connected to, else why not. */
function reachable(how: 'tcp' | 'tls', port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = how === 'tls' ? connectTls({ host, port, servername: host }) : connect(port, host);
    const end = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(5_000, () => end('no answer in 5 s'));
    socket.once(how === 'tls' ? 'secureConnect' : 'connect', () => end(null));
    socket.once('error', (error) => end(error.message));
  });
}
