// JSON whose numbers keep the digits they were written with: ids past 2^53 and sizes with float dust would not survive a
// double. A number becomes a raw value that JSON.stringify writes back unchanged. Several times slower than JSON.parse: for
// catalogue answers and dialects that send numbers, not for string-only book frames.

export type RawNumber = { readonly rawJSON: string };
export type JsonObject = { readonly [key: string]: unknown };

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** ECMAScript's JSON.rawJSON and reviver context, which TypeScript's library does not declare yet. */
const json = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

const keepDigits: Reviver = (_key, value, context) =>
  typeof value === 'number' && context.source !== undefined ? json.rawJSON(context.source) : value;

/** Undefined when the text is not JSON. */
export function parseExact(text: string): unknown {
  try {
    return json.parse(text, keepDigits);
  } catch {
    return undefined;
  }
}

/** Plain JSON.parse; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return json.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value);

/** The text of a string or number, as written; null for anything else and for the empty string. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number') return String(value);
  return json.isRawJSON(value) ? value.rawJSON : null;
}

export const boolOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

/** A non-negative integer that a double holds exactly; null otherwise. */
export function countOf(value: unknown): number | null {
  const text = textOf(value);
  if (text === null || !/^\d{1,15}$/.test(text)) return null;
  return Number(text);
}

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** An array that may be written as JSON inside a string, as venue C's catalogue does. */
export function nestedArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? arrayOf(parseExact(value)) : [];
}

/** The beginning of a value's JSON, for a message to people. JSON nested past the stack is parsed, but cannot be written. */
export function excerptOf(value: unknown, length: number): string {
  if (typeof value === 'string') return value.slice(0, length);
  try {
    return (JSON.stringify(value) ?? '').slice(0, length);
  } catch {
    return '(nested too deep to show)';
  }
}
