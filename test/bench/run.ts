// `npm run bench`: runs test/bench/*.bench.ts, one after another; arguments choose by name. Absolute rates depend on the
// machine; the ratios are within one run.

import { readdirSync } from 'node:fs';

type Bench = { readonly run: () => Promise<unknown> };

const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)))
  .sort();
if (files.length === 0) {
  console.error(`no bench is named ${wanted.join(' or ')}`);
  process.exit(2);
}

let failed = false;
for (const file of files) {
  console.log(`\n# ${file.replace('.bench.ts', '')}`);
  const began = performance.now();
  try {
    const bench = (await import(new URL(file, import.meta.url).href)) as Bench;
    await bench.run();
  } catch (error) {
    failed = true;
    console.error(error);
  }
  console.log(`(${((performance.now() - began) / 1_000).toFixed(1)} s)`);
}
process.exit(failed ? 1 : 0);
