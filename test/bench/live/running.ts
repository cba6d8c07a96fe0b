// A running `ladderlog up` under measure: its processes, its tables, what it takes.

import { eventually } from '../../harness/ladderlog.ts';
import { cpuSeconds, pssMb } from '../../harness/processes.ts';
import { startUp } from '../../harness/up.ts';

/** Milliseconds. */
export type Span = { readonly from: number; readonly to: number };

/** Seconds or megabytes, by the name of a process. */
export type PerProcess = Readonly<Record<string, number>>;

export type Running = {
  readonly url: string;
  readonly sqlUrl: string;
  readonly data: string;
  /** Rows of a statement over the SQL port. */
  sql<T>(statement: string): Promise<T[]>;
  cpu(): PerProcess;
  memoryMb(): PerProcess;
  /** How far the newest row is behind the clock, seconds; without rows since `sinceMs`, from then on. */
  behind(sinceMs: number): Promise<number>;
  /** Until everything in the log is in the tables. */
  caughtUp(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
};

const QUERY_MS = 30_000;

export async function startRunning(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const up = await startUp({ args: ['--sql-port', '0', '--log-level', 'warn', ...args], env });
  const { url, data, started } = up;
  const sqlUrl = up.sqlUrl!;
  const eachProcess = (measure: (pid: number) => number): PerProcess => {
    const found: Record<string, number> = { up: measure(started.pid) };
    for (const [role, pid] of Object.entries(up.pids())) found[role] = measure(pid);
    return found;
  };
  const sql = async <T>(statement: string): Promise<T[]> => {
    const body = `${statement} FORMAT JSONEachRow`;
    const answer = await fetch(sqlUrl, { method: 'POST', body, signal: AbortSignal.timeout(QUERY_MS) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
  };
  return {
    url,
    sqlUrl,
    data,
    sql,
    cpu: () => eachProcess(cpuSeconds),
    memoryMb: () => eachProcess(pssMb),
    async behind(sinceMs) {
      const [row] = await sql<{ newest: string }>(
        'SELECT toUnixTimestamp64Milli(max(observed_at)) AS newest FROM v_best_quotes WHERE observed_at > now64(6) - 300',
      );
      return (Date.now() - Math.max(sinceMs, Number(row!.newest))) / 1_000;
    },
    async caughtUp(timeoutMs = 240_000) {
      await eventually(
        'tables that have everything',
        () => lagOf(url),
        (lag) => lag < 50,
        timeoutMs,
      );
    },
    async close() {
      await started.interrupt();
      await up.remove();
    },
  };
}

async function lagOf(url: string): Promise<number> {
  const answer = await fetch(`${url}/v3/health`);
  const { data } = (await answer.json()) as { data: { checks: { projector: { lag: number | null } } } };
  return data.checks.projector.lag ?? Infinity;
}

export const sum = (of: PerProcess): number => Object.values(of).reduce((total, value) => total + value, 0);

export const difference = (after: PerProcess, before: PerProcess): PerProcess =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));

/** `recorder 0.31, service 0.12`. */
export const named = (of: PerProcess, digits = 2): string =>
  Object.entries(of)
    .map(([name, value]) => `${name} ${value.toFixed(digits)}`)
    .join(', ');
