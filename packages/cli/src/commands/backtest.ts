// ladderlog backtest: a strategy module on a recorded range.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { FeeModel, Micro, Strategy } from '@ladderlog/core';
import { parseDecimal, reportJson, reportText } from '@ladderlog/core';
import { reportHtml, runBacktest } from '@ladderlog/replay';

import type { Define } from '../program.ts';
import { createProgress } from '../progress.ts';
import {
  badArgument,
  numberOption,
  openRecording,
  rangeOptions,
  repeated,
  venueOption,
} from '../processes/recording.ts';
import { VERSION } from '../version.ts';
import { ONE_VENUE } from '../venue-texts.ts';

export function registerBacktest(define: Define): void {
  define(
    'backtest',
    'Runs a strategy over recorded books; fills only on recorded depth, never in a gap.',
    [
      'ladderlog backtest packages/replay/examples/buy-below.ts --venue venuec --asset btc --from 2026-11-15T00:00:00Z --to 2026-11-15T01:00:00Z --param price=0.30',
      'ladderlog backtest my.ts --venue venueb --market KXBTC15M-26NOV150015-15 --from 2026-11-15T05:00:00Z --to 2026-11-15T05:15:00Z --latency-ms 400 --report-html out.html',
    ],
    (command) =>
      command
        .argument('<strategy>', 'A module whose default export is a strategy (see docs/backtest.md).')
        .requiredOption('--venue <venue>', `${ONE_VENUE}.`)
        .option(
          '--market <id>',
          'Native market id; may be repeated. Without, every market of the venue with books in the range.',
          repeated,
        )
        .option('--asset <asset>', 'Only markets of this asset.')
        .option('--window <window>', 'Only markets of this window, e.g. 5m.')
        .requiredOption('--from <time>', 'From, inclusive (ISO 8601 or epoch milliseconds).')
        .requiredOption('--to <time>', 'To, exclusive.')
        .option('--latency-ms <ms>', 'Time from sending an order to its arrival.', '250')
        .option('--jitter-ms <ms>', 'Up to so much more, by the seed.', '0')
        .option('--max-book-age-ms <ms>', 'No fill on an older observation.', '60000')
        .option('--cash <amount>', 'Cash at the beginning.', '1000')
        .option('--seed <n>', 'Decides all chance of the run.', '1')
        .option('--void <rule>', 'refund or split: what a void market pays.', 'refund')
        .option(
          '--fee <rule>',
          'none, bps=<n>[,maker=<n>] or variance=<rate>[,maker=<rate>][,step=<amount>]; default: of the venue.',
        )
        .option(
          '--param <name=value>',
          'A parameter of the strategy; may be repeated.',
          (pair: string, before: readonly string[] | undefined) => [...(before ?? []), pair],
        )
        .option('--report-html <file>', 'Also writes the report as one self-contained page.')
        .option('--report-json <file>', 'Also writes the whole report as JSON.'),
    async (context, options, [file = '']) => {
      const venue = venueOption('--venue', options['venue']);
      const { from, to } = rangeOptions(options);
      const { strategy, sha256 } = await loadStrategy(file);
      const log = await openRecording(context);
      const progress = createProgress('backtest');
      try {
        const { report, result } = await runBacktest({
          log,
          strategy,
          venue,
          ...(options['market'] ? { markets: options['market'] as string[] } : {}),
          ...(options['asset'] ? { asset: options['asset'] as string } : {}),
          ...(options['window'] ? { window: options['window'] as string } : {}),
          // Both are required.
          from: from!,
          to: to!,
          latencyMs: numberOption(options, 'latencyMs'),
          jitterMs: numberOption(options, 'jitterMs'),
          maxBookAgeMs: numberOption(options, 'maxBookAgeMs'),
          cash: amount('--cash', options['cash'] as string),
          seed: numberOption(options, 'seed'),
          voidRule: voidRule(options['void']),
          ...(options['fee'] ? { fees: feeOption(options['fee'] as string) } : {}),
          params: paramsOption(options['param'] as string[] | undefined),
          versions: { ladderlog: VERSION, strategySha256: sha256 },
          signal: context.signal,
          onProgress: ({ done, total }) => progress.update(done, total),
        }).finally(() => progress.end());
        if (options['reportHtml']) writeFileSync(options['reportHtml'] as string, reportHtml(report));
        if (options['reportJson']) writeFileSync(options['reportJson'] as string, reportJson(report));
        context.print(context.json ? reportJson(report).trimEnd() : reportText(report, result));
      } finally {
        await log.close();
      }
    },
  );
}

async function loadStrategy(file: string): Promise<{ strategy: Strategy; sha256: string }> {
  const path = resolve(file);
  if (!existsSync(path)) throw badArgument(`no strategy at ${file}`);
  const loaded = (await import(pathToFileURL(path).href)) as { default?: Partial<Strategy> };
  const strategy = loaded.default;
  if (typeof strategy !== 'object' || strategy === null || typeof strategy.name !== 'string')
    throw badArgument(`the default export of ${file} must be a strategy: {name, onBook, …}`);
  return {
    strategy: strategy as Strategy,
    sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
  };
}

function amount(name: string, text: string): Micro {
  const parsed = parseDecimal(text);
  if (!parsed || parsed.value < 0)
    throw badArgument(`${name} is '${text}'; it must be a decimal of at least 0`);
  return parsed.value;
}

function voidRule(value: unknown): 'refund' | 'split' {
  if (value !== 'refund' && value !== 'split')
    throw badArgument(`--void is '${String(value)}'; it must be refund or split`);
  return value;
}

function paramsOption(pairs: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw badArgument(`--param is '${pair}'; it must be name=value`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function feeOption(text: string): FeeModel {
  if (text === 'none') return { kind: 'none' };
  const parts = new Map(text.split(',').map((part) => part.split('=', 2) as [string, string]));
  const value = (name: string, otherwise: string): Micro => amount('--fee', parts.get(name) ?? otherwise);
  if (parts.has('bps')) {
    const bps = value('bps', '0') / 1e6;
    const makerBps = value('maker', '0') / 1e6;
    if (!Number.isInteger(bps) || !Number.isInteger(makerBps))
      throw badArgument(`--fee is '${text}'; its bps must be whole numbers`);
    return { kind: 'notional', bps, makerBps, market: false };
  }
  if (!parts.has('variance')) throw badArgument(`--fee is '${text}'; it must be none, bps=… or variance=…`);
  const step = value('step', '0.01');
  if (step === 0) throw badArgument(`--fee is '${text}'; its step must be above 0`);
  return { kind: 'variance', rate: value('variance', '0'), makerRate: value('maker', '0'), step };
}
