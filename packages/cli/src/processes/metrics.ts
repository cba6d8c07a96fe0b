// Prometheus metrics with stable, documented names (docs/operations.md).

import type { Collecting } from '@ladderlog/collectors';
import type { LadderEvent } from '@ladderlog/core';
import type { ProjectorObserver, ProjectorStatus } from '@ladderlog/projector';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export type Metrics = {
  readonly registry: Registry;
  appended(events: readonly LadderEvent[], tookMs: number): void;
  queried(name: string, tookMs: number): void;
  watchCollectors(status: () => ReturnType<Collecting['status']>): void;
  watchProjector(status: () => ProjectorStatus | null): void;
  readonly projectorObserver: ProjectorObserver;
};

/** `process`: which of the processes of an `up` it is; what each has of its own is told apart by it. */
export function createMetrics(process?: string): Metrics {
  const registry = new Registry();
  const labels = process === undefined ? {} : { labels: { process } };
  collectDefaultMetrics({
    register: registry,
    prefix: 'ladderlog_',
    // A timer in every process: at the default of 10 ms it alone takes 4 ms of processor time a second.
    eventLoopMonitoringPrecision: 200,
    ...labels,
  });
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers });
  // Made with their first use: a process that does not do the work has no series of it, which would be there twice.
  const appended = once(() => countAppended(registers, counter));
  const projected = once(() => countProjected(counter));
  const queried = once(() => timeQueries(registers));
  return {
    registry,
    appended: (events, tookMs) => appended()(events, tookMs),
    queried: (query, tookMs) => queried()(query, tookMs),
    watchCollectors(status) {
      appended();
      watchCollectors(registers, status);
    },
    watchProjector(status) {
      projected();
      const lag: Gauge = new Gauge({
        name: 'ladderlog_projector_lag_events',
        help: 'Events in the log that are not in the tables.',
        registers,
        collect: () => lag.set(status()?.lag ?? 0),
      });
    },
    projectorObserver: {
      onRange: (range) => projected().onRange?.(range),
      onRetry: (retry) => projected().onRetry?.(retry),
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function countProjected(counter: CounterOf): ProjectorObserver {
  const retries = counter(
    'ladderlog_projector_retries_total',
    'Failed steps that were tried again.',
    'step',
    'code',
  );
  const projected = counter('ladderlog_projector_rows_total', 'Rows inserted.', 'table');
  return {
    onRange: ({ rows }) => {
      for (const [table, count] of Object.entries(rows)) projected.inc({ table }, count);
    },
    onRetry: ({ step, code }) => retries.inc({ step, code }),
  };
}

function timeQueries(registers: Registry[]): Metrics['queried'] {
  const queries = new Histogram({
    name: 'ladderlog_store_query_seconds',
    help: 'One statement of the store, its wait for a turn included.',
    labelNames: ['query'] as const,
    buckets: [...SECONDS, 10],
    registers,
  });
  return (query, tookMs) => queries.observe({ query }, tookMs / 1_000);
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

type CounterOf = <L extends string>(name: string, help: string, ...labelNames: L[]) => Counter<L>;

function countAppended(registers: Registry[], counter: CounterOf): Metrics['appended'] {
  const frames = counter('ladderlog_frames_total', 'Frames on the tape.', 'venue');
  const observations = counter('ladderlog_observations_total', 'Books observed.', 'venue');
  const rejects = counter('ladderlog_rejects_total', 'Frames no normalizer understood.', 'venue', 'reason');
  const gaps = counter('ladderlog_gaps_total', 'Gaps opened.', 'venue', 'cause');
  const append = new Histogram({
    name: 'ladderlog_log_append_seconds',
    help: 'One durable append of a batch.',
    buckets: SECONDS,
    registers,
  });
  return (events, tookMs) => {
    append.observe(tookMs / 1_000);
    for (const event of events) {
      if (event.type === 'FrameCaptured') frames.inc({ venue: event.venue });
      else if (event.type === 'BookObserved') observations.inc({ venue: event.venue });
      else if (event.type === 'FrameRejected') rejects.inc({ venue: event.venue, reason: event.reason });
      else if (event.type === 'GapOpened') gaps.inc({ venue: event.venue, cause: event.cause });
    }
  };
}

type CollectorStatus = ReturnType<Collecting['status']>;

function watchCollectors(registers: Registry[], status: () => CollectorStatus): void {
  const gaugeByVenue = (
    name: string,
    help: string,
    value: (venue: CollectorStatus['venues'][number]) => number,
  ): void => {
    const gauge: Gauge<'venue'> = new Gauge({
      name,
      help,
      labelNames: ['venue'] as const,
      registers,
      collect: () => status().venues.forEach((one) => gauge.set({ venue: one.venue }, value(one))),
    });
  };
  gaugeByVenue('ladderlog_gaps_open', 'Books in a gap now.', ({ gapsOpen }) => gapsOpen);
  gaugeByVenue('ladderlog_books_watched', 'Books watched now.', ({ books }) => books);
  gaugeByVenue('ladderlog_beat_age_seconds', 'Since the newest beat.', ({ beatAt }) =>
    beatAt === null ? -1 : Date.now() / 1_000 - beatAt / 1e6,
  );
  const waiting: Gauge = new Gauge({
    name: 'ladderlog_outbox_events',
    help: 'Events waiting for the log.',
    registers,
    collect: () => waiting.set(status().outbox.size),
  });
  watchStamps(registers, status);
}

function watchStamps(registers: Registry[], status: () => CollectorStatus): void {
  const ages: Gauge<'venue'> = new Gauge({
    name: 'ladderlog_message_age_seconds',
    help: 'How old messages are when they are received, by the times of the venue; median of the newest minute.',
    labelNames: ['venue'] as const,
    registers,
    collect() {
      ages.reset();
      for (const { venue, messageAgeMs } of status().venues)
        if (messageAgeMs !== null) ages.set({ venue }, messageAgeMs / 1_000);
    },
  });
  const delay: Gauge = new Gauge({
    name: 'ladderlog_stamp_delay_seconds',
    help: 'The largest delay of a stamp in the last ten to twenty seconds.',
    registers,
    collect: () => delay.set(status().stamps.delayMs / 1_000),
  });
  const totals = [
    ['ladderlog_stalls_total', 'How often the recorder was held up.', 'stalls'],
    ['ladderlog_late_frames_total', 'Frames that came too late to be observations.', 'lateFrames'],
  ] as const;
  for (const [name, help, of] of totals) {
    const counter: Counter = new Counter({
      name,
      help,
      registers,
      collect() {
        counter.reset();
        counter.inc(status().stamps[of]);
      },
    });
  }
}
