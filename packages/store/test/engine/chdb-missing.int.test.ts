import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';

vi.mock('chdb/connection', () => {
  throw Object.assign(new Error('chdb: no native binding for linux-riscv64'), {
    code: 'CHDB_PLATFORM_UNSUPPORTED',
  });
});

const path = mkdtempSync(join(tmpdir(), 'ladderlog-no-chdb-'));
afterAll(() => rmSync(path, { recursive: true, force: true }));

test('where chDB has no library, the advice is a ClickHouse URL', async () => {
  const { openChdbStore } = await import('@ladderlog/store');
  await expect(openChdbStore({ path })).rejects.toMatchObject({
    code: 'NOT_SUPPORTED_HERE',
    message: expect.stringContaining('LADDERLOG_CLICKHOUSE_URL') as string,
  });
});
