import { createHash } from 'node:crypto';

import type { BodySpool, SpoolWriter } from '../model/body-spool.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import type { Objects } from './objects.ts';

const folder = 'spool';
const idPrefix = 'spl_';
const pieceBytes = 4 * 1024 * 1024;
const pieceDigits = 6;
/** Nobody may be writing what is older, and no work on it takes so long. */
const abandonedMilliseconds = 48 * 60 * 60 * 1000;

interface SpooledPieces {
  readonly id: string;
  readonly pieceCount: number;
}

/** Bodies in object storage, in pieces of 4 MiB, until the work on them is done. */
export class Spool implements BodySpool {
  readonly #objects: Objects;
  readonly #environment: Environment;

  constructor({ objects, environment }: { objects: Objects; environment: Environment }) {
    this.#objects = objects;
    this.#environment = environment;
  }

  open(): SpoolWriter {
    return new PieceWriter(this.#objects, makeId(idPrefix, this.#environment));
  }

  /** Reads a body from its beginning; one piece of it is in memory at a time. */
  async *read({ id, pieceCount }: SpooledPieces): AsyncGenerator<Uint8Array, void> {
    for (let at = 0; at < pieceCount; at++) {
      const piece = await this.#objects.get(keyOf(id, at));
      if (!piece) throw new Failure('unavailable', { detail: 'The body that was sent is gone.' });
      yield piece;
    }
  }

  async drop(id: string): Promise<void> {
    await this.#objects.deletePrefix(`${folder}/${id}/`);
  }

  /** Deletes bodies whose process died before anybody took them over. */
  async sweep(): Promise<void> {
    const past = {
      ...this.#environment,
      now: () => this.#environment.now() - abandonedMilliseconds,
    };
    const newest = makeId(idPrefix, past);
    const ids = new Set<string>();
    for await (const key of this.#objects.list(`${folder}/`)) {
      const [, id = ''] = key.split('/');
      if (id >= newest) break;
      ids.add(id);
    }
    for (const id of ids) await this.drop(id);
  }
}

class PieceWriter implements SpoolWriter {
  readonly #objects: Objects;
  readonly #id: string;
  readonly #hash = createHash('sha256');
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #byteCount = 0;
  #pieceCount = 0;

  constructor(objects: Objects, id: string) {
    this.#objects = objects;
    this.#id = id;
  }

  async write(bytes: readonly Uint8Array[]): Promise<void> {
    for (const block of bytes) {
      this.#hash.update(block);
      this.#byteCount += block.length;
      this.#waiting.push(block);
      this.#waitingBytes += block.length;
      if (this.#waitingBytes >= pieceBytes) await this.#put();
    }
  }

  async end() {
    if (this.#waitingBytes > 0) await this.#put();
    const [byteCount, pieceCount] = [this.#byteCount, this.#pieceCount];
    return { id: this.#id, byteCount, pieceCount, digest: this.#hash.digest() };
  }

  async drop(): Promise<void> {
    await this.#objects.deletePrefix(`${folder}/${this.#id}/`);
  }

  async #put(): Promise<void> {
    const piece = Buffer.concat(this.#waiting);
    [this.#waiting, this.#waitingBytes] = [[], 0];
    await this.#objects.put(keyOf(this.#id, this.#pieceCount++), piece);
  }
}

function keyOf(id: string, piece: number): string {
  return `${folder}/${id}/${String(piece).padStart(pieceDigits, '0')}`;
}
