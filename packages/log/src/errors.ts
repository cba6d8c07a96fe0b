// Refusals that both logs give, in the same words.

import type { Position } from '@ladderlog/core';
import { LadderlogError } from '@ladderlog/core';
import { MAX_RECORD_BYTES } from './log.ts';

export const closed = (): LadderlogError => new LadderlogError('LOG_CLOSED', 'the log is closed');

export const unknownTopic = (topic: string, partition?: number): LadderlogError =>
  partition === undefined
    ? new LadderlogError('LOG_UNKNOWN_TOPIC', `no topic "${topic}"`, { details: { topic } })
    : new LadderlogError('LOG_UNKNOWN_TOPIC', `topic "${topic}" has no partition ${partition}`, {
        details: { topic, partition },
      });

export const outOfRange = (position: Position, begin: number, end: number): LadderlogError =>
  new LadderlogError(
    'LOG_OFFSET_OUT_OF_RANGE',
    `${position.topic}/${position.partition} has the offsets ${begin} to ${end}, not ${position.offset}`,
    { details: { ...position, begin, end } },
  );

export const recordTooLarge = (type: string, key: string, bytes: number): LadderlogError =>
  new LadderlogError(
    'LOG_RECORD_TOO_LARGE',
    `${type} of ${bytes} bytes: a record may have ${MAX_RECORD_BYTES}`,
    { details: { type, key, bytes } },
  );
