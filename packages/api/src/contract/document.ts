// The OpenAPI document of the API: what holds for all venues (shared.yaml), and the routes of every venue of the registry, made
// from the kinds of route (venue-routes.yaml) and the adapter's `routes`.

import { readFileSync } from 'node:fs';
import type { ParameterSpec, RouteKind, Schema, Venue, VenueAdapter, VenueRoutes } from '@ladderlog/core';
import { LadderlogError, PLANS, VENUE_ADAPTERS } from '@ladderlog/core';
import { parse } from 'yaml';
import { withVenueFields } from './venue-fields.ts';

type Json = Readonly<Record<string, unknown>>;

export type OpenApiOperation = {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly $ref: string }[];
} & Json;

export type OpenApiDocument = {
  readonly paths: Readonly<Record<string, { readonly get: OpenApiOperation }>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, ParameterSpec>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  } & Json;
} & Json;

/** What the document does not say of a path: who answers it, and for which venue. */
export type Route = {
  readonly template: string;
  /** Which handler answers: a kind of route, or the operation id of a route that no venue owns. */
  readonly kind: string;
  /** The operation id without an alias's suffix: a cursor of one alias is valid on the other. */
  readonly name: string;
  /** The venue whose data it serves; null where a parameter says it, or none. */
  readonly venue: Venue | null;
  /** Name of the path parameter that names the market. */
  readonly marketParameter: string | null;
};

export type BuiltContract = { readonly document: OpenApiDocument; readonly routes: readonly Route[] };

/** An operation in the shorter form of our two files. */
type OperationText = {
  readonly tags?: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly string[];
  readonly answer: {
    readonly description: string;
    readonly schema: string;
    readonly headers?: readonly string[];
    readonly example?: unknown;
  };
  /** Statuses beside those that every operation has. */
  readonly errors?: readonly number[];
};

type Shared = OpenApiDocument & {
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, OperationText>>;
};

const read = (name: string): unknown => parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

export function buildContract(adapters: readonly VenueAdapter[] = VENUE_ADAPTERS): BuiltContract {
  const shared = fill(read('shared.yaml'), venueWords(adapters)) as Shared;
  const kinds = read('venue-routes.yaml') as Record<RouteKind, OperationText & { readonly path: string }>;
  const own = Object.entries(shared.paths).map(([template, text]) => ({
    route: { template, kind: text.operationId, name: text.operationId, venue: null, marketParameter: null },
    text,
  }));
  const isFirst = ({ text }: { text: OperationText }): boolean => text.tags![0] === shared.tags[0]!['name'];
  const paths = [
    ...own.filter(isFirst),
    ...adapters.flatMap((adapter) => venuePaths(adapter, kinds)),
    ...own.filter((one) => !isFirst(one)),
  ];
  const bases = adapters.flatMap(({ routes }) => routes.bases);
  const document = {
    ...shared,
    tags: [
      shared.tags[0],
      ...bases.map(({ tag, tagDescription }) => ({ name: tag, description: tagDescription })),
      ...shared.tags.slice(1),
    ],
    paths: Object.fromEntries(paths.map(({ route, text }) => [route.template, { get: operationOf(text) }])),
    components: {
      ...shared.components,
      parameters: allParameters(shared, adapters),
      schemas: withVenueFields(shared.components.schemas, adapters),
    },
  };
  return { document, routes: paths.map(({ route }) => route) };
}

function venuePaths(
  { venue, routes }: VenueAdapter,
  kinds: Readonly<Record<RouteKind, OperationText & { readonly path: string }>>,
): { readonly route: Route; readonly text: OperationText }[] {
  const marketParameter = routes.parameters[routes.marketParameter]!.name;
  return routes.bases.flatMap((base, at) =>
    Object.entries(routes.routes).map(([kind, differing]) => {
      const { path, ...common } = kinds[kind as RouteKind];
      const below = path.replace('{market}', routes.marketPath).replace('{id}', `{${marketParameter}}`);
      const name = common.operationId.replace('{Venue}', routes.operationName);
      const { example, ...answer } = common.answer;
      const text: OperationText = {
        ...common,
        tags: [base.tag],
        operationId: name + (base.operationSuffix ?? ''),
        summary: differing.summary ?? common.summary,
        ...(differing.description === undefined ? {} : { description: differing.description }),
        parameters: common.parameters!.flatMap((one) => parameterNames(one, routes, kind as RouteKind)),
        answer: {
          ...answer,
          description: differing.answer ?? answer.description,
          ...(differing.example && at === 0 ? { example: fill(example, bookWords(routes)) } : {}),
        },
      };
      return { route: { template: base.path + below, kind, name, venue, marketParameter }, text };
    }),
  );
}

function parameterNames(name: string, routes: VenueRoutes, kind: RouteKind): readonly string[] {
  if (name === 'base') return routes.baseParameters;
  if (name === 'market') return [routes.marketParameter];
  if (name === 'own') return routes.routes[kind]!.parameters ?? [];
  return [routes.routes[kind]!.replaced?.[name] ?? name];
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const HEADERS = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const ALWAYS = [400, 405, 429, 500, 503];
const RESPONSES: Readonly<Record<number, string>> = {
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  429: 'RateLimited',
  500: 'Internal',
  503: 'Unavailable',
};

function operationOf({ answer, errors = [], parameters, ...rest }: OperationText): OpenApiOperation {
  const { description, schema, headers = [], example } = answer;
  return {
    ...rest,
    ...(parameters ? { parameters: parameters.map((name) => ref('parameters', name)) } : {}),
    responses: {
      200: {
        description,
        headers: Object.fromEntries([...HEADERS, ...headers].map((name) => [name, ref('headers', name)])),
        content: {
          'application/json': {
            schema: ref('schemas', schema),
            ...(example === undefined ? {} : { example }),
          },
        },
      },
      ...Object.fromEntries(
        [...errors, ...ALWAYS].map((status) => [status, ref('responses', RESPONSES[status]!)]),
      ),
    },
  };
}

function allParameters(shared: Shared, adapters: readonly VenueAdapter[]): Record<string, ParameterSpec> {
  const all: Record<string, ParameterSpec> = { ...shared.components.parameters };
  for (const { venue, routes } of adapters)
    for (const [name, parameter] of Object.entries(routes.parameters)) {
      if (name in all)
        throw new LadderlogError('INTERNAL', `routes of ${venue}: there is already a parameter ${name}`);
      all[name] = parameter;
    }
  return all;
}

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** What the shared texts say of the venues. */
function venueWords(adapters: readonly VenueAdapter[]): Json {
  const listed = (word: 'marketId' | 'outcomeId'): string =>
    adapters.map(({ routes }) => `${routes.words[word]} (${routes.words.short})`).join(', ');
  const introduction = adapters.map(({ venue, routes }) => {
    const places = routes.bases.map(({ path }) => `under \`${path}\``);
    return `\`${venue}\`: ${routes.words.about}, ${places.join(' and, identically, ')}.`;
  });
  const free = adapters.filter(({ plan }) => plan === PLANS[0]).map(({ routes }) => routes.words.short);
  return {
    // On two lines: the paragraph is as wide as the others then.
    'free venues': `venues ${free.slice(0, -1).join(', ')}\nand ${free.at(-1)}`,
    venues: adapters.map(({ venue }) => venue),
    count: COUNTS[adapters.length] ?? String(adapters.length),
    introduction: wrap(`**Venues.** ${introduction.join(' ')}`),
    'market ids': listed('marketId'),
    'outcome ids': listed('outcomeId'),
  };
}

const bookWords = ({ exampleBook }: VenueRoutes): Json => ({
  book: exampleBook,
  'outcome id': exampleBook['outcome_id'],
});

/** Puts values where their names stand in braces, anywhere in a document; a text that is only a name becomes the value itself. */
function fill(value: unknown, values: Json): unknown {
  if (typeof value === 'string') {
    const whole = /^\{([a-z ]+)\}$/.exec(value)?.[1];
    if (whole !== undefined && whole in values) return values[whole];
    return value.replaceAll(/\{([a-z ]+)\}/g, (text, name: string) =>
      name in values ? String(values[name]) : text,
    );
  }
  if (Array.isArray(value)) return value.map((one: unknown) => fill(one, values));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fill(part, values)]));
}

/** As wide as the other paragraphs of the description. */
function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= 120) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}
