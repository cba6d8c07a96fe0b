// The contract as the running API uses it: which operation a path belongs to, and which parameters it takes.

import type { ParameterSpec, VenueAdapter } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import type { OpenApiDocument, Route } from './document.ts';
import { buildContract } from './document.ts';
import { documentText } from './document-text.ts';

export const isTime = ({ schema }: ParameterSpec): boolean =>
  typeof schema['$ref'] === 'string' && schema['$ref'].endsWith('/TimeText');

/** A route with what its paths and parameters are. The template is that of the contract: /v3/{asset}/markets. */
export type Operation = Route & {
  readonly id: string;
  readonly pattern: RegExp;
  readonly parameters: readonly ParameterSpec[];
  readonly pathNames: readonly string[];
  readonly queryNames: readonly string[];
  /** No key needed. */
  readonly open: boolean;
};

export type Matched = { readonly operation: Operation; readonly params: Readonly<Record<string, string>> };

export type Contract = {
  readonly document: OpenApiDocument;
  /** The document as openapi.yaml. */
  text(): string;
  readonly operations: readonly Operation[];
  /** Null when no route has this path. */
  match(path: string): Matched | null;
};

export function loadContract(adapters?: readonly VenueAdapter[]): Contract {
  const { document, routes } = buildContract(adapters);
  const operations = routes
    .map((route) => toOperation(document, route))
    .sort((left, right) => specificity(left.template, right.template));
  const byLength = new Map<number, Operation[]>();
  for (const operation of operations) {
    const length = operation.template.split('/').length;
    byLength.set(length, [...(byLength.get(length) ?? []), operation]);
  }
  // A wrong path under /v3/venueb is no route of an asset named venueb.
  const taken = new Set(operations.map(({ template }) => template.split('/')[2]!));
  return {
    document,
    text: () => documentText(document),
    operations,
    match(path) {
      const segments = path.split('/');
      for (const operation of byLength.get(segments.length) ?? []) {
        const found = operation.pattern.exec(path);
        if (!found || (operation.template.startsWith('/v3/{') && taken.has(segments[2]!))) continue;
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

function toOperation(document: OpenApiDocument, route: Route): Operation {
  const { template } = route;
  const { get } = document.paths[template]!;
  const parameters = (get.parameters ?? []).map(({ $ref }) => {
    const target = document.components.parameters[$ref.split('/').at(-1)!];
    if (!target) throw new LadderlogError('INTERNAL', `contract: ${$ref} does not exist`);
    return target;
  });
  return {
    ...route,
    id: get.operationId,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/g, '([^/]+)')}$`),
    parameters,
    pathNames: [...template.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1]!),
    queryNames: parameters.filter((one) => one.in === 'query').map((one) => one.name),
    open: get.security?.length === 0,
  };
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
