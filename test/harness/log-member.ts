// A process that is a member of a consumer group on SQLite until it is killed.
// node test/harness/log-member.ts <path> <group> <sessionMs>

import { openSqliteLog } from '@ladderlog/log';
import { consumeUntilKilled } from './group-member.ts';

const [path, group, sessionMs] = process.argv.slice(2) as [string, string, string];
const log = await openSqliteLog({ path, heartbeatMs: 100, sessionMs: Number(sessionMs) });
await consumeUntilKilled(log, group);
