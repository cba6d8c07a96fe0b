// The report of a backtest for a terminal.

import type { Micro } from '../kernel/decimal.ts';
import { formatMicro } from '../kernel/decimal.ts';
import type { BacktestReport } from './report.ts';
import type { EngineResult } from './run.ts';

/** The result, then what it rests on. */
export function reportText(report: BacktestReport, result: EngineResult, listed = 20): string {
  const { inputs, quality, result: sums, log } = report;
  const ends = Object.entries(sums.order_ends).map(([end, count]) => `${end} ${count}`);
  const offsets = log.positions.map(({ partition, first, last }) => `${partition}/${first}..${last}`);
  return [
    `strategy   ${report.versions.strategy}   seed ${inputs.seed}   latency ${inputs.latency_ms} ms`,
    `range      ${inputs.from} to ${inputs.to}, ${inputs.markets.length} market${inputs.markets.length === 1 ? '' : 's'}, ${log.books} books of ${log.events} events`,
    '',
    ...columns([
      ['equity', formatMicro(result.equity, '2')],
      ['profit', signed(result.equity - (result.curve[0]?.value ?? 0))],
      ['fees', formatMicro(result.fees, '2')],
      ['max drawdown', formatMicro(result.maxDrawdown, '2')],
      ['orders', String(sums.orders)],
      ['fills', String(sums.fills)],
    ]),
    '',
    `order ends ${ends.join(', ') || 'none'}`,
    `coverage   ${percent(quality.covered_ratio)} of the range; ${quality.gaps.length} gaps, ${quality.gaps_crossed.length} crossed with a position or a resting order`,
    `positions  ${offsets.join('  ') || 'none'}`,
    ...(log.unreadable > 0 ? [`unreadable ${log.unreadable} records of the log`] : []),
    ...section('fills', fillRows(report.fills.slice(0, listed))),
    ...(report.fills.length > listed ? [`  … and ${report.fills.length - listed} more`] : []),
    ...section('settlements', settlementRows(report.settlements)),
    ...section('open at the end, worth the last recorded bid', openRows(report.open_positions)),
    '',
    'not modelled',
    ...quality.not_modelled.map((line) => `  ${line}`),
  ].join('\n');
}

type Rows = readonly (readonly string[])[];

const fillRows = (fills: BacktestReport['fills']): Rows =>
  fills.map((fill) => [
    fill.time,
    short(fill.market_id),
    short(fill.outcome_id),
    `${fill.side} ${fill.liquidity}`,
    `${fill.size} @ ${fill.price}`,
    `fee ${fill.fee}`,
    fill.book,
  ]);

const settlementRows = (settlements: BacktestReport['settlements']): Rows =>
  settlements.map((one) => [
    one.time,
    short(one.market_id),
    short(one.outcome_id),
    `${one.size} × ${one.payout ?? 'refund'}`,
    String(one.amount),
    one.after_range ? `${one.rule}, after the range` : one.rule,
  ]);

const openRows = (positions: BacktestReport['open_positions']): Rows =>
  positions.map((one) => [
    short(one.market_id),
    short(one.outcome_id),
    String(one.size),
    `cost ${one.cost}`,
    `mark ${one.mark ?? '-'}`,
  ]);

const percent = (part: number | null): string => (part === null ? '-' : `${(part * 100).toFixed(2)} %`);
const signed = (value: Micro): string => `${value < 0 ? '' : '+'}${formatMicro(value, '2')}`;
const short = (id: string): string => (id.length > 24 ? `${id.slice(0, 10)}…${id.slice(-6)}` : id);

const columns = (pairs: readonly (readonly [string, string])[]): string[] =>
  pairs.map(([name, value]) => `  ${name.padEnd(14)}${value.padStart(16)}`);

/** A title and aligned rows; nothing where there are none. */
function section(title: string, rows: Rows): string[] {
  if (rows.length === 0) return [];
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd(),
  );
  return ['', title, ...lines];
}
