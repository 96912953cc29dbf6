import { fileURLToPath } from 'node:url';
import type { Environment } from '../model/environment.ts';
import { openFileObjects } from './objects-file.ts';

/**
 * Object storage. A resolved put is durable: the bytes survive a power cut, and every later get,
 * head and list of any node sees them. A put is atomic: a reader sees all bytes or none. Puts of
 * one key with equal bytes always succeed, so a put whose outcome is unknown is simply repeated.
 * Keys are `/`-separated segments of letters, digits and `._=-`; no key is a folder of another.
 *
 * A call ends in bounded time. A store that does not answer is the failure `unavailable`; a put
 * that failed so may still happen, even later than the next put of that key. Keys should therefore
 * name one content for good, or be put with `ifNoneMatch`.
 */
export interface Objects {
  /**
   * With `ifNoneMatch: '*'` an existing object is left as it is and the answer is 'exists'; of
   * several such puts at one time exactly one is told 'written', lost answers or not.
   */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'>;
  /** Rejects with DamagedObject if the store knows that the bytes are not those that were put. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Reads fewer bytes if the object ends before, none if it ends before `start`. A part is not
   * compared with the bytes that were put: that is for callers who know these.
   */
  getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined>;
  head(key: string): Promise<ObjectHead | undefined>;
  /** Keys that begin with the prefix, in byte order. */
  list(prefix: string): AsyncIterable<string>;
  /** Deletes an object; succeeds for a missing one. */
  delete(key: string): Promise<void>;
  /**
   * Deletes all keys with a prefix, and returns their number. It repeats until there are none, so
   * writes below the prefix should have stopped.
   */
  deletePrefix(prefix: string): Promise<number>;
  /** Resolves if the store answers, within 2 s; for `/ready`. */
  check(): Promise<void>;
  /** Calls that are under way fail. */
  close(): void;
}

export interface PutOptions {
  readonly ifNoneMatch?: '*';
}

export interface ObjectHead {
  readonly byteCount: number;
}

/** Opens the store that OBJECT_STORE_URL names. */
export async function openObjects(storeUrl: string, environment: Environment): Promise<Objects> {
  const url = new URL(storeUrl);
  switch (url.protocol) {
    case 'file:':
      return openFileObjects(fileURLToPath(url), environment);
    case 's3:':
      // Its client is half of what a start loads: only those who need it wait for it.
      return (await import('./objects-s3.ts')).openS3Objects(url, environment);
    default:
      throw new Error(`OBJECT_STORE_URL must begin with file: or s3:, not ${url.protocol}`);
  }
}
