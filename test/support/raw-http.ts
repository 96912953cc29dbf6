import { connect } from 'node:net';

/** Sends raw bytes; resolves with all that the server sends until it closes or pauses. */
export function sendRaw(
  port: number,
  pieces: readonly (string | Buffer)[],
  options: { pauseMilliseconds?: number; quietMilliseconds?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    let quiet: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      clearTimeout(quiet);
      quiet = setTimeout(finish, options.quietMilliseconds ?? 300);
    });
    socket.on('close', finish);
    // A server that refuses a body may reset the connection during the write.
    socket.on('error', (error) => (received === '' ? reject(error) : finish()));
    socket.on('connect', () => {
      void writeAll(socket.write.bind(socket), pieces, options.pauseMilliseconds ?? 0);
    });
  });
}

async function writeAll(
  write: (piece: string | Buffer) => boolean,
  pieces: readonly (string | Buffer)[],
  pauseMilliseconds: number,
): Promise<void> {
  for (const piece of pieces) {
    write(piece);
    if (pauseMilliseconds > 0) {
      await new Promise((resume) => setTimeout(resume, pauseMilliseconds));
    }
  }
}
