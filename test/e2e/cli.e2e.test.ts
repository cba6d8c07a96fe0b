// The command as people and scripts meet it: help, configuration, exit codes, completion, pipes.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, expect, test, vi } from 'vitest';

import { run as runCommand } from '../../packages/cli/src/program.ts';
import { REPOSITORY, cleanEnv, ladderlog, launch, readyFacts } from '../harness/ladderlog.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ladderlog-cli-'));
const data = join(folder, 'data');
const MAIN = join(REPOSITORY, 'packages/cli/src/main.ts');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EXPECTED =
  'up collect project serve import export keys rebuild verify simulate migrate doctor config backup restore completion'.split(
    ' ',
  );

async function commandNames(): Promise<string[]> {
  const { stdout } = await ladderlog(['--help']);
  const commands = stdout.slice(stdout.indexOf('Commands:'));
  return [...commands.matchAll(/^ {2}([a-z]+) /gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help');
}

test('every command has help with an example', async () => {
  const names = await commandNames();
  expect(names).toEqual(expect.arrayContaining(EXPECTED));
  for (const name of names) {
    const { code, stdout } = await helpOf(name);
    expect({ name, code }).toEqual({ name, code: 0 });
    expect(stdout).toContain('Examples:');
    expect(stdout).toMatch(new RegExp(`^ {2}(\\S+=\\S+ |source <\\()?ladderlog ${name}`, 'm'));
    for (const flag of ['--data', '--json', '--config', '--log-level']) expect(stdout).toContain(flag);
  }
});

/** In this process: twenty starts of Node would be most of the test. */
async function helpOf(name: string): Promise<{ code: number; stdout: string }> {
  let stdout = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  try {
    const code = await runCommand([name, '--help']);
    return { code, stdout };
  } finally {
    write.mockRestore();
  }
}

test('all configuration errors are reported together, with exit code 2', async () => {
  const file = join(folder, 'bad.yaml');
  writeFileSync(file, 'port: 99999\nunheardOf: 1\n');
  const { code, stderr, stdout } = await ladderlog(['config', '--config', file], {
    env: {
      LADDERLOG_BEAT_SECONDS: 'often',
      LADDERLOG_KAFKA_BROKERS: 'broker:9092',
      LADDERLOG_MISSPELT: '1',
      LADDERLOG_CLICKHOUSE_URL: 'ftp://x',
    },
  });
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('6 problems');
  for (const name of [
    "'port' in the configuration file is '99999'; it must be a whole number from 0 to 65535",
    "'unheardOf' in the configuration file is not a setting",
    'LADDERLOG_BEAT_SECONDS',
    'LADDERLOG_MISSPELT is not a setting',
    'LADDERLOG_SCHEMA_REGISTRY_URL is not',
    'LADDERLOG_CLICKHOUSE_URL',
  ])
    expect(stderr).toContain(name);
});

test('flag, environment, file and default, in this order', async () => {
  const file = join(folder, 'some.yaml');
  writeFileSync(file, 'host: 0.0.0.0\ndata: from-file\nlogLevel: error\nport:\n');
  const { stdout } = await ladderlog(['config', '--json', '--config', file, '--data', 'from-flag'], {
    env: { LADDERLOG_LOG_LEVEL: 'warn', LADDERLOG_DATA: 'from-environment' },
  });
  const rows = JSON.parse(stdout) as { name: string; value: unknown; origin: string }[];
  const of = (name: string): object => rows.find((row) => row.name === name)!;
  expect(of('data')).toMatchObject({ value: 'from-flag', origin: 'flag' });
  expect(of('logLevel')).toMatchObject({ value: 'warn', origin: 'environment' });
  expect(of('host')).toMatchObject({ value: '0.0.0.0', origin: 'file' });
  expect(of('port')).toMatchObject({ value: 8080, origin: 'default' });
});

test('config never prints a secret', async () => {
  const secrets = {
    LADDERLOG_KAFKA_SASL_PASSWORD: 'hidden-1',
    LADDERLOG_CLICKHOUSE_PASSWORD: 'hidden-2',
    LADDERLOG_CURSOR_SECRET: 'hidden-3-hidden-3-hidden-3-hidden-3',
    LADDERLOG_REDIS_URL: 'redis://user:hidden-4@redis:6379',
    LADDERLOG_VENUEA_API_KEY: 'hidden-5',
    LADDERLOG_VENUEA_API_SECRET: 'hidden-6',
  };
  const addresses = {
    LADDERLOG_CLICKHOUSE_URL: 'http://me:hidden-7@clickhouse:8123',
    LADDERLOG_SCHEMA_REGISTRY_URL: 'http://me:hidden-8@registry:8081',
  };
  for (const args of [['config'], ['config', '--json']]) {
    const { code, stdout, stderr } = await ladderlog(args, { env: { ...secrets, ...addresses } });
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('hidden');
    expect(stdout).toContain('http://(set)@clickhouse:8123');
    expect(stdout).toContain('http://(set)@registry:8081');
    expect(stdout.match(/\(set\)(?!@)/g)).toHaveLength(Object.keys(secrets).length);
  }
  const wrong = await ladderlog(['config'], { env: { LADDERLOG_REDIS_URL: 'http://user:hidden@redis' } });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('LADDERLOG_REDIS_URL is not valid');
  expect(wrong.stderr).not.toContain('hidden');
});

test('exit codes: usage 2, refused 2, in the way 4', async () => {
  expect((await ladderlog(['unheard-of'])).code).toBe(2);
  expect((await ladderlog(['up', '--unheard-of'])).code).toBe(2);
  expect((await ladderlog(['keys', 'issue', '--plan', 'gold', '--name', 'x', '--data', data])).code).toBe(2);
  expect((await ladderlog(['--version'])).code).toBe(0);
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const refused = await ladderlog(['up', '--venues', 'none', '--port', String(port), '--data', data]);
  taken.close();
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`port ${port} on 127.0.0.1 is in use; choose another with --port`);
});

test('a metrics port that is in use is named with its own flag', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const port = String((taken.address() as AddressInfo).port);
  const args = ['up', '--venues', 'none', '--port', '0', '--metrics-port', port, '--data', data];
  const refused = await ladderlog(args);
  taken.close();
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('choose another with --metrics-port');
});

test('nothing to record is wrong configuration, not success', async () => {
  for (const [args, reason] of [
    [['collect', '--venues', 'venuea'], 'LADDERLOG_VENUEA_API_KEY'],
    [['collect', '--venues', 'none'], '--venues is none'],
    [['up', '--venues', 'venuea', '--port', '0'], 'LADDERLOG_VENUEA_API_KEY'],
    [['backfill', '--venue', 'venueb', '--since', '2026-11-01', '--venues', 'none'], 'live or simulated'],
  ] as const) {
    const refused = await ladderlog([...args, '--data', data]);
    expect({ args, code: refused.code }).toEqual({ args, code: 2 });
    expect(refused.stderr).toContain(reason);
  }
});

test('a second collector of the same markets is refused, one of another share is not', async () => {
  const shared = join(folder, 'shared');
  const first = launch(['collect', '--json', '--shard', '0/2', '--data', shared]);
  const other = launch(['collect', '--json', '--shard', '1/2', '--data', shared]);
  try {
    await readyFacts(first);
    await readyFacts(other);
    const second = await ladderlog(['collect', '--shard', '0/2', '--data', shared]);
    expect(second.code).toBe(4);
    expect(second.stderr).toContain('another process records venuea (share 0/2)');
    expect((await first.interrupt()).code).toBe(0);
  } finally {
    await first.kill();
    await other.kill();
  }
});

test('an output that cannot be written is a failure without a stack trace', async () => {
  const { stderr, stdout } = await run(
    'bash',
    ['-c', `"${process.execPath}" "${MAIN}" config > /dev/full; echo "code $?"`],
    { cwd: folder, env: cleanEnv() },
  );
  expect(stdout).toContain('code 1');
  expect(stderr).toMatch(/^ladderlog: the output cannot be written: .*ENOSPC.*\n$/);
});

test('keys: issued once, listed without secrets, revoked', async () => {
  const issued = JSON.parse(
    (await ladderlog(['keys', 'issue', '--plan', 'quant', '--name', 'research', '--json', '--data', data]))
      .stdout,
  ) as { key: string; key_id: string };
  const list = async (): Promise<string> => (await ladderlog(['keys', 'list', '--data', data])).stdout;
  expect(await list()).toMatch(new RegExp(`^${issued.key_id} .*quant.*active.*research`, 'm'));
  expect(await list()).not.toContain(issued.key.split('_')[2]);
  expect((await ladderlog(['keys', 'revoke', issued.key_id, '--data', data])).code).toBe(0);
  expect(await list()).toMatch(/revoked/);
  const reserved = ['keys', 'issue', '--plan', 'quant', '--name', 'ladderlog:demo', '--data', data];
  expect((await ladderlog(reserved)).code).toBe(2);
});

test('the demo key ends with the next start; a key that a user named demo does not', async () => {
  const place = join(folder, 'demo');
  type Key = { name: string; revoked_at: string | null };
  const keys = async (): Promise<Key[]> =>
    JSON.parse((await ladderlog(['keys', 'list', '--json', '--data', place])).stdout) as Key[];
  const start = async (...venues: string[]): Promise<string | null> => {
    const up = launch(['up', '--json', '--port', '0', '--data', place, ...venues]);
    try {
      return (await readyFacts<{ demoKey: string | null }>(up)).demoKey;
    } finally {
      await up.interrupt();
    }
  };
  expect(await start('--venues', 'none')).not.toBeNull();
  const mine = ['keys', 'issue', '--plan', 'quant', '--name', 'demo', '--data', place];
  expect((await ladderlog(mine)).code).toBe(0);
  expect(await start('--venues', 'none')).toBeNull();
  const active = (await keys()).filter((key) => key.revoked_at === null);
  expect(active.map(({ name }) => name)).toEqual(['demo']);
});

test('doctor says what it found and what to do', async () => {
  const well = await ladderlog(['doctor', '--venues', 'none', '--data', data]);
  expect(well.code).toBe(0);
  for (const name of ['node', 'data directory', 'disk', 'clock', 'log', 'store', 'schema registry', 'venues'])
    expect(well.stdout).toMatch(new RegExp(`^( ok | - {2}) ${name}`, 'm'));
  const ill = await ladderlog(['doctor', '--venues', 'venuec', '--json', '--data', data], {
    env: {
      LADDERLOG_VENUEC_GAMMA_URL: 'http://127.0.0.1:9',
      LADDERLOG_VENUEC_CLOB_URL: 'http://127.0.0.1:9',
      LADDERLOG_VENUEC_WS_URL: 'ws://127.0.0.1:9',
    },
  });
  expect(ill.code).toBe(1);
  const failed = (JSON.parse(ill.stdout) as { name: string; ok: boolean | null; advice?: string }[]).filter(
    ({ ok }) => ok === false,
  );
  expect(failed.map(({ name }) => name)).toEqual(['venuec', 'venuec', 'venuec']);
  expect(failed.every(({ advice }) => advice)).toBe(true);
});

test('doctor warns of a clock that a venue does not share', async () => {
  const hour = 3_600_000;
  const venue = createHttpServer((_request, response) =>
    response.writeHead(200, { date: new Date(Date.now() - hour).toUTCString() }).end(),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => venue.once('listening', resolve));
  const address = `127.0.0.1:${(venue.address() as AddressInfo).port}`;
  const { stdout } = await ladderlog(['doctor', '--venues', 'venuec', '--json', '--data', data], {
    env: {
      LADDERLOG_VENUEC_GAMMA_URL: `http://${address}`,
      LADDERLOG_VENUEC_CLOB_URL: `http://${address}`,
      LADDERLOG_VENUEC_WS_URL: `ws://${address}`,
    },
  });
  venue.close();
  const found = (JSON.parse(stdout) as { name: string; ok: boolean | null; found: string }[]).find(
    ({ name }) => name === 'venue clock',
  );
  expect(found).toMatchObject({ ok: null, found: expect.stringMatching(/ours is 36\d\d s ahead/) as string });
});

test('completion can be sourced by bash and completes commands and flags', async () => {
  const script = join(folder, 'completion.bash');
  writeFileSync(script, (await ladderlog(['completion', 'bash'])).stdout);
  const complete = async (...words: string[]): Promise<string[]> => {
    const lines = [
      `source ${script}`,
      `COMP_WORDS=(ladderlog ${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length}`,
      '_ladderlog',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ];
    return (await run('bash', ['-c', lines.join('\n')], { cwd: folder })).stdout.trim().split('\n');
  };
  expect(await complete('ver')).toEqual(['verify']);
  expect(await complete('up', '--metr')).toEqual(['--metrics-port']);
  for (const shell of ['zsh', 'fish'])
    expect((await ladderlog(['completion', shell])).stdout).toContain('verify');
  expect((await ladderlog(['completion', 'tcsh'])).code).toBe(2);
});

test('a reader that leaves early (| head) is no crash', async () => {
  const { stdout, stderr } = await run(
    'bash',
    [
      '-c',
      `set -o pipefail; "${process.execPath}" "${MAIN}" config | head -1; echo "codes \${PIPESTATUS[*]}"`,
    ],
    { cwd: folder, env: cleanEnv() },
  );
  expect(stdout).toMatch(/^data = /);
  expect(stdout).toContain('codes 0 0');
  expect(stderr).toBe('');

  // Nobody reads at all: the pipe is closed before the first word.
  const child = spawn(process.execPath, [MAIN, 'config'], {
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, said }).toEqual({ code: 0, said: '' });
});

test('the metrics port says that it is ready and how long queries take', async () => {
  const place = join(folder, 'metrics');
  const none = ['--venues', 'none', '--port', '0', '--metrics-port', '0'];
  const up = launch(['up', '--json', ...none, '--data', place]);
  try {
    const { metricsPort } = await readyFacts<{ metricsPort: number }>(up);
    const get = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${metricsPort}/${path}`)).text();
    expect(await get('ready')).toBe('ok\n');
    expect(await get('metrics')).toMatch(/^ladderlog_store_query_seconds_count\{query="health"\} [1-9]/m);
  } finally {
    await up.kill();
  }
});

test.skipIf(process.platform !== 'linux')('a role begins with the settings that keep it small', async () => {
  const of = (pid: number, file: string): string[] =>
    readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  const up = launch(['up', '--venues', 'none', '--port', '0', '--json', '--data', join(folder, 'small')]);
  try {
    await readyFacts(up);
    expect(of(up.pid, 'cmdline')).toEqual(
      expect.arrayContaining(['--max-semi-space-size=8', '--memory-saver-mode']),
    );
    expect(of(up.pid, 'environ')).toEqual(
      expect.arrayContaining([
        'MALLOC_ARENA_MAX=2',
        expect.stringMatching(/^JE_MALLOC_CONF=.*dirty_decay_ms/),
      ]),
    );
  } finally {
    await up.interrupt();
  }
});

test('LADDERLOG_TRUST_PROXY reaches the API: clients behind a proxy count apart', async () => {
  const up = launch(['up', '--venues', 'none', '--port', '0', '--json', '--data', join(folder, 'proxied')], {
    env: { LADDERLOG_TRUST_PROXY: '1' },
  });
  try {
    const { url } = await readyFacts<{ url: string }>(up);
    const left = async (address: string): Promise<string | null> =>
      (await fetch(`${url}/v3/health`, { headers: { 'X-Forwarded-For': address } })).headers.get(
        'x-ratelimit-remaining',
      );
    const first = await left('192.0.2.1');
    for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) expect(await left(address)).toBe(first);
  } finally {
    await up.interrupt();
  }
});

test.skipIf(process.platform !== 'linux')(
  'log lines that cannot be written end nothing, nor keep it from ending',
  async () => {
    const full = openSync('/dev/full', 'w');
    const up = spawn(
      process.execPath,
      [
        MAIN,
        'up',
        '--venues',
        'none',
        '--port',
        '0',
        '--json',
        '--log-level',
        'debug',
        '--data',
        join(folder, 'full'),
      ],
      { env: cleanEnv(), stdio: ['ignore', 'pipe', full] },
    );
    closeSync(full);
    const ended = once(up, 'close');
    await once(up.stdout!, 'data');
    up.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);
