// Types of openapi.yaml, for the client and, through it, for the API. `npm run generate -w @ladderlog/client`; a test says whether
// they are current.

import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const CONTRACT = new URL('../../openapi.yaml', import.meta.url);
const HEAD = '// Generated from openapi.yaml by packages/client/generate.ts; do not edit.\n\n';

export const TARGET = new URL('./src/generated/openapi.ts', import.meta.url);

export const generateTypes = async (): Promise<string> =>
  HEAD + astToString(await openapiTS(readFileSync(CONTRACT, 'utf8'), { immutable: true }));

if (import.meta.main) writeFileSync(TARGET, await generateTypes());
