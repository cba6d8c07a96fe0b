// How the text of a setting becomes its value; a text that does not says what it must be instead.

import { VENUES } from '@ladderlog/core';

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fix: string };
export type Setting<T> = {
  readonly env: string;
  readonly flag?: string;
  readonly default: T;
  readonly parse: (text: string) => Parsed<T>;
  readonly doc: string;
  /** Never printed, never logged. */
  readonly secret?: true;
};

/** Without the user and password that an address may hold. */
export const masked = (text: string): string =>
  text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, '$1(set)@');

export const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const bad = <T>(fix: string): Parsed<T> => ({ ok: false, fix });

export const text = (value: string): Parsed<string> =>
  value.trim() === '' ? bad('a non-empty text') : ok(value);
export const optionalText = (value: string): Parsed<string | null> => ok(value === '' ? null : value);
export const integer =
  (min: number, max: number) =>
  (value: string): Parsed<number> =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? ok(Number(value))
      : bad(`a whole number from ${min} to ${max}`);
export const optionalInteger =
  (min: number, max: number) =>
  (value: string): Parsed<number | null> =>
    value === '' || value === 'off' ? ok(null) : integer(min, max)(value);
export const number =
  (min: number, max: number) =>
  (value: string): Parsed<number> =>
    value.trim() !== '' && Number(value) >= min && Number(value) <= max
      ? ok(Number(value))
      : bad(`a number from ${min} to ${max}`);
export const boolean = (value: string): Parsed<boolean> =>
  /^(1|true|yes|on)$/i.test(value)
    ? ok(true)
    : /^(0|false|no|off)$/i.test(value)
      ? ok(false)
      : bad('true or false');
export const url =
  (...schemes: string[]) =>
  (value: string): Parsed<string> => {
    try {
      const parsed = new URL(value);
      return schemes.includes(parsed.protocol.slice(0, -1))
        ? ok(value.replace(/\/$/, ''))
        : bad(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    } catch {
      return bad(`a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    }
  };
export const optional =
  <T>(parse: (value: string) => Parsed<T>) =>
  (value: string): Parsed<T | null> =>
    value === '' ? ok(null) : parse(value);
export const list =
  (allowed: RegExp, what: string, fold: (item: string) => string = (item) => item) =>
  (value: string): Parsed<readonly string[]> => {
    const items = value
      .split(',')
      .map((item) => fold(item.trim()))
      .filter((item) => item !== '');
    return items.length > 0 && items.every((item) => allowed.test(item))
      ? ok(items)
      : bad(`a comma-separated list of ${what}`);
  };
export const oneOf =
  <const T extends readonly string[]>(...values: T) =>
  (value: string): Parsed<T[number]> =>
    values.includes(value) ? ok(value) : bad(`one of ${values.join(', ')}`);

export type VenueChoice = {
  readonly mode: 'simulated' | 'live' | 'none';
  readonly venues: readonly string[];
};
export const venues = (value: string): Parsed<VenueChoice> => {
  if (value === 'simulated' || value === 'live') return ok({ mode: value, venues: VENUES });
  if (value === 'none') return ok({ mode: 'none', venues: [] });
  const items = value.split(',').map((item) => item.trim());
  if (items.every((item) => (VENUES as readonly string[]).includes(item)))
    return ok({ mode: 'live', venues: items });
  return bad('simulated, live, none, or a list of live venues such as venueb,venuec');
};
export const shard = (value: string): Parsed<{ index: number; count: number }> => {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(value);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  return match && count >= 1 && index < count
    ? ok({ index, count })
    : bad('index/count, e.g. 0/3, 1/3 and 2/3 for three collectors');
};
