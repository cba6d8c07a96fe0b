// `npm run check`: what a change must pass before it is shown to others. All steps at once, since none uses two cores all the
// time; each is printed as a whole when it ends.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import type { Step } from './steps.ts';
import { STATIC_STEPS, vitest } from './steps.ts';

async function run({ name, command: [program, ...args] }: Step): Promise<boolean> {
  const began = performance.now();
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(`${out}${err}== ${name}: ${code === 0 ? 'ok' : 'FAILED'} in ${seconds} s`);
  return code === 0;
}

const unit: Step = { name: 'unit', command: [...vitest('unit'), '--reporter=dot'] };
const passed = await Promise.all([unit, ...STATIC_STEPS].map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
