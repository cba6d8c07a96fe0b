// docs/configuration.md, from the settings themselves. `npm run generate` writes it.

import type { Setting } from '@ladderlog/core';
import { VENUE_ADAPTERS } from '@ladderlog/core';

import { SETTINGS } from '../packages/cli/src/settings/settings.ts';

const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['Where it runs', /^(data|host|port|metricsPort|sqlPort|venues|logLevel)$/],
  ['Event log', /^(kafka|registry|partitions|frames)/],
  ['Store', /^clickhouse/],
  ['API and feed', /^(redis|cors|trust|cursor|validate|query|feed)/],
  ['Collectors', /^(collector|shard|beat|stamp|compare|simulator)/],
  ...VENUE_ADAPTERS.map(
    ({ venue, routes }) => [`Venue ${routes.words.short}`, new RegExp(`^${venue}`)] as const,
  ),
];

export function configurationDoc(): string {
  const settings = Object.entries(SETTINGS);
  const left = settings.filter(([name]) => !GROUPS.some(([, pattern]) => pattern.test(name)));
  const tables = [...GROUPS, ...(left.length > 0 ? [['Other', /^/] as const] : [])].map(
    ([title, pattern]) => {
      const rows = title === 'Other' ? left : settings.filter(([name]) => pattern.test(name));
      return [
        `## ${title}`,
        '',
        '| in the file | environment | flag | default | meaning |',
        '|---|---|---|---|---|',
        ...rows.map(([name, setting]) => row(name, setting)),
        '',
      ].join('\n');
    },
  );
  return `# Configuration

<!-- Written by \`npm run generate\` from the settings; do not edit. -->

A setting is taken from the first place that names it: flag, environment, file, default. The file is YAML, \`ladderlog.yaml\`
in the working directory unless \`--config\` or \`LADDERLOG_CONFIG\` names another. All problems are reported together, with
exit code 2; an unknown \`LADDERLOG_…\` variable is one of them, so a misspelt name cannot pass in silence.
\`ladderlog config\` shows every setting, its value and where it came from; secrets are shown as "(set)" only.

${tables.join('\n')}`;
}

function row(name: string, { env, flag, default: fallback, doc, secret }: Setting<unknown>): string {
  const cells = [
    `\`${name}\``,
    `\`${env}\``,
    flag === undefined ? '' : `\`--${flag}\``,
    fallbackText(fallback),
    `${doc}${secret ? ' Secret: never printed or logged.' : ''}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function fallbackText(value: unknown): string {
  if (value === null || value === '') return 'not set';
  if (Array.isArray(value)) return `\`${value.join(',')}\``;
  if (typeof value === 'object') {
    const { mode, index, count } = value as { mode?: string; index?: number; count?: number };
    return `\`${mode ?? `${index}/${count}`}\``;
  }
  return `\`${String(value as string | number | boolean)}\``;
}
