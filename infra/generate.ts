// Writes every file that is derived from others: `npm run generate`. A test compares what is committed with what this would write.

import { readFileSync, writeFileSync } from 'node:fs';

import { buildContract } from '../packages/api/src/contract/document.ts';
import { documentText } from '../packages/api/src/contract/document-text.ts';
import { clientTypes } from '../packages/client/generate.ts';
import { configurationDoc } from './configuration-doc.ts';

const ROOT = new URL('../', import.meta.url);

/** Text by path. */
export async function derivedFiles(): Promise<ReadonlyMap<string, string>> {
  const openapi = `# Written by \`npm run generate\` from packages/api/src/contract and the venues' routes; do not edit.\n${documentText(buildContract().document)}`;
  return new Map([
    ['openapi.yaml', openapi],
    ['packages/client/src/generated/openapi.ts', await clientTypes(openapi)],
    ['docs/configuration.md', configurationDoc()],
  ]);
}

/** Paths of files that are not what they should be. */
export const outdated = (files: ReadonlyMap<string, string>): string[] =>
  [...files]
    .filter(([path, text]) => readFileSync(new URL(path, ROOT), 'utf8') !== text)
    .map(([path]) => path);

if (import.meta.main) {
  const files = await derivedFiles();
  for (const path of outdated(files)) {
    writeFileSync(new URL(path, ROOT), files.get(path)!);
    console.log(`wrote ${path}`);
  }
}
