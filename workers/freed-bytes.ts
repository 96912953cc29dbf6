import { MessageChannel } from 'node:worker_threads';

/** A closed port: what is handed over to it is gone, without a turn of the loop of the thread. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/**
 * Gives memory back at once; the bytes are empty from then on. Garbage of this kind is not
 * collected before there are 64 MiB of it in a thread, so whatever goes by in blocks takes that
 * much more. Nobody may still read the bytes, nor write them to a file or a socket. Those that
 * share their memory with others stay.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength === byteLength) {
    nowhere.postMessage(undefined, [buffer]);
  }
}
