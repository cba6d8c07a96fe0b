// ladderlog log ls | offsets | cat | tail: what is in the log, by topic, partition and offset. The same on SQLite and Kafka.

import type { EventType, LadderEvent, Position } from '@ladderlog/core';
import { EVENT_TYPES, TOPICS, formatPosition, parsePosition, toIso } from '@ladderlog/core';
import type { EventLog, ReadEvent, TopicInfo } from '@ladderlog/log';
import { positionsAt, readEvents } from '@ladderlog/log';

import type { Command, Options } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../context.ts';
import { badArgument, flag, rangeOptions, textOption, timeOption } from '../flags.ts';
import { Output } from '../output.ts';
import { withRecording } from '../processes/open-log.ts';

type Cell = string | number | null;

type Action = (
  context: Context,
  log: EventLog,
  options: Options,
  topics: readonly string[],
) => Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = {
  async ls(context, log) {
    const infos = await log.topics();
    const rows = infos.map((info) => ({
      topic: info.topic,
      partitions: info.partitions.length,
      records: info.partitions.reduce((sum, { begin, end }) => sum + end - begin, 0),
    }));
    context.answer({ log: log.kind, topics: rows }, () => table(rows));
    return EXIT.ok;
  },

  async offsets(context, log, options, topics) {
    const infos = await chosen(log, topics);
    const group = textOption(options, 'group');
    const at = timeOption(options, 'at');
    const rows: Readonly<Record<string, Cell>>[] = [];
    for (const { topic, partitions } of infos) {
      const committed = group === undefined ? [] : await log.committed(group, topic);
      const starts = at === null ? [] : await log.offsetsAt(topic, at);
      for (const { partition, begin, end } of partitions)
        rows.push({
          topic,
          partition,
          begin,
          end,
          ...(at === null ? {} : { at: starts[partition] ?? end }),
          ...(group === undefined
            ? {}
            : {
                committed: committed[partition] ?? null,
                lag: end - (committed[partition] ?? begin),
              }),
        });
    }
    context.answer(rows, () => table(rows));
    return EXIT.ok;
  },

  cat: (context, log, options, places) => show(context, log, options, places, false),
  tail: (context, log, options, places) => show(context, log, options, places, true),
};

export const logCommand: Command = {
  name: 'log',
  summary: 'Shows what the log holds: ls, offsets, cat, tail.',
  examples: [
    'ladderlog log ls',
    'ladderlog log offsets venueb --at 2026-11-14T10:00:00Z',
    'ladderlog log offsets venueb --group my-reader --json',
    'ladderlog log cat venueb/1/42                        # one record and what follows, as JSON lines',
    'ladderlog log cat venuec --type GapOpened,GapClosed --from 2026-11-14T00:00:00Z',
    'ladderlog log cat venueb.frames --limit 3',
    'ladderlog log tail venuea --type BookObserved',
  ],
  arguments: {
    '<what>': 'ls, offsets, cat or tail.',
    '[places...]': 'Topics, topic/partition, or topic/partition/offset. Default: all topics.',
  },
  flags: [
    flag('--type <types>', 'Only these event types, separated by commas.'),
    flag('--market <id>', 'Only records under this key: a native market id, or a session of frames.'),
    flag('--from <time>', 'cat: from the first record at or after this time.'),
    flag('--to <time>', 'cat: only records before this time.'),
    flag('--limit <n>', 'cat, tail: so many events, then end.'),
    flag('--at <time>', 'offsets: also the first offset at or after this time.'),
    flag('--group <name>', 'offsets: also what this consumer group committed, and its lag.'),
  ],
  async run(context, options, [what = '', ...places]) {
    const action = Object.hasOwn(ACTIONS, what) ? ACTIONS[what]! : null;
    if (!action) throw badArgument(`'${what}' is not one of ${Object.keys(ACTIONS).join(', ')}`);
    return withRecording(context, (log) => action(context, log, options, places));
  },
};

async function chosen(log: EventLog, names: readonly string[]): Promise<TopicInfo[]> {
  const infos = await log.topics();
  if (names.length === 0) return infos;
  return names.map((name) => {
    const info = infos.find(({ topic }) => topic === name);
    if (!info) throw badArgument(`there is no topic '${name}'; there are ${TOPICS.join(', ')}`);
    return info;
  });
}

async function show(
  context: Context,
  log: EventLog,
  options: Options,
  places: readonly string[],
  follow: boolean,
): Promise<number> {
  const types = typesOf(textOption(options, 'type'));
  const market = textOption(options, 'market');
  const { from: since, to: end } = rangeOptions(options);
  const to = end ?? Infinity;
  let left = options['limit'] === undefined ? Infinity : Number(options['limit']);
  if (!(left > 0)) throw badArgument(`--limit is '${String(options['limit'])}'; it must be a number above 0`);
  const output = new Output(process.stdout);
  const signal = AbortSignal.any([context.signal, output.signal]);
  let unreadable = 0;
  const from = await startsOf(log, places, since, follow);
  const ranged = !follow && (since !== null || to !== Infinity);
  for await (const batch of readEvents(log, {
    from,
    follow,
    signal,
    ...(types ? { types } : {}),
    ...(ranged ? { times: { from: since ?? 0, to: Math.min(to, Number.MAX_SAFE_INTEGER) } } : {}),
  })) {
    let text = '';
    for (const item of batch) {
      if (left <= 0) break;
      if (market !== undefined && item.key !== market) continue;
      if (item.time >= to || (since !== null && item.time < since)) continue;
      if (item.error) unreadable++;
      text += `${lineOf(item)}\n`;
      left--;
    }
    if (text !== '') await output.write(text);
    if (left <= 0 || !output.isOpen) break;
  }
  // A tail without a limit is there to be interrupted.
  if (context.signal.aborted && !(follow && left === Infinity)) return EXIT.interrupted;
  return unreadable > 0 ? EXIT.different : EXIT.ok;
}

/** Offsets to begin at: as given, else by time, else the beginning (cat) or the end (tail). */
async function startsOf(
  log: EventLog,
  places: readonly string[],
  since: number | null,
  follow: boolean,
): Promise<Position[]> {
  const infos = await log.topics();
  const starts: Position[] = [];
  for (const place of places.length > 0 ? places : infos.map(({ topic }) => topic)) {
    const exact = parsePosition(place);
    if (exact) {
      starts.push(exact);
      continue;
    }
    const [topic = '', number] = place.split('/');
    const [info] = await chosen(log, [topic]);
    const wanted = info!.partitions.filter(
      ({ partition }) => number === undefined || String(partition) === number,
    );
    if (wanted.length === 0) throw badArgument(`${topic} has no partition '${number}'`);
    const byTime = since === null ? null : await positionsAt(log, [topic], since);
    for (const { partition, begin, end } of wanted)
      starts.push({
        topic,
        partition,
        offset: byTime?.find((one) => one.partition === partition)?.offset ?? (follow ? end : begin),
      });
  }
  return starts;
}

function typesOf(value: string | undefined): ReadonlySet<EventType> | null {
  if (value === undefined) return null;
  const names = value.split(',');
  for (const name of names)
    if (!(EVENT_TYPES as readonly string[]).includes(name))
      throw badArgument(`--type '${name}' is not one of ${EVENT_TYPES.join(', ')}`);
  return new Set(names as EventType[]);
}

export function lineOf(item: ReadEvent): string {
  const place = { position: formatPosition(item.position), key: item.key, time: toIso(item.time) };
  if (item.error)
    return JSON.stringify({ ...place, error: { code: item.error.code, message: item.error.message } });
  return JSON.stringify({ ...place, event: readable(item.event) });
}

/**
 * Bytes as text where they are text: the frames of all three venues are. Integers stay as they are stored. Fields that came
 * after version 0.1.0 are shown where they say something, so that what 0.1.0 recorded looks as it did.
 */
function readable(event: LadderEvent): Readonly<Record<string, unknown>> {
  if (event.type === 'CaptureBeat' && event.stampDelay === null) return without(event, 'stampDelay');
  if ('late' in event && event.late.length === 0) return without(event, 'late');
  if (!('body' in event)) return event;
  const { body, ...rest } = event;
  try {
    return { ...rest, body: new TextDecoder('utf-8', { fatal: true }).decode(body) };
  } catch {
    return { ...rest, body_base64: Buffer.from(body).toString('base64') };
  }
}

/** The type last, as in every other event. */
const without = (event: LadderEvent, field: string): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(event).filter(([name]) => name !== field && name !== 'type')),
  type: event.type,
});

/** Columns under their names, as wide as their longest cell. */
function table(records: readonly Readonly<Record<string, Cell>>[]): string {
  const rows = [
    Object.keys(records[0] ?? {}).map((name) => name.toUpperCase()),
    ...records.map((record) => Object.values(record).map((value) => String(value ?? '-'))),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
