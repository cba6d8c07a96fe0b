import { oldestAllowed, toIso } from '@ladderlog/core';
import { sendOne } from '../answers/answers.ts';
import type { Handler } from '../server/context.ts';

export const health: Handler = async (context) => {
  const checks = await context.parts.health();
  // Health answers also while the store does not.
  const generation = await context.parts.generation().catch(() => null);
  const failing = Object.values(checks).some((check) => check !== 'ok' && !isOk(check));
  context.response.setHeader('Cache-Control', 'no-store');
  sendOne(context, {
    status: failing ? 'degraded' : 'ok',
    version: context.parts.version,
    ...(generation === null ? {} : { generation }),
    checks,
  });
};

const isOk = (check: unknown): boolean =>
  typeof check === 'object' && check !== null && 'ok' in check && check.ok === true;

export const getOverview: Handler = async (context) => {
  const rows = await context.parts.overview();
  sendOne(
    context,
    rows.map((row) => ({
      venue: row.venue,
      asset: row.asset,
      window: row.window,
      dataset: row.dataset,
      available_since: toIso(row.since),
      available_until: toIso(row.until),
      markets: row.markets,
      provenances: row.provenances,
    })),
  );
};

export const whoami: Handler = async (context) => {
  const key = context.key!;
  const terms = context.parts.plans[key.plan];
  const oldest = oldestAllowed(key.plan, context.now, context.parts.plans);
  sendOne(context, {
    key_id: key.keyId,
    name: key.name,
    plan: key.plan,
    issued_at: toIso(key.issuedAt),
    venues: terms.venues,
    history_days: terms.historyDays,
    oldest_allowed: oldest === null ? null : toIso(oldest),
    rate_limits: terms.rates,
  });
};
