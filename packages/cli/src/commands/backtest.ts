// ladderlog backtest: a strategy module on a recorded range.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { FeeModel, Micro, Strategy } from '@ladderlog/core';
import { parseDecimal, reportJson, reportText } from '@ladderlog/core';
import { reportHtml, runBacktest } from '@ladderlog/replay';

import type { Command, Options } from '../command.ts';
import {
  FROM,
  TO,
  VENUE,
  badArgument,
  flag,
  listOption,
  numberOption,
  rangeOptions,
  repeated,
  textOption,
  venueOption,
  wordOption,
} from '../flags.ts';
import { withRecording } from '../processes/open-log.ts';
import { withProgress } from '../progress.ts';
import { VERSION } from '../version.ts';

export const backtest: Command = {
  name: 'backtest',
  summary: 'Runs a strategy over recorded books; fills only on recorded depth, never in a gap.',
  examples: [
    'ladderlog backtest packages/replay/examples/buy-below.ts --venue venuec --asset btc --from 2026-11-15T00:00:00Z --to 2026-11-15T01:00:00Z --param price=0.30',
    'ladderlog backtest my.ts --venue venueb --market KXBTC15M-26NOV150015-15 --from 2026-11-15T05:00:00Z --to 2026-11-15T05:15:00Z --latency-ms 400 --report-html out.html',
  ],
  arguments: { '<strategy>': 'A module whose default export is a strategy (see docs/backtest.md).' },
  flags: [
    VENUE,
    flag(
      '--market <id>',
      'Native market id; may be repeated. Without, every market of the venue with books in the range.',
      repeated,
    ),
    flag('--asset <asset>', 'Only markets of this asset.'),
    flag('--window <window>', 'Only markets of this window, e.g. 5m.'),
    { ...FROM, required: true },
    { ...TO, required: true },
    flag('--latency-ms <ms>', 'Time from sending an order to its arrival.', { default: '250' }),
    flag('--jitter-ms <ms>', 'Up to so much more, by the seed.', { default: '0' }),
    flag('--max-book-age-ms <ms>', 'No fill on an older observation.', { default: '60000' }),
    flag('--cash <amount>', 'Cash at the beginning.', { default: '1000' }),
    flag('--seed <n>', 'Decides all chance of the run.', { default: '1' }),
    flag('--void <rule>', 'refund or split: what a void market pays.', { default: 'refund' }),
    flag(
      '--fee <rule>',
      'none, bps=<n>[,maker=<n>] or variance=<rate>[,maker=<rate>][,step=<amount>]; default: of the venue.',
    ),
    flag('--param <name=value>', 'A parameter of the strategy; may be repeated.', {
      join: (pair, before) => [...(before ?? []), pair],
    }),
    flag('--report-html <file>', 'Also writes the report as one self-contained page.'),
    flag('--report-json <file>', 'Also writes the whole report as JSON.'),
  ],
  async run(context, options, [file = '']) {
    const asked = questionOf(options);
    const { strategy, sha256 } = await loadStrategy(file);
    await withRecording(context, async (log) => {
      const { report, result } = await withProgress('backtest', (update) =>
        runBacktest({
          log,
          strategy,
          ...asked,
          versions: { ladderlog: VERSION, strategySha256: sha256 },
          signal: context.signal,
          onProgress: ({ done, total }) => update(done, total),
        }),
      );
      if (options['reportHtml']) writeFileSync(options['reportHtml'] as string, reportHtml(report));
      if (options['reportJson']) writeFileSync(options['reportJson'] as string, reportJson(report));
      context.print(context.json ? reportJson(report).trimEnd() : reportText(report, result));
    });
  },
};

function questionOf(options: Options) {
  const { from, to } = rangeOptions(options);
  const markets = listOption(options, 'market');
  const asset = textOption(options, 'asset');
  const window = textOption(options, 'window');
  const fee = textOption(options, 'fee');
  return {
    venue: venueOption(options),
    ...(markets ? { markets } : {}),
    ...(asset ? { asset } : {}),
    ...(window ? { window } : {}),
    // Both are required.
    from: from!,
    to: to!,
    latencyMs: numberOption(options, 'latencyMs'),
    jitterMs: numberOption(options, 'jitterMs'),
    maxBookAgeMs: numberOption(options, 'maxBookAgeMs'),
    cash: amount('--cash', options['cash'] as string),
    seed: numberOption(options, 'seed'),
    voidRule: wordOption('void', options['void'], ['refund', 'split'] as const),
    ...(fee ? { fees: feeOption(fee) } : {}),
    params: paramsOption(listOption(options, 'param')),
  };
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
