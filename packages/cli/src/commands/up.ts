// ladderlog up: the whole product with one command.

import { VENUES, VENUE_ADAPTERS } from '@ladderlog/core';

import type { Command } from '../command.ts';
import { HOST, METRICS_PORT, flag } from '../flags.ts';
import { asLive } from '../processes/live.ts';
import type { Up } from '../processes/up.ts';
import { startUp } from '../processes/up.ts';

export const up: Command = {
  name: 'up',
  summary: 'Runs everything: recorder, log, tables, API, live feed, each in a process of its own.',
  examples: [
    'ladderlog up',
    'ladderlog up --live --port 9000',
    'ladderlog up --venues none --sql-port 8123   # serve and query what is recorded',
  ],
  flags: [
    flag('--port <port>', 'Port of the API and the feed; 0 picks a free one.'),
    HOST,
    flag(
      '--venues <which>',
      `simulated, live, none, or a list of live venues such as ${VENUES.slice(1, 3).join(',')}.`,
    ),
    flag('--live', 'The real venues: the same as --venues live.'),
    flag('--sql-port <port>', 'ClickHouse HTTP over the embedded store, read-only, on loopback.'),
    METRICS_PORT,
  ],
  async run(context, options) {
    const { done, ...facts } = await startUp(asLive(context, options), options);
    context.answer({ event: 'ready', ...facts }, () => welcome(facts));
    await done;
    if (!context.json) context.print('ladderlog ended cleanly; everything received is in the log.');
  },
};

type Facts = Omit<Up, 'done'>;

function welcome(facts: Facts): string {
  const { url, venues, sqlUrl, metricsPort } = facts;
  const key = facts.demoKey ?? '<your key: ladderlog keys issue --plan desk --name me>';
  const recorded = facts.simulated
    ? 'SIMULATED: made-up markets on this machine. --live records the real ones.'
    : venues.length > 0
      ? `live: ${venues.join(', ')}`
      : 'none: nothing is recorded, what is there is served';
  return [
    '',
    `  Ladderlog is up at ${url}`,
    '',
    `  API          ${url}/v3        reference: ${url}/docs`,
    `  live feed    ${url.replace('http', 'ws')}/v3/stream`,
    `  data         ${facts.directory}`,
    ...(sqlUrl === null ? [] : [`  SQL          ${sqlUrl}   (ClickHouse HTTP, read-only)`]),
    ...(metricsPort === null ? [] : [`  metrics      port ${metricsPort}: /metrics /live /ready`]),
    `  venues       ${recorded}`,
    ...facts.left.map((reason) => `               left out, ${reason}`),
    '',
    '  Try it:',
    '',
    `  export KEY=${key}`,
    ...tour(facts).map((line) => `  ${line}`),
    '',
    '  Ctrl-C ends it; the data stays.',
    '',
  ].join('\n');
}

/** Lines for a shell that work when pasted, for the venues that are recorded; a test runs each. */
function tour({ url, venues }: Facts): string[] {
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
