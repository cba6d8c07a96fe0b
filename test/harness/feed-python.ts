// A WebSocket client that is not ours: Python's `websockets`.

import { pythonWith } from './python.ts';

export const pythonWithWebsockets = (): Promise<string | null> =>
  pythonWith('python-websockets-1', ['websockets==15.0.1']);

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
