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
  const byName = new Map<string, { head: string[]; samples: string[] }>();
  for (const text of texts) {
    let current = { head: [] as string[], samples: [] as string[] };
    let isNew = false;
    for (const line of text.split('\n')) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        const known = byName.get(name);
        if (known !== current) isNew = known === undefined;
        current = known ?? { head: [], samples: [] };
        byName.set(name, current);
        if (isNew) current.head.push(line);
      } else if (line !== '') current.samples.push(line);
    }
  }
  return [...byName.values()].map(({ head, samples }) => [...head, ...samples, ''].join('\n')).join('');
}
