import { issueKey, listKeys, revokeKey } from '@ladderlog/api';
import type { EventLog } from '@ladderlog/log';

import type { Context } from '../context.ts';

/** Names of keys that Ladderlog issues to itself begin so; `keys issue` refuses them. */
export const RESERVED_NAMES = 'ladderlog:';
const DEMO = `${RESERVED_NAMES}demo`;

/**
 * A newcomer's key, issued afresh at each start, since only its hash is kept; the one before is revoked. Not once the
 * operator has keys of their own, unless the venues are simulated.
 */
export async function demoKey({ config }: Context, log: EventLog): Promise<string | null> {
  const active = (await listKeys(log)).filter(({ revokedAt }) => revokedAt === null);
  const demos = active.filter(({ name }) => name === DEMO);
  const clock = (): number => Date.now() * 1_000;
  for (const { keyId } of demos) await revokeKey(log, clock, { keyId, reason: 'replaced at start' });
  if (config.venues.mode !== 'simulated' && active.length > demos.length) return null;
  return (await issueKey(log, clock, { name: DEMO, plan: 'desk' })).key;
}
