// Rows by their place in the log.

import type { Position } from '@ladderlog/core';
import { quoteText } from './engine/migrations.ts';

/** Rows of the log before these positions, one a partition, exclusive; of another partition none. `of`: `b.`, or nothing. */
export const rowsBefore = (positions: readonly Position[], of = ''): string =>
  positions.length === 0
    ? 'false'
    : `(${positions
        .map(
          ({ topic, partition, offset }) =>
            `(${of}topic = ${quoteText(topic)} AND ${of}partition = ${Math.trunc(partition)} AND ${of}offset < ${Math.trunc(offset)})`,
        )
        .join(' OR ')})`;
