import { VENUES } from '@ladderlog/core';

import type { Options } from '../command.ts';
import type { Context } from '../context.ts';

/** `--live` is `--venues live`. */
export const asLive = (context: Context, options: Options): Context =>
  options['live'] === true
    ? { ...context, config: { ...context.config, venues: { mode: 'live', venues: VENUES } } }
    : context;
