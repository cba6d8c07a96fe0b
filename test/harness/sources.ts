// The source files of the packages, and what they import, for tests about the house itself.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..', '..');
export const PACKAGES = join(ROOT, 'packages');

export const packages = readdirSync(PACKAGES).filter((name) =>
  existsSync(join(PACKAGES, name, 'package.json')),
);

export function sourcesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.split(sep).includes('node_modules'))
    .map((file) => join(folder, file));
}

export type Import = { readonly file: string; readonly specifier: string };

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s+(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

export const importsIn = (text: string): string[] =>
  [...withoutComments(text).matchAll(IMPORT)].map((match) => (match[1] ?? match[2])!);

export const importsOf = (file: string): Import[] =>
  importsIn(readFileSync(file, 'utf8')).map((specifier) => ({ file: relative(ROOT, file), specifier }));

export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[\s;{(,])\/\/[^\n]*/g, '$1');

/** Which files each file imports by a path, types included. */
export const importGraph = (files: readonly string[]): Map<string, readonly string[]> =>
  new Map(
    files.map((file) => [
      file,
      importsIn(readFileSync(file, 'utf8'))
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => resolve(dirname(file), specifier)),
    ]),
  );

/** Groups that reach each other in a circle (Tarjan), each in order of its names. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (node: string): number => {
    const number = numbers.size;
    numbers.set(node, number);
    lowest.set(node, number);
    path.push(node);
    for (const next of graph.get(node)!) {
      if (!graph.has(next)) continue;
      if (!numbers.has(next)) lowest.set(node, Math.min(lowest.get(node)!, visit(next)));
      else if (path.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, numbers.get(next)!));
    }
    if (lowest.get(node) === number) {
      const group = path.splice(path.indexOf(node));
      if (group.length > 1 || graph.get(node)!.includes(node)) circles.push(group.toSorted());
    }
    return lowest.get(node)!;
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return circles;
}
