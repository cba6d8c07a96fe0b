// Types of openapi.yaml for the API and the client. `npm run generate -w @ladderlog/client`; a test says whether they are current.

import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const CONTRACT = new URL('../../openapi.yaml', import.meta.url);
const HEAD = '// Generated from openapi.yaml by packages/client/generate.ts; do not edit.\n\n';

export const TARGETS = [
  new URL('./src/generated/openapi.ts', import.meta.url),
  new URL('../api/src/generated/openapi.ts', import.meta.url),
];

export const generateTypes = async (): Promise<string> =>
  HEAD + astToString(await openapiTS(readFileSync(CONTRACT, 'utf8'), { immutable: true }));

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const text = await generateTypes();
  for (const target of TARGETS) writeFileSync(target, text);
}
