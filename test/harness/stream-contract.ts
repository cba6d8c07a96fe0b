// The contract of the stream as a check: throws where a message is not what asyncapi.yaml says.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { parse } from 'yaml';

const require = createRequire(import.meta.url);
const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');

const ROOT = join(import.meta.dirname, '..', '..');

type Document = {
  readonly channels: { readonly stream: { readonly messages: Readonly<Record<string, unknown>> } };
  readonly operations: Readonly<
    Record<'request' | 'stream', { readonly messages: readonly { readonly $ref: string }[] }>
  >;
};

export type StreamContract = {
  /** Types of messages that the server sends, and those it takes. */
  readonly sent: readonly string[];
  readonly taken: readonly string[];
  /** Null, or what is wrong. */
  problem(message: unknown): string | null;
};

export function streamContract(root = ROOT): StreamContract {
  const read = (file: string): object => parse(readFileSync(join(root, file), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const asyncapi = read('asyncapi.yaml') as Document;
  const base = 'file:///contract/';
  ajv.addSchema(read('openapi.yaml'), `${base}openapi.yaml`);
  ajv.addSchema(asyncapi, `${base}asyncapi.yaml`);
  const names = (operation: 'request' | 'stream'): string[] =>
    asyncapi.operations[operation].messages.map(({ $ref }) => $ref.split('/').at(-1)!);
  const validators = new Map<string, ValidateFunction>(
    Object.keys(asyncapi.channels.stream.messages).map((name) => [
      name,
      ajv.compile({ $ref: `${base}asyncapi.yaml#/components/schemas/${name}` }),
    ]),
  );
  return {
    sent: names('stream'),
    taken: names('request'),
    problem(message) {
      const { type } = message as { type: string };
      const validate = validators.get(type);
      if (!validate) return `no message is called ${type}`;
      return validate(message) ? null : `${type}: ${ajv.errorsText(validate.errors)}`;
    },
  };
}
