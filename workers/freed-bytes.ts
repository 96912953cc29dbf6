import { MessageChannel } from 'node:worker_threads';

/**
 * A closed port: buffers that are transferred to it are freed at once, without a turn of the event
 * loop.
 */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Frees memory at once; the bytes are empty afterwards. V8 does not collect such garbage before a
 * thread has 64 MiB of it, so data that streams by in blocks would take that much more. Nobody may
 * still read the bytes, or be writing them to a file or socket. Shared memory is left alone.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) {
    nowhere.postMessage(undefined, [buffer]);
  }
}
