// The steps that need nothing but the checkout, in the order that fails fastest.

export type Step = { readonly name: string; readonly command: readonly string[]; readonly tests?: true };

export const vitest = (project: string): readonly string[] => ['vitest', 'run', '--project', project];

export const STATIC_STEPS: readonly Step[] = [
  // Its cache is in node_modules/.cache.
  { name: 'format', command: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types-core', command: ['tsc', '--noEmit', '-p', 'packages/core'] },
];
