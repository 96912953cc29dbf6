import type { ClientRequest, IncomingMessage } from 'node:http';

/** Time without any bytes after which the service is asked for another sign of life. */
export const quietMilliseconds = 10_000;
/** Time without any bytes after which a request ends even so; the `fetch` of Node has the same. */
const silentMilliseconds = 300_000;

/**
 * Ends a request whose connection is silent. An export that waits for its turn is silent too, so a
 * service that answers a probe meanwhile is waited for.
 */
export function endWhenSilent(sending: ClientRequest, probe: () => ClientRequest): void {
  let answer: IncomingMessage | undefined;
  let silentFor = 0;
  let bytesBefore = 0;
  const isHeard = (): boolean => {
    const before = bytesBefore;
    bytesBefore = sending.socket?.bytesRead ?? 0;
    return bytesBefore !== before;
  };
  const end = (code: string, message: string): void => {
    (answer ?? sending).destroy(Object.assign(new Error(message), { code }));
  };
  const isSilent = async (): Promise<boolean> => {
    silentFor = isHeard() ? 0 : silentFor + quietMilliseconds;
    if (silentFor === 0) return false;
    const isAlive = silentFor < silentMilliseconds && (await isAnswered(probe()));
    return !isAlive && !isHeard();
  };
  const look = async (): Promise<void> => {
    if (sending.socket?.connecting === true) end('ETIMEDOUT', 'no connection is taken');
    else if (await isSilent()) end('SILENT', 'nothing is heard');
    else sending.socket?.setTimeout(quietMilliseconds);
  };
  const whenQuiet = (): void => void look();
  sending.once('socket', (socket) => {
    bytesBefore = socket.bytesRead;
    // The request itself tells of its first timeout alone.
    socket.on('timeout', whenQuiet);
    sending.once('close', () => socket.off('timeout', whenQuiet));
  });
  sending.once('response', (message) => (answer = message));
}

/** Returns whether a request is answered in time, whatever the answer is. */
function isAnswered(probe: ClientRequest): Promise<boolean> {
  return new Promise((resolve) => {
    probe.once('response', (message) => {
      message.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
    probe.once('timeout', () => probe.destroy());
    // A command that was ended meanwhile does not wait for it.
    probe.once('socket', (socket) => socket.unref());
    probe.end();
  });
}
