// A full disk under the embedded store: a clear error, everything acknowledged intact, and it goes on when space returns.

import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { LadderlogError } from '@ladderlog/core';
import type { Store } from '@ladderlog/store';
import { createRowEncoder, openChdbStore, openEngineStore, startEngineServer } from '@ladderlog/store';
import { mountSmallDisk } from '../../../../test/harness/log-small-disk.ts';
import { book, bookRow, T0 } from '../book-rows.ts';

const disk = mountSmallDisk(256);
afterAll(() => disk?.remove());

const inProcess = (): Promise<Store> => openChdbStore({ path: join(disk!.folder, 'store') });

async function throughSocket(): Promise<Store> {
  const socket = join(disk!.folder, 'engine.sock');
  const chdb = await openChdbStore({ path: join(disk!.folder, 'store') });
  const server = await startEngineServer({ store: chdb, socket });
  const store = await openEngineStore({ socket });
  const close = async (): Promise<void> => {
    await store.close();
    await server.close();
    await chdb.close();
  };
  return { ...store, close };
}

describe.skipIf(disk === null).each([
  ['in process', inProcess],
  ['through its socket', throughSocket],
])('a full disk under the engine %s (needs the right to mount a tmpfs)', (_, open) => {
  let store: Store | null = null;
  afterAll(async () => {
    await store?.close();
    rmSync(join(disk!.folder, 'store'), { recursive: true, force: true });
  });

  const insert = async (first: number, count: number): Promise<void> => {
    const encoder = createRowEncoder('book_snapshots', 1);
    for (let at = first; at < first + count; at++) {
      const sizes = Array.from(
        { length: 100 },
        (_, level) => ((at * 7_919 + level * 104_729) % 1_000_003) * 1_000,
      );
      encoder.add(
        bookRow(
          book({
            observedAt: T0 + at,
            ordinal: at,
            bidPrices: sizes.map((_, level) => 500_000 - level),
            bidSizes: sizes,
          }),
          at,
        ),
      );
    }
    await store!.insertRowBinary('book_snapshots', encoder.columns, encoder.take(), {
      token: `full:${first}-${count}`,
    });
  };
  const count = async (): Promise<unknown> =>
    (await store!.query('SELECT count() AS rows, uniqExact(offset) AS offsets FROM book_snapshots'))[0];

  test('is said, loses nothing acknowledged, and is over when space returns', async () => {
    store = await open();
    await store.migrate();
    await insert(0, 1_000);
    const filler = join(disk!.folder, 'filler');
    const { bavail, bsize } = statfsSync(disk!.folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 600_000));

    let acknowledged = 1_000;
    const untilRefused = async (): Promise<LadderlogError> => {
      for (let batch = 0; batch < 50; batch++) {
        try {
          await insert(acknowledged, 500);
        } catch (refusal) {
          return refusal as LadderlogError;
        }
        acknowledged += 500;
      }
      throw new Error('the disk did not fill');
    };
    expect(await untilRefused()).toMatchObject({ code: 'STORE_DISK_FULL', retryable: true });
    expect(await count()).toEqual({ rows: acknowledged, offsets: acknowledged });

    rmSync(filler);
    await insert(acknowledged, 500);
    await insert(acknowledged, 500);
    expect(await count()).toEqual({ rows: acknowledged + 500, offsets: acknowledged + 500 });
  });
});
