// Real recordings that may not be committed: in the folder that LADDERLOG_RECORDINGS names, or in ../shared/data beside the
// repository. Tests that need them are skipped elsewhere.

import { resolve } from 'node:path';

export const RECORDINGS =
  process.env['LADDERLOG_RECORDINGS'] ?? resolve(import.meta.dirname, '../../../shared/data');
