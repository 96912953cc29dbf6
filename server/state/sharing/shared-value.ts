import { deserialize, serialize } from 'node:v8';

/** Copies a value of plain data to shared memory, for another thread to read. */
export function toShared(value: unknown): SharedArrayBuffer {
  const bytes = serialize(value);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** Reads what `toShared` wrote; whoever asks knows its type. */
export function fromShared(shared: SharedArrayBuffer): unknown {
  return deserialize(new Uint8Array(shared).slice());
}
