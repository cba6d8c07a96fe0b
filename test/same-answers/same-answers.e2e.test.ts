// Every route, asked of the recording of version 0.1.0, answers what that version answered.

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Answer, Asked } from './asking.ts';
import { ask } from './asking.ts';
import type { Running } from './command.ts';
import { differences } from './difference.ts';
import type { Fixture } from './fixture.ts';
import { unpackFixture } from './fixture.ts';
import { isUpdate, readGolden, writeGolden } from './golden.ts';
import { listRequests } from './requests.ts';

const REQUESTS = 'requests.json';
const ANSWERS = 'answers.json.gz';

let fixture: Fixture;
let server: Running;
let url: string;

beforeAll(async () => {
  fixture = unpackFixture();
  // Serves and records nothing; what is there is not touched.
  server = fixture.launch(['serve', '--json', '--port', '0', '--log-level', 'error']);
  url = String((await server.ready())['url']);
});

afterAll(async () => {
  await server?.stop();
  fixture?.remove();
});

/** For what hangs: hundreds of requests take as long as the machine needs. */
const LIMIT_MS = 1_800_000;

test(
  'every request is answered as before',
  async () => {
    if (isUpdate) {
      const requests = unique(await listRequests((asked) => ask(url, asked)));
      writeGolden(REQUESTS, requests);
      writeGolden(ANSWERS, await askAll(requests));
    }
    const requests = readGolden(REQUESTS) as readonly Asked[];
    const expected = readGolden(ANSWERS) as readonly Answer[];
    expect(requests.length).toBeGreaterThanOrEqual(300);
    expect(expected).toHaveLength(requests.length);
    const actual = await askAll(requests);
    const different = requests.flatMap((asked, at) => {
      const found = differences(expected[at]!, actual[at]!);
      return found.length === 0 ? [] : [[`${at}: ${JSON.stringify(asked)}`, ...found].join('\n    ')];
    });
    expect(different.length, `${different.length} answers differ\n${different.slice(0, 20).join('\n')}`).toBe(
      0,
    );
  },
  LIMIT_MS,
);

test('the server ends cleanly', async () => {
  const { code, stderr } = await server.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

async function askAll(requests: readonly Asked[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const asked of requests) answers.push(await ask(url, asked));
  return answers;
}

const unique = (requests: readonly Asked[]): Asked[] => [
  ...new Map(requests.map((asked) => [JSON.stringify(asked), asked])).values(),
];
