// ladderlog config: every setting, its value here, and where it came from. Secrets are never printed.

import type { Define } from '../program.ts';
import { masked } from '../settings/setting-texts.ts';
import { SETTINGS } from '../settings/settings.ts';

export function registerConfig(define: Define): void {
  define(
    'config',
    'Shows every setting, its value, and where it came from.',
    ['ladderlog config', 'ladderlog config --json'],
    (command) => command,
    async (context) => {
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
      if (context.json) {
        context.print(JSON.stringify(rows));
        return;
      }
      for (const { name, env, flag, value, origin, doc } of rows) {
        context.print(
          `${name} = ${value === null ? 'not set' : typeof value === 'string' ? value : JSON.stringify(value)}   (${origin})`,
        );
        context.print(`    ${env}${flag ? `, ${flag}` : ''}: ${doc}`);
      }
    },
  );
}

const shown = <T>(value: T): T | string => (typeof value === 'string' ? masked(value) : value);
