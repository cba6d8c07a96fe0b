// ladderlog keys issue | list | revoke | rotate: events in the control topic, so every API instance learns of them at once.

import type { IssuedKey } from '@ladderlog/api';
import { issueKey, listKeys, revokeKey, rotateKey } from '@ladderlog/api';
import { LadderlogError, PLANS, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import type { Context } from '../context.ts';
import { openDataDirectory } from '../data/data-directory.ts';
import type { Define } from '../program.ts';
import { openLog } from '../processes/runtime.ts';

/** Names that begin so are of keys that Ladderlog issues to itself. */
export const RESERVED = 'ladderlog:';

const clock = (): number => Date.now() * 1_000;

export function registerKeys(define: Define): void {
  define(
    'keys',
    'Issues, lists, revokes and rotates API keys. A key is shown once; only its hash is kept.',
    [
      'ladderlog keys issue --plan quant --name research',
      'ladderlog keys list',
      'ladderlog keys revoke k1a2b3c4d5e6 --reason lost',
      'ladderlog keys rotate k1a2b3c4d5e6',
    ],
    (command) =>
      command
        .argument('<action>', 'issue, list, revoke or rotate')
        .argument('[id]', 'Key id, for revoke and rotate.')
        .option('--plan <plan>', `One of ${PLANS.join(', ')}.`)
        .option('--name <name>', 'Whose key it is.')
        .option('--reason <reason>', 'Why it is revoked.', 'revoked by the operator'),
    async (context, options, [action, id]) => {
      const log = await openLog(context, openDataDirectory(context.config.data, context.logger));
      try {
        await act(context, log, options, action ?? '', id);
      } finally {
        await log.close();
      }
    },
  );
}

async function act(
  context: Context,
  log: EventLog,
  options: Readonly<Record<string, unknown>>,
  action: string,
  id: string | undefined,
): Promise<void> {
  switch (action) {
    case 'issue': {
      const plan = PLANS.find((name) => name === options['plan']);
      if (!plan)
        throw new LadderlogError(
          'BAD_ARGUMENT',
          `--plan is ${JSON.stringify(options['plan'] ?? '')}; it must be one of ${PLANS.join(', ')}`,
        );
      const name = options['name'];
      if (typeof name !== 'string' || name.trim() === '' || name.length > 100)
        throw new LadderlogError(
          'BAD_ARGUMENT',
          '--name is missing; say whose key it is, in at most 100 characters',
        );
      if (name.startsWith(RESERVED))
        throw new LadderlogError('BAD_ARGUMENT', `--name must not begin with ${RESERVED}`);
      show(context, await issueKey(log, clock, { plan, name }));
      return;
    }
    case 'rotate':
      show(context, await rotateKey(log, clock, { keyId: need(id, action) }));
      return;
    case 'revoke': {
      const key = await revokeKey(log, clock, { keyId: need(id, action), reason: String(options['reason']) });
      context.print(
        context.json
          ? JSON.stringify({ key_id: key.keyId, revoked: true })
          : `${key.keyId} (${key.name}) is revoked`,
      );
      return;
    }
    case 'list': {
      const keys = await listKeys(log);
      if (context.json) {
        context.print(
          JSON.stringify(
            keys.map(({ keyId, name, plan, issuedAt, revokedAt }) => ({
              key_id: keyId,
              name,
              plan,
              issued_at: toIso(issuedAt),
              revoked_at: revokedAt === null ? null : toIso(revokedAt),
            })),
          ),
        );
        return;
      }
      if (keys.length === 0)
        context.print("no keys yet; 'ladderlog keys issue --plan quant --name research' makes one");
      for (const { keyId, name, plan, issuedAt, revokedAt } of keys)
        context.print(
          `${keyId}  ${plan.padEnd(8)}  ${toIso(issuedAt)}  ${revokedAt === null ? 'active ' : 'revoked'}  ${name}`,
        );
      return;
    }
    default:
      throw new LadderlogError(
        'BAD_ARGUMENT',
        `'${action}' is not an action; use issue, list, revoke or rotate`,
      );
  }
}

function need(id: string | undefined, action: string): string {
  if (id === undefined)
    throw new LadderlogError(
      'BAD_ARGUMENT',
      `which key? ladderlog keys ${action} <id>; 'ladderlog keys list' shows the ids`,
    );
  return id;
}

function show(context: Context, { key, keyId, plan, name }: IssuedKey): void {
  if (context.json) context.print(JSON.stringify({ key_id: keyId, key, plan, name }));
  else
    context.print(
      `${key}\n\nThis is the only time the key is shown. Plan ${plan}, name ${name}, id ${keyId}.`,
    );
}
