// A WebSocket client that is not ours: Python's `websockets`, in a virtual environment of its own.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const HOME = join(import.meta.dirname, '..', '..', '.cache', 'python-websockets-1');
const PACKAGES = ['websockets==15.0.1'];

/** Path of its interpreter; null, with a visible line, where there is no Python or no package index. */
export async function pythonWithWebsockets(): Promise<string | null> {
  const python = join(HOME, 'bin', 'python');
  if (existsSync(python)) return python;
  const making = `${HOME}.${process.pid}`;
  try {
    await mkdir(join(HOME, '..'), { recursive: true });
    await run('python3', ['-m', 'venv', making]);
    await run(join(making, 'bin', 'python'), ['-m', 'pip', 'install', '-q', ...PACKAGES], {
      timeout: 120_000,
    });
    await rename(making, HOME);
    return python;
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (existsSync(python)) return python;
    process.stderr.write(
      `SKIPPED independent WebSocket client: ${(error as Error).message.split('\n')[0]}\n`,
    );
    return null;
  }
}

/** Follows the feed for so many books, drops the connection, resumes by position, and says what it got. */
export const FOLLOW = `
import asyncio, json, sys
import websockets

url, key, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])

async def follow(places, count):
    got = []
    async with websockets.connect(url, additional_headers={"Authorization": "Bearer " + key}) as socket:
        ask = {"type": "subscribe", "venue": "venuec"}
        if places:
            ask["from"] = {"position": list(places.values())}
        await socket.send(json.dumps(ask))
        async for text in socket:
            message = json.loads(text)
            if message["type"] == "error":
                raise SystemExit(text)
            if message["type"] == "subscribed" and not places:
                for seq in message["positions"]:
                    places[seq.rsplit("/", 1)[0]] = seq
            if message["type"] == "book" and not message.get("current"):
                places[message["seq"].rsplit("/", 1)[0]] = message["seq"]
                got.append({"seq": message["seq"], "data": message["data"]})
                if len(got) >= count:
                    return got

async def main():
    places = {}
    first = await follow(places, wanted)
    second = await follow(places, wanted)
    print(json.dumps(first + second))

asyncio.run(asyncio.wait_for(main(), 200))
`;
