// Writes every file that is derived from others: `npm run generate`. A test compares what is committed with what this would write.

import { readFileSync, writeFileSync } from 'node:fs';

import { EVENT_TYPES, TOPICS } from '@ladderlog/core';
import { EVENT_SCHEMAS } from '@ladderlog/log';

import { buildContract } from '../packages/api/src/contract/document.ts';
import { documentText } from '../packages/api/src/contract/document-text.ts';
import { clientTypes } from '../packages/client/generate.ts';
import { fileOf } from '../packages/log/src/avro/schemas.ts';
import { configurationDoc } from './configuration-doc.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** Text by path. */
export async function derivedFiles(): Promise<ReadonlyMap<string, string>> {
  const openapi = `# Written by \`npm run generate\` from packages/api/src/contract and the venues' routes; do not edit.\n${documentText(buildContract().document)}`;
  return new Map([
    ['openapi.yaml', openapi],
    ['packages/client/src/generated/openapi.ts', await clientTypes(openapi)],
    ['docs/configuration.md', configurationDoc()],
    ['infra/kafka/create-topics.sh', topicsScript()],
    ...avroSchemas(),
  ]);
}

/** The venues of the registry in the files that a registry of schemas, or a reader, takes as they are. */
const avroSchemas = (): [string, string][] =>
  EVENT_TYPES.map((type) => [`avro/${fileOf(type)}`, EVENT_SCHEMAS[type].text]);

const topicsScript = (): string =>
  read('infra/kafka/create-topics.sh').replace(/^for topic in .*$/m, `for topic in ${TOPICS.join(' ')}; do`);

/** Paths of files that are not what they should be. */
export const outdated = (files: ReadonlyMap<string, string>): string[] =>
  [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);

if (import.meta.main) {
  const files = await derivedFiles();
  for (const path of outdated(files)) {
    writeFileSync(new URL(path, ROOT), files.get(path)!);
    console.log(`wrote ${path}`);
  }
}
