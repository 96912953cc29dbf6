import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that was free a moment ago. */
export function freePort(host: string): Promise<number> {
  return probePort(host, 0);
}

/** Listens on a port for a moment, any free one for 0; fails with the code of the system. */
export async function probePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
