// `npm test`: everything that must hold, in the order that fails fastest. A step's name as argument runs only that step.
// The closing line counts all tests of the run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Step } from './steps.ts';
import { STATIC_STEPS, vitest } from './steps.ts';

const PROJECTS = ['unit', 'int', 'kafka', 'e2e', 'chaos'];
const reports = mkdtempSync(join(tmpdir(), 'ladderlog-test-'));
const report = (name: string): string => join(reports, `${name}.json`);

const steps: Step[] = [
  ...STATIC_STEPS,
  ...PROJECTS.map((name) => ({
    name,
    command: [...vitest(name), '--reporter=default', '--reporter=json', `--outputFile.json=${report(name)}`],
    tests: true as const,
  })),
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no step named ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
let skipped = 0;
const broken: string[] = [];
for (const step of steps) {
  if (wanted.length > 0 && !wanted.includes(step.name)) continue;
  const began = performance.now();
  console.log(`\n== ${step.name}`);
  const [program, ...args] = step.command;
  const result = spawnSync(program!, args, {
    stdio: 'inherit',
    env: { ...process.env, NO_COLOR: process.env['CI'] ? '1' : (process.env['NO_COLOR'] ?? '') },
  });
  console.log(
    `== ${step.name}: ${result.status === 0 ? 'ok' : 'FAILED'} in ${((performance.now() - began) / 1_000).toFixed(1)} s`,
  );
  if (result.status !== 0) broken.push(step.name);
  if (step.tests && existsSync(report(step.name))) {
    const counts = JSON.parse(readFileSync(report(step.name), 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
    };
    passed += counts.numPassedTests;
    failed += counts.numFailedTests;
    skipped += counts.numPendingTests;
    // Without a broker those of Kafka are skipped, but never in CI.
    if (counts.numPassedTests === 0) {
      console.log(`== ${step.name}: no test ran`);
      if (step.name !== 'kafka' || process.env['CI']) broken.push(`${step.name} (no test ran)`);
    }
  }
}
rmSync(reports, { recursive: true, force: true });
if (broken.length > 0) console.log(`\nfailed steps: ${broken.join(', ')}`);
console.log(
  `\n${passed} passed, ${Math.max(failed, broken.length > 0 && failed === 0 ? 1 : 0)} failed, ${skipped} skipped`,
);
process.exitCode = broken.length === 0 ? 0 : 1;
