// ladderlog rebuild: the tables anew, and what is done with their generations.

import type { GenerationInfo, VerifyResult } from '@ladderlog/projector';

import type { Command } from '../command.ts';
import type { Context } from '../context.ts';
import { operate } from '../data/control.ts';
import { badArgument, flag } from '../flags.ts';

type Rebuilt = {
  readonly generation: number;
  readonly previous: number;
  readonly resumed: boolean;
  readonly verified: VerifyResult;
};

export const rebuild: Command = {
  name: 'rebuild',
  summary:
    'Builds the tables anew beside the served ones, verifies, and switches; the old ones stay for rollback.',
  examples: [
    'ladderlog rebuild',
    'ladderlog rebuild --from 2026-11-01T00:00:00Z   # rows before are copied',
    'ladderlog rebuild --rollback',
    'ladderlog rebuild --drop 3',
  ],
  flags: [
    flag('--from <offset|time>', 'Project again only from here on.'),
    flag('--rollback [generation]', 'Serve the generation before again, or this one.'),
    flag('--list', 'Show the generations that exist.'),
    flag('--drop <generation>', 'Remove a generation that is not served.'),
  ],
  async run(context, { list, rollback, drop, from }) {
    if (list === true) return showGenerations(context);
    if (rollback !== undefined) return rollBack(context, rollback as string | true);
    if (typeof drop === 'string') {
      const result = await operate(context, 'drop', { generation: generationNumber(drop) });
      return context.answer(result, () => `generation ${drop} is dropped`);
    }
    const result = await operate<Rebuilt>(context, 'rebuild', { from: (from as string | undefined) ?? null });
    context.answer(
      result,
      () =>
        `rebuilt: generation ${result.generation} is served (${result.verified.events} events verified); ${result.previous} is kept, 'ladderlog rebuild --rollback' serves it again`,
    );
  },
};

async function showGenerations(context: Context): Promise<void> {
  const generations = await operate<readonly GenerationInfo[]>(context, 'generations', {});
  context.answer(generations, () =>
    generations
      .map(
        ({ generation, served, complete, rows }) =>
          `${String(generation).padStart(4)} ${String(rows).padStart(12)} rows  ${served ? 'served' : complete ? 'complete' : 'not complete'}`,
      )
      .join('\n'),
  );
}

async function rollBack(context: Context, to: string | true): Promise<void> {
  const { generation } = await operate<{ generation: number }>(context, 'rollback', {
    to: to === true ? null : generationNumber(to),
  });
  context.answer({ generation }, () => `generation ${generation} is served again`);
}

function generationNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw badArgument(`'${text}' is no generation; see 'ladderlog rebuild --list'`);
  return Number(text);
}
