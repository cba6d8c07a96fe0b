// How the text of a setting becomes its value; a text that does not says what it must be instead.

import type { Parsed } from './settings.ts';

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

/** Scheme, maybe user and password, host, maybe a port, and the rest. */
const ADDRESS =
  /^([a-z][a-z0-9+.-]*):\/\/(?:[^\s/?#@]*@)?(?:[^\s/?#@:[\]<>^|%\\]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?([/?#]\S*)?$/i;

export const url =
  (...schemes: string[]) =>
  (value: string): Parsed<string> => {
    const [, scheme = '', port = '0'] = ADDRESS.exec(value) ?? [];
    return schemes.includes(scheme.toLowerCase()) && Number(port) <= 65_535
      ? ok(value.replace(/\/$/, ''))
      : bad(`a URL that begins with ${schemes.map((name) => `${name}://`).join(' or ')}`);
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
