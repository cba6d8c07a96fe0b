// What the processes of a running command take: processor time and memory, from /proc.

import { readFileSync, readdirSync } from 'node:fs';

/** Ticks of the kernel's clock in a second, on every Linux that Node runs on. */
const TICKS = 100;

/** A process may end while it is looked at. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Of /proc/<pid>/stat, after the name (which may hold anything): state is the first. */
const statOf = (pid: number): string[] | null => {
  const text = read(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
};

export type ProcessState = 'gone' | 'stopped' | 'running';

export function processState(pid: number): ProcessState {
  const state = statOf(pid)?.[0];
  if (state === undefined || state === 'Z' || state === 'X') return 'gone';
  return state === 'T' || state === 't' ? 'stopped' : 'running';
}

/** The process and everything it started that still runs under it. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? Number(statOf(Number(name))?.[1]) : NaN;
    if (!Number.isNaN(parent)) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const one of tree) tree.push(...(parents.get(one) ?? []));
  return tree;
}

/** User and system time of all its threads so far; 0 when it is gone. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return stat === null ? 0 : (Number(stat[11]) + Number(stat[12])) / TICKS;
}

/** Memory of its own and its part of what it shares, MB; 0 when it is gone. */
export function pssMb(pid: number): number {
  const kb = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1];
  return Number(kb ?? 0) / 1_024;
}

export const sumPssMb = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + pssMb(pid), 0);

/** Seconds that the processors of this machine were busy so far, whoever used them. */
export function busySeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (read('/proc/stat') ?? '')
    .split('\n', 1)[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}
