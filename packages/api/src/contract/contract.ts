// openapi.yaml as the running API uses it: which operation a path belongs to, and which parameters it takes.

import { readFileSync } from 'node:fs';
import type { Venue } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { parse } from 'yaml';

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly schema: { readonly type?: string; readonly $ref?: string };
};

export const isTime = ({ schema }: Parameter): boolean => schema.$ref?.endsWith('/TimeText') ?? false;

export type Operation = {
  readonly id: string;
  /** As in the contract: /v3/{asset}/markets. */
  readonly template: string;
  readonly pattern: RegExp;
  readonly parameters: readonly Parameter[];
  readonly pathNames: readonly string[];
  readonly queryNames: readonly string[];
  /** No key needed. */
  readonly open: boolean;
  /** The venue whose data it serves; null where a parameter says it, or none. */
  readonly venue: Venue | null;
};

export type Matched = { readonly operation: Operation; readonly params: Readonly<Record<string, string>> };

export type Contract = {
  readonly document: Record<string, unknown>;
  readonly text: string;
  readonly operations: readonly Operation[];
  /** Null when no route has this path. */
  match(path: string): Matched | null;
};

type Ref = { readonly $ref: string };
type Document = {
  readonly paths: Record<string, { get: { operationId: string; security?: unknown[]; parameters?: Ref[] } }>;
  readonly components: { parameters: Record<string, Parameter> };
};

const FILE = new URL('../../../../openapi.yaml', import.meta.url);

export function loadContract(file: URL = FILE): Contract {
  const text = readFileSync(file, 'utf8');
  const document = parse(text) as Document & Record<string, unknown>;
  const operations = Object.entries(document.paths)
    .map(([template, item]) => toOperation(document, template, item.get))
    .sort((left, right) => specificity(left.template, right.template));
  const byLength = new Map<number, Operation[]>();
  for (const operation of operations) {
    const length = operation.template.split('/').length;
    byLength.set(length, [...(byLength.get(length) ?? []), operation]);
  }
  // A wrong path under /v3/venueb is no route of an asset named venueb.
  const notAssets = new Set(operations.map(({ template }) => template.split('/')[2]!));
  return {
    document,
    text,
    operations,
    match(path) {
      const segments = path.split('/');
      for (const operation of byLength.get(segments.length) ?? []) {
        const found = operation.pattern.exec(path);
        if (!found || (operation.pathNames[0] === 'asset' && notAssets.has(segments[2]!))) continue;
        const params: Record<string, string> = {};
        operation.pathNames.forEach((name, at) => {
          params[name] = decodeURIComponent(found[at + 1]!);
        });
        return { operation, params };
      }
      return null;
    },
  };
}

function toOperation(document: Document, template: string, get: Document['paths'][string]['get']): Operation {
  const parameters = (get.parameters ?? []).map(({ $ref }) => {
    const target = document.components.parameters[$ref.split('/').at(-1)!];
    if (!target) throw new LadderlogError('INTERNAL', `openapi.yaml: ${$ref} does not exist`);
    return target;
  });
  return {
    id: get.operationId,
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/g, '([^/]+)')}$`),
    parameters,
    pathNames: [...template.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1]!),
    queryNames: parameters.filter((one) => one.in === 'query').map((one) => one.name),
    open: Array.isArray(get.security) && get.security.length === 0,
    venue: venueOf(template),
  };
}

function venueOf(template: string): Venue | null {
  if (template.startsWith('/v3/venuea-')) return 'venuea';
  if (template.startsWith('/v3/venueb/')) return 'venueb';
  return template.startsWith('/v3/{asset}/') ? 'venuec' : null;
}

/** Literal segments before placeholders, from the left: /v3/venueb/markets before /v3/{asset}/markets. */
function specificity(left: string, right: string): number {
  const a = left.split('/');
  const b = right.split('/');
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = Number(a[at]!.startsWith('{')) - Number(b[at]!.startsWith('{'));
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The valid name nearest to a mistyped one, if any is near. */
export function nearestName(wrong: string, names: readonly string[]): string | null {
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(wrong.toLowerCase().replaceAll('-', '_').slice(0, 64), name);
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && best.distance <= Math.max(2, Math.ceil(best.name.length / 2)) ? best.name : null;
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++)
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[right.length]!;
}
