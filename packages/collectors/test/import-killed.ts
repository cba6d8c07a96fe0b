// Imports a recording and kills itself at the second append it makes: before it, on its way, or after it.

import { openSqliteLog } from '@ladderlog/log';

import { importFile } from '../src/index.ts';

const [file = '', path = '', moment] = process.argv.slice(2);
const log = await openSqliteLog({ path });
const append = log.append.bind(log);
let appends = 0;
log.append = async (events) => {
  if (++appends < 2) return append(events);
  const under = moment === 'before' ? null : append(events);
  if (moment === 'after') await under;
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
await importFile({ log, file });
