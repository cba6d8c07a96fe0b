// ladderlog keys issue | list | revoke | rotate: events in the control topic, so every API instance learns of them at once.

import type { IssuedKey } from '@ladderlog/api';
import { issueKey, listKeys, revokeKey, rotateKey } from '@ladderlog/api';
import { PLANS, toIso } from '@ladderlog/core';
import type { EventLog } from '@ladderlog/log';

import type { Command, Options } from '../command.ts';
import type { Context } from '../context.ts';
import { badArgument, flag, wordOption } from '../flags.ts';
import { RESERVED_NAMES } from '../processes/demo-key.ts';
import { withLog } from '../processes/open-log.ts';

const clock = (): number => Date.now() * 1_000;

export const keys: Command = {
  name: 'keys',
  summary: 'Issues, lists, revokes and rotates API keys. A key is shown once; only its hash is kept.',
  examples: [
    'ladderlog keys issue --plan quant --name research',
    'ladderlog keys list',
    'ladderlog keys revoke k1a2b3c4d5e6 --reason lost',
    'ladderlog keys rotate k1a2b3c4d5e6',
  ],
  arguments: { '<action>': 'issue, list, revoke or rotate', '[id]': 'Key id, for revoke and rotate.' },
  flags: [
    flag('--plan <plan>', `One of ${PLANS.join(', ')}.`),
    flag('--name <name>', 'Whose key it is.'),
    flag('--reason <reason>', 'Why it is revoked.', { default: 'revoked by the operator' }),
  ],
  run: (context, options, [name = '', id]) =>
    withLog(context, async (log) => {
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name]! : null;
      if (!action) throw badArgument(`'${name}' is not an action; use issue, list, revoke or rotate`);
      const needsId = name === 'revoke' || name === 'rotate';
      if (needsId && id === undefined)
        throw badArgument(`which key? ladderlog keys ${name} <id>; 'ladderlog keys list' shows the ids`);
      await action(context, log, options, id ?? '');
    }),
};

type Action = (context: Context, log: EventLog, options: Options, id: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  async issue(context, log, options) {
    const plan = wordOption('plan', options['plan'], PLANS);
    const name = options['name'];
    if (typeof name !== 'string' || name.trim() === '' || name.length > 100)
      throw badArgument('--name is missing; say whose key it is, in at most 100 characters');
    if (name.startsWith(RESERVED_NAMES)) throw badArgument(`--name must not begin with ${RESERVED_NAMES}`);
    show(context, await issueKey(log, clock, { plan, name }));
  },

  async rotate(context, log, _options, keyId) {
    show(context, await rotateKey(log, clock, { keyId }));
  },

  async revoke(context, log, options, keyId) {
    const key = await revokeKey(log, clock, { keyId, reason: String(options['reason']) });
    context.answer({ key_id: key.keyId, revoked: true }, () => `${key.keyId} (${key.name}) is revoked`);
  },

  async list(context, log) {
    const all = (await listKeys(log)).map(({ keyId, name, plan, issuedAt, revokedAt }) => ({
      key_id: keyId,
      name,
      plan,
      issued_at: toIso(issuedAt),
      revoked_at: revokedAt === null ? null : toIso(revokedAt),
    }));
    context.answer(all, () =>
      all.length === 0
        ? "no keys yet; 'ladderlog keys issue --plan quant --name research' makes one"
        : all
            .map(
              ({ key_id, name, plan, issued_at, revoked_at }) =>
                `${key_id}  ${plan.padEnd(8)}  ${issued_at}  ${revoked_at === null ? 'active ' : 'revoked'}  ${name}`,
            )
            .join('\n'),
    );
  },
};

const show = (context: Context, { key, keyId, plan, name }: IssuedKey): void =>
  context.answer(
    { key_id: keyId, key, plan, name },
    () => `${key}\n\nThis is the only time the key is shown. Plan ${plan}, name ${name}, id ${keyId}.`,
  );
