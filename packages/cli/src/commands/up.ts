// ladderlog up: the whole product in one process.

import { VENUES, VENUE_ADAPTERS } from '@ladderlog/core';

import type { Define } from '../program.ts';
import { startUp } from '../processes/up.ts';
import type { Up } from '../processes/up.ts';

export function registerUp(define: Define): void {
  define(
    'up',
    'Runs everything in one process: venues, log, tables, API, live feed.',
    [
      'ladderlog up',
      'ladderlog up --live --port 9000',
      'ladderlog up --venues none --sql-port 8123   # serve and query what is recorded',
    ],
    (command) =>
      command
        .option('--port <port>', 'Port of the API and the feed; 0 picks a free one.')
        .option('--host <address>', 'Address to listen on.')
        .option(
          '--venues <which>',
          `simulated, live, none, or a list of live venues such as ${VENUES.slice(1, 3).join(',')}.`,
        )
        .option('--live', 'The real venues: the same as --venues live.')
        .option('--sql-port <port>', 'ClickHouse HTTP over the embedded store, read-only, on loopback.')
        .option('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.'),
    async (context, options) => {
      const up = await startUp(
        options['live'] === true
          ? {
              ...context,
              config: { ...context.config, venues: { mode: 'live', venues: VENUES } },
            }
          : context,
      );
      context.print(context.json ? JSON.stringify({ event: 'ready', ...up, done: undefined }) : welcome(up));
      await up.done;
      if (!context.json) context.print('ladderlog ended cleanly; everything received is in the log.');
    },
  );
}

function welcome(up: Up): string {
  const key = up.demoKey ?? '<your key: ladderlog keys issue --plan desk --name me>';
  const lines = [
    '',
    `  Ladderlog is up at ${up.url}`,
    '',
    `  API          ${up.url}/v3        reference: ${up.url}/docs`,
    `  live feed    ${up.url.replace('http', 'ws')}/v3/stream`,
    `  data         ${up.directory}`,
  ];
  if (up.sqlUrl !== null) lines.push(`  SQL          ${up.sqlUrl}   (ClickHouse HTTP, read-only)`);
  if (up.metricsPort !== null) lines.push(`  metrics      port ${up.metricsPort}: /metrics /live /ready`);
  lines.push(
    up.simulated
      ? '  venues       SIMULATED: made-up markets on this machine. --live records the real ones.'
      : `  venues       ${up.venues.length > 0 ? `live: ${up.venues.join(', ')}` : 'none: nothing is recorded, what is there is served'}`,
  );
  for (const reason of up.left) lines.push(`               left out, ${reason}`);
  lines.push('', '  Try it:', '', `  export KEY=${key}`, ...tour(up).map((line) => `  ${line}`), '');
  lines.push('  Ctrl-C ends it; the data stays.', '');
  return lines.join('\n');
}

/** Lines for a shell that work when pasted, for the venues that are recorded; a test runs each. */
export function tour({ url, venues }: Pick<Up, 'url' | 'venues'>): string[] {
  const get = (path: string): string => `curl -s -H "Authorization: Bearer $KEY" "${url}/v3/${path}"`;
  const first = (name: string, path: string): string =>
    `${name}=$(${get(path)} | grep -o '"market_id":"[^"]*"' | head -1 | cut -d'"' -f4)`;
  const now = (path: string): string => path.replace('{now}', 'start_time=$NOW&end_time=$NOW');
  const lines = [];
  if (venues.length > 0) lines.push('NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ)');
  // The venues that every plan may read come last in the registry, and first here.
  for (const { venue, routes } of VENUE_ADAPTERS.toReversed())
    if (venues.includes(venue))
      for (const step of routes.tour)
        lines.push(typeof step === 'string' ? get(now(step)) : first(step.variable, now(step.path)));
  for (const venue of venues.slice(0, 1)) lines.push(get(`gaps?venue=${venue}&limit=5`));
  lines.push(`curl -s "${url}/v3/overview"`);
  return lines;
}
