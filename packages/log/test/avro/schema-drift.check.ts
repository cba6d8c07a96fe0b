// Checked by `npm run types`, not run: the event types of core and the schemas in /avro say the same. Fails to compile when a
// field, its type, its nullability or an enum symbol is in one and not in the other.

import type { CheckFlag, EventType, LadderEvent, TextFormat } from '@ladderlog/core';
import type { AvroEvents } from './generated/avro-types.ts';

/** Where Avro has text and core has a closed list, so that an older reader takes what a newer writer adds. */
type Open<T> = T extends TextFormat ? string : T;
type Wide<K, T> = K extends 'flags'
  ? T extends readonly CheckFlag[]
    ? string[]
    : T
  : K extends 'priceFormat' | 'sizeFormat'
    ? Open<T>
    : T;

type Plain<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { -readonly [K in keyof T as K extends 'type' ? never : K]: Wide<K, Plain<T[K]>> }
      : T;

type Same<A, B> = [A, B] extends [B, A] ? (keyof A extends keyof B ? true : false) : false;

type Drift = {
  [T in EventType]: T extends keyof AvroEvents
    ? Same<Plain<Extract<LadderEvent, { type: T }>>, Plain<AvroEvents[T]>>
    : false;
};

/** Each must be `true`; the error names the event that is not. */
export const noDrift: { readonly [T in keyof AvroEvents | EventType]: true } = {} as Drift;
