// A frame's channel says where it came from: `ws`, or `<source>:<path>[?query]` of a REST answer.

export type Channel =
  | { readonly kind: 'ws' }
  | {
      readonly kind: 'rest';
      readonly source: string;
      readonly path: string;
      readonly query: Readonly<Record<string, string>>;
    };

const WS: Channel = { kind: 'ws' };

/** Null when it is neither. The last answer is remembered by the caller if it cares; parsing is cheap for `ws`. */
export function parseChannel(text: string): Channel | null {
  if (text === 'ws') return WS;
  const match = /^([a-z]+):(\/[^?#]*)(?:\?([^#]*))?$/.exec(text);
  if (!match) return null;
  const query = Object.fromEntries(queryPairs(match[3] ?? ''));
  const path = match[2]!;
  return {
    kind: 'rest',
    source: match[1]!,
    path: path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path,
    query,
  };
}

/** Names and values of a query, decoded, in their order. */
export function queryPairs(text: string): [name: string, value: string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? [decode(pair), '']
        : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** `a=1&b=2` with names and values percent-encoded, in the order given. Null and undefined values are left out. */
export function queryString(
  params: Readonly<Record<string, string | number | boolean | null | undefined>>,
): string {
  return Object.entries(params)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&');
}
