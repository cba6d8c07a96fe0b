// The metrics of all processes of an `up` on one port, by the supervisor: it is there also while one of them is not. Ready means
// that each of them is.

import type { Sockets } from '../data/sockets.ts';
import { askProcess } from './ask-process.ts';
import type { Probes } from './probes.ts';
import { onMetricsPort, readiness } from './probes.ts';
import type { RoleSet } from './role-set.ts';

const ANSWERS_WITHIN_MS = 2_000;
/** They have nothing to tell. */
const SILENT_ROLE = 'simulators';

export function serveUpMetrics(
  roles: Pick<RoleSet, 'running'>,
  sockets: Sockets,
  host: string,
  port: number,
): Promise<Probes> {
  const ask = (path: string) =>
    Promise.all(
      Object.keys(roles.running())
        .filter((role) => role !== SILENT_ROLE)
        .map((role) => askProcess(sockets.status(role), path, ANSWERS_WITHIN_MS)),
    );
  return onMetricsPort(
    {
      '/metrics': async () => {
        const answers = await ask('/metrics');
        const texts = answers.flatMap((answer) => (answer?.status === 200 ? [answer.body] : []));
        return [200, 'text/plain; version=0.0.4; charset=utf-8', joinMetrics([...texts, ownMetrics(roles)])];
      },
      '/ready': () => readiness(async () => (await ask('/ready')).every((answer) => answer?.status === 200)),
    },
    host,
    port,
  );
}

function ownMetrics(roles: Pick<RoleSet, 'running'>): string {
  const all = Object.entries(roles.running());
  return [
    '# HELP ladderlog_process_up Whether this process of an up runs.',
    '# TYPE ladderlog_process_up gauge',
    ...all.map(([role, { pid }]) => `ladderlog_process_up{process="${role}"} ${pid === null ? 0 : 1}`),
    '# HELP ladderlog_process_restarts_total How often it ended unasked and was started again.',
    '# TYPE ladderlog_process_restarts_total counter',
    ...all.map(([role, { restarts }]) => `ladderlog_process_restarts_total{process="${role}"} ${restarts}`),
    '',
  ].join('\n');
}

/** Texts of several registries as one: what is said of a metric stands once, with all its samples behind it. */
export function joinMetrics(texts: readonly string[]): string {
  const heads = new Map<string, Set<string>>();
  const samples = new Map<string, string[]>();
  for (const text of texts) {
    let name = '';
    for (const line of text.split('\n')) {
      const head = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      name = head ?? name;
      if (head !== undefined) heads.set(name, (heads.get(name) ?? new Set()).add(line));
      else if (line !== '') samples.set(name, [...(samples.get(name) ?? []), line]);
    }
  }
  return [...heads].map(([name, head]) => [...head, ...(samples.get(name) ?? []), ''].join('\n')).join('');
}
