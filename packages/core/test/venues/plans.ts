// Runs what a venue's plan asks for against answers that a test makes up.

import type { Answer, BackfillWalk, CollectPlan, Primitives, Requests } from '../../src/capture/collect.ts';
import { DEFAULT_TIMING } from '../../src/capture/collect.ts';
import type { Finding, MarketFields } from '../../src/capture/finding.ts';
import { UNKNOWN_MARKET } from '../../src/events/market-fields.ts';
import { defaultValues } from '../../src/kernel/settings.ts';
import type { VenueAdapter } from '../../src/venues/adapter.ts';

const PRIMITIVES: Primitives = {
  wallMs: () => 1_794_700_800_000,
  randomHex: (bytes) => 'ab'.repeat(bytes),
  hmacSha256Hex: (secret, text) => `hmac(${secret},${text.length})`,
  rsaPssSha256Base64: (key, text) => `rsa(${key},${text})`,
};

export function planOf(
  { settings, collect }: VenueAdapter,
  values: Record<string, unknown> = {},
): CollectPlan {
  const plan = collect.plan({ ...defaultValues(settings), ...values }, DEFAULT_TIMING, PRIMITIVES);
  if ('missing' in plan) throw new Error(`missing ${plan.missing.join()}`);
  return plan;
}

export const answered = (findings: readonly Finding[] = [], body: unknown = {}): Answer => ({
  ok: true,
  findings,
  text: JSON.stringify(body),
});

export const marketFinding = (market: string, fields: Partial<MarketFields>): Finding => ({
  type: 'market',
  market,
  sourceTs: null,
  fields: { ...UNKNOWN_MARKET, ...fields },
});

/** The paths that were asked for, in order. */
export function ask(requests: Requests, answer: (path: string) => Answer = () => answered()): string[] {
  const asked: string[] = [];
  for (let next = requests.next(); !next.done; next = requests.next(answer(next.value.path)))
    asked.push(next.value.path);
  return asked;
}

export function walked(
  walk: BackfillWalk,
  answer: (path: string) => Answer = () => answered(),
): { readonly path: string; readonly resume: string; readonly isDetail: boolean }[] {
  const steps: { path: string; resume: string; isDetail: boolean }[] = [];
  let next = walk.next();
  while (!next.done) {
    const { request, resume, isDetail = false } = next.value;
    steps.push({ path: request.path, resume, isDetail });
    const page = answer(request.path);
    next = walk.next(page.ok ? page : { findings: [], text: '' });
  }
  return steps;
}
