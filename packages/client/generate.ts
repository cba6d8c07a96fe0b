// Types of the contract, for the client and, through it, for the API. `npm run generate` writes them.

import openapiTS, { astToString } from 'openapi-typescript';

const HEAD = '// Written by `npm run generate` from openapi.yaml; do not edit.\n\n';

export const clientTypes = async (openapi: string): Promise<string> =>
  HEAD + astToString(await openapiTS(openapi, { immutable: true }));
