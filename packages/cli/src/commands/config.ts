// ladderlog config: every setting, its value here, and where it came from. Secrets are never printed.

import type { Command } from '../command.ts';
import { masked } from '../settings/setting-texts.ts';
import { SETTINGS } from '../settings/settings.ts';

export const configCommand: Command = {
  name: 'config',
  summary: 'Shows every setting, its value, and where it came from.',
  examples: ['ladderlog config', 'ladderlog config --json'],
  async run(context) {
    const { origins } = context.resolved;
    const config: Readonly<Record<string, unknown>> = context.resolved.config;
    const rows = Object.entries(SETTINGS).map(([name, setting]) => ({
      name,
      env: setting.env,
      flag: setting.flag ? `--${setting.flag}` : null,
      value: setting.secret ? (config[name] ? '(set)' : null) : shown(config[name]),
      origin: origins[name],
      doc: setting.doc,
    }));
    context.answer(rows, () =>
      rows
        .flatMap(({ name, env, flag, value, origin, doc }) => [
          `${name} = ${value === null ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)}   (${origin})`,
          `    ${env}${flag ? `, ${flag}` : ''}: ${doc}`,
        ])
        .join('\n'),
    );
  },
};

const shown = (value: unknown): unknown => (typeof value === 'string' ? masked(value) : value);
