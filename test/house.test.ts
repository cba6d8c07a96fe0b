// The rules of the rooms: a venue is named in its own folder only, the venues' folders are alike, and files do not import each
// other in circles.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

import { PACKAGES, circlesOf, importGraph, packages, sourcesOf, withoutComments } from './harness/sources.ts';

const files = packages.flatMap((name) => sourcesOf(join(PACKAGES, name, 'src')));
const shortName = (file: string): string => relative(PACKAGES, file);

describe('imports', () => {
  test('the detection finds circles, also of a file with itself', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a', 'elsewhere']],
      ['d', ['e']],
      ['e', ['e']],
    ]);
    expect(circlesOf(graph)).toEqual([['e'], ['a', 'b', 'c']]);
  });

  test('go in no circle between files, types included', () => {
    const circles = circlesOf(importGraph(files)).map((circle) => circle.map(shortName));
    expect(circles).toEqual([]);
  });
});

const VENUES = join(PACKAGES, 'core', 'src', 'venues');
const folders = readdirSync(VENUES).filter((name) => name.startsWith('venue-'));

describe('venues', () => {
  const filesIn = (folder: string): string[] => readdirSync(join(VENUES, folder)).toSorted();

  test('have folders with the same files; a smaller venue may leave some out', () => {
    const all = filesIn('venue-a');
    expect([filesIn('venue-b'), filesIn('venue-c')]).toEqual([all, all]);
    const other = folders.flatMap((folder) => filesIn(folder).filter((file) => !all.includes(file)));
    expect(other).toEqual([]);
  });

  test('state each part under its own name, and the rest in the same shapes', () => {
    const parts = partsOfAdapter().filter((name) => existsSync(join(VENUES, folders[0]!, `${name}.ts`)));
    expect(parts).toEqual(expect.arrayContaining(['collect', 'record', 'routes', 'server', 'simulate']));
    const shapes: (readonly [file: string, shape: RegExp])[] = [
      ...parts.map((part) => [part, new RegExp(`^export const ${part}\\b`, 'm')] as const),
      ['settings', /^export type Values = /m],
      ['catalogue', /^export type CatalogueEntry = /m],
      ['normalize', /^export class Venue[A-Z]Normalizer implements Normalizer /m],
      ['socket', /^export (?:const|function) createDialogue\b/m],
      ['index', /^export const venue[A-Z]: VenueAdapter = /m],
    ];
    const wrong = folders.flatMap((folder) =>
      shapes
        .filter(([file]) => file !== 'socket' || filesIn(folder).includes('socket.ts'))
        .filter(([file, shape]) => !shape.test(readFileSync(join(VENUES, folder, `${file}.ts`), 'utf8')))
        .map(([file]) => `${folder}/${file}.ts`),
    );
    expect(wrong).toEqual([]);
  });

  /** Names of the adapter's properties. */
  const partsOfAdapter = (): string[] =>
    [...readFileSync(join(VENUES, 'adapter.ts'), 'utf8').matchAll(/^ {2}readonly (\w+):/gm)].map(
      (match) => match[1]!,
    );
});

describe('the name of a venue', () => {
  /** venuea, 'venue-b', VenueC, VENUE_A, LADDERLOG_VENUEB_…, venueaApiKey; subscribeA, fromB; A_REST. */
  const small = folders.map((folder) => folder.slice('venue-'.length)).join('|');
  const large = small.toUpperCase();
  const NAMES = [
    `[Vv]enue-?(?:${small}|${large})(?![a-z])`,
    `VENUE_?(?:${large})(?![A-Z])`,
    `\\b[a-z]\\w*[a-z](?:${large})\\b`,
    `\\b(?:${large})_[A-Z]\\w*`,
  ].map((name) => new RegExp(name, 'g'));

  /** A longer text may give a venue as an example (`ladderlog audit --venue venuec`); a list of all of them is not one. */
  function isExample(line: string, at: number): boolean {
    for (const literal of line.matchAll(/'(?:[^'\\]|\\.)*'|`[^`]*`/g)) {
      if (at < literal.index || at >= literal.index + literal[0].length) continue;
      const named = new Set(literal[0].match(new RegExp(`venue(?:${small})`, 'g')));
      return literal[0].includes(' ') && named.size > 0 && named.size < 3;
    }
    return false;
  }

  const mentionsIn = (text: string): string[] =>
    withoutComments(text)
      .split('\n')
      .flatMap((line) =>
        NAMES.flatMap((name) => [...line.matchAll(name)])
          .filter(({ index }) => !isExample(line, index))
          .map((match) => match[0]),
      );

  test('is found in every form', () => {
    const code = [
      "if (venue === 'venuea') {",
      'const { venueb } = simulators;',
      "import { venueC, subscribeC } from './venue-c/index.ts'; // venuea",
      'export class VenueANormalizer {}',
      'const url = env.LADDERLOG_VENUEB_REST_URL ?? B_REST;',
      'const name = `venuec-${shard}`;',
      "'--venue <venue>', 'venuea, venueb or venuec.'",
      "example: 'ladderlog audit --venue venuec',",
      'const venue: Venue = adapter.venueByName(venueCapture);',
    ];
    expect(code.map(mentionsIn)).toEqual([
      ['venuea'],
      ['venueb'],
      ['venueC', 'venue-c', 'venueC', 'subscribeC'],
      ['VenueA'],
      ['VENUEB', 'B_REST'],
      ['venuec'],
      ['venuea', 'venueb', 'venuec'],
      [],
      [],
    ]);
  });

  /** The client's public API has venueA, venueB and venueC: it is published by itself and knows no registry. */
  const MAY_NAME = /^client\/|^core\/src\/venues\/(?:venue-[a-z]\/|venues\.ts$)/;

  test('stands in its folder only, and in the list of venues', () => {
    const mentions = files
      .filter((file) => !MAY_NAME.test(shortName(file)))
      .flatMap((file) => mentionsIn(readFileSync(file, 'utf8')).map((name) => `${shortName(file)}: ${name}`));
    expect(mentions).toEqual([]);
  });
});
