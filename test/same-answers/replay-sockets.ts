// Clients of replays that are served over a WebSocket.

/** What the recording says; answers and heartbeats are of the connection. */
const RECORDED = new Set(['book', 'gap', 'market']);

/** All of a replay, from its first message to its end. */
export function streamedMessages(url: string): Promise<string[]> {
  return collect(url, { type: 'subscribe', id: 'all' }, (text, socket, texts) => {
    const message = JSON.parse(text) as { readonly type: string; readonly state?: string };
    if (RECORDED.has(message.type)) texts.push(text);
    if (message.type === 'replay' && message.state === 'ended') socket.close(1000);
  });
}

/** As a bot of venue C sees it: the frames of these tokens, to the end of the recording. */
export function nativeMessages(url: string, tokens: readonly string[]): Promise<string[]> {
  return collect(url, { type: 'market', assets_ids: tokens }, (text, _socket, texts) => texts.push(text));
}

function collect(
  url: string,
  subscription: object,
  onText: (text: string, socket: WebSocket, texts: string[]) => void,
): Promise<string[]> {
  const socket = new WebSocket(url);
  const texts: string[] = [];
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => socket.send(JSON.stringify(subscription)));
    socket.addEventListener('message', ({ data }) => onText(String(data), socket, texts));
    socket.addEventListener('error', () => reject(new Error(`the connection to ${url} failed`)));
    socket.addEventListener('close', ({ code }) =>
      code === 1000
        ? resolve(texts)
        : reject(new Error(`closed with ${code} after ${texts.length} messages`)),
    );
  });
}
