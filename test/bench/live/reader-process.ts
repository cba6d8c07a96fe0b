// Readers as a process of their own: feed clients that read history again and again, pages of books, and SQL statements. Run by
// readers.ts with an IPC channel.

import { WebSocket } from 'ws';

import type { ReaderStats, ReaderTask } from './readers.ts';

const task = JSON.parse(process.argv[2]!) as ReaderTask;
const { url, key, sqlUrl } = task;
const counts = { histories: 0, messages: 0, pages: 0, statements: 0, errors: 0 };
const authorization = { authorization: `Bearer ${key}` };
const mistakes = new Map<string, number>();

function failed(what: string): void {
  counts.errors++;
  mistakes.set(what, (mistakes.get(what) ?? 0) + 1);
}

/** One client after the other in the same place: everything since the beginning, then a new connection. */
async function readHistory(): Promise<never> {
  for (;;) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v3/stream`, { headers: authorization });
    socket.on('error', (error) => failed(`feed ${error.message}`));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'subscribe', from: { time: task.from } })));
    socket.on('message', (data: Buffer) => {
      counts.messages++;
      const type = /^\{"type":"(\w+)"/.exec(data.toString('latin1', 0, 30))?.[1];
      if (type === 'error') failed(data.toString('utf8').slice(0, 200));
      if (type !== 'live') return;
      counts.histories++;
      socket.close();
    });
    await new Promise((resolve) => socket.once('close', resolve));
  }
}

async function again(what: 'pages' | 'statements', ask: (turn: number) => Promise<Response>): Promise<never> {
  for (let turn = 0; ; turn++) {
    try {
      const answer = await ask(turn);
      await answer.arrayBuffer();
      if (answer.ok) counts[what]++;
      // A page limit of the plan, or a full queue, is an answer too; who asks waits a little then.
      else {
        failed(`${what} ${answer.status}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    } catch (error) {
      failed(`${what} ${String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

const page = (turn: number): Promise<Response> =>
  fetch(`${url}/v3/${task.pages[turn % task.pages.length]}`, { headers: authorization });

const STATEMENTS = [
  'SELECT venue, market, count(), avg(length(bid_prices)) FROM v_books GROUP BY venue, market ORDER BY market FORMAT JSON',
  'SELECT market, toStartOfMinute(observed_at) AS minute, max(best_bid), min(best_ask) FROM v_best_quotes GROUP BY market, minute FORMAT JSON',
  'SELECT * FROM v_levels ORDER BY size DESC LIMIT 100 FORMAT JSON',
];
const statement = (turn: number): Promise<Response> =>
  fetch(sqlUrl, { method: 'POST', body: STATEMENTS[turn % STATEMENTS.length]! });

for (let n = 0; n < task.feedClients; n++) void readHistory();
for (let n = 0; n < task.pageLoops; n++) void again('pages', page);
for (let n = 0; n < task.sqlLoops; n++) void again('statements', statement);

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const stats: ReaderStats = {
    ...counts,
    cpuSeconds: (user + system) / 1e6,
    mistakes: Object.fromEntries(mistakes),
  };
  process.send!(stats);
});
process.on('disconnect', () => process.exit(0));
