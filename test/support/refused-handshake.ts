import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

export interface RefusedHandshake {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly json: unknown;
}

/** Asks to become a websocket, and reads the answer that says why not. */
export async function refusedHandshake(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RefusedHandshake> {
  const asking = get(url, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...headers,
    },
  });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, json: await json(answer) };
}
