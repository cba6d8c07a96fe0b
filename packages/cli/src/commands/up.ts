// ladderlog up: the whole product in one process.

import type { Define } from '../program.ts';
import { startUp } from '../up.ts';
import type { Up } from '../up.ts';

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
        .option('--venues <which>', 'simulated, live, none, or a list of live venues such as venueb,venuec.')
        .option('--live', 'The real venues: the same as --venues live.')
        .option('--sql-port <port>', 'ClickHouse HTTP over the embedded store, read-only, on loopback.')
        .option('--metrics-port <port>', 'Prometheus metrics, liveness and readiness.'),
    async (context, options) => {
      const up = await startUp(
        options['live'] === true
          ? {
              ...context,
              config: { ...context.config, venues: { mode: 'live', venues: ['venuea', 'venueb', 'venuec'] } },
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
      : '  venues       live',
  );
  for (const reason of up.left) lines.push(`               left out, ${reason}`);
  lines.push(
    '',
    '  Try it (wait a few seconds for the first books):',
    '',
    `  export KEY=${key}`,
    `  curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/btc/markets?limit=3"`,
    `  MARKET=$(curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/venuea-prediction/markets?coin=BTC&status=open&limit=1" | sed -E 's/.*"market_id":"([^"]+)".*/\\1/')`,
    `  curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/venuea-prediction/$MARKET/orderbook/latest"`,
    `  TICKER=$(curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/venueb/markets?series=KXBTC15M&limit=1" | sed -E 's/.*"market_ticker":"([^"]+)".*/\\1/')`,
    `  curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/venueb/$TICKER/snapshots?include_orderbook=true&limit=2"`,
    `  curl -s -H "Authorization: Bearer $KEY" "${up.url}/v3/gaps?venue=venuec&limit=5"`,
    `  curl -s "${up.url}/v3/overview"`,
    '',
    '  Ctrl-C ends it; the data stays.',
    '',
  );
  return lines.join('\n');
}
