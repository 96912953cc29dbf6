import { Agent as HttpAgent } from 'node:http';
import type { ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/**
 * Keep-alive agents whose sockets always have somebody who listens for errors. When an answer comes
 * before the whole request was sent and the other side then hangs up, node:http has stopped
 * listening by the time the error arrives, and the error nobody hears ends the process.
 */
export function makeAgents(maxSockets: number): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const options = { keepAlive: true, maxSockets };
  return { httpAgent: new HeardHttpAgent(options), httpsAgent: new HeardHttpsAgent(options) };
}

type OnCreated = (error: Error | null, socket: Duplex) => void;

class HeardHttpAgent extends HttpAgent {
  override createConnection(
    options: ClientRequestArgs,
    onCreated?: OnCreated,
  ): Duplex | null | undefined {
    return heard(super.createConnection(options, onCreated));
  }
}

class HeardHttpsAgent extends HttpsAgent {
  override createConnection(
    options: RequestOptions,
    onCreated?: OnCreated,
  ): Duplex | null | undefined {
    return heard(super.createConnection(options, onCreated));
  }
}

/** The socket's request gets the same error while it exists. */
function heard(socket: Duplex | null | undefined): Duplex | null | undefined {
  return socket?.on('error', () => undefined);
}
