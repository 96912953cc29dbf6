import { createHash } from 'node:crypto';

import type { BodySpool, SpoolWriter } from '../model/body-spool.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import { freeBytes } from '../../workers/freed-bytes.ts';
import type { Objects } from './objects.ts';

const folder = 'spool';
const idPrefix = 'spl_';
const pieceBytes = 4 * 1024 * 1024;
const pieceDigits = 6;
/** Age from which a file is abandoned: no write and no use takes so long. */
const abandonedMilliseconds = 48 * 60 * 60 * 1000;

type PieceStore = Pick<Objects, 'put' | 'get' | 'list' | 'deletePrefix'>;

interface SpooledPieces {
  readonly id: string;
  readonly pieceCount: number;
}

/** Bodies in object storage, in pieces of 4 MiB, until the work on them is done. */
export class Spool implements BodySpool {
  readonly #objects: PieceStore;
  readonly #environment: Environment;

  constructor({ objects, environment }: { objects: PieceStore; environment: Environment }) {
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
  readonly #objects: PieceStore;
  readonly #id: string;
  readonly #hash = createHash('sha256');
  /** Used for one piece after the other. */
  #piece = Buffer.alloc(0);
  #waitingBytes = 0;
  #byteCount = 0;
  #pieceCount = 0;

  constructor(objects: PieceStore, id: string) {
    this.#objects = objects;
    this.#id = id;
  }

  async write(bytes: readonly Uint8Array[]): Promise<void> {
    for (const block of bytes) {
      this.#hash.update(block);
      this.#byteCount += block.length;
      for (let at = 0; at < block.length;) {
        const part = block.subarray(at, at + pieceBytes - this.#waitingBytes);
        this.#add(part);
        at += part.length;
        if (this.#waitingBytes === pieceBytes) await this.#put();
      }
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

  #add(bytes: Uint8Array): void {
    const needed = this.#waitingBytes + bytes.length;
    if (needed > this.#piece.length) {
      const byteCount = Math.min(pieceBytes, Math.max(needed, this.#piece.length * 2));
      const grown = Buffer.allocUnsafeSlow(byteCount);
      this.#piece.copy(grown, 0, 0, this.#waitingBytes);
      freeBytes(this.#piece);
      this.#piece = grown;
    }
    this.#piece.set(bytes, this.#waitingBytes);
    this.#waitingBytes = needed;
  }

  async #put(): Promise<void> {
    const piece = this.#piece.subarray(0, this.#waitingBytes);
    await this.#objects.put(keyOf(this.#id, this.#pieceCount++), piece);
    this.#waitingBytes = 0;
  }
}

function keyOf(id: string, piece: number): string {
  return `${folder}/${id}/${String(piece).padStart(pieceDigits, '0')}`;
}
