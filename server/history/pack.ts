import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';

import type { Scale } from '../state/ids/scale.ts';
import { NodeFault } from '../state/nodes/bytes.ts';
import type { NodeKind, NodeSink, NodeSource } from '../state/nodes/nodes.ts';
import { looksLikeArrays } from '../state/tree/block-node.ts';
import { disclose, enclose, StorageFault } from './envelope.ts';

const deflate = promisify(deflateRaw);
const magic = 'QPK1';
const hashBytes = 32;
/** Hash, place, stored length and length. */
const entryBytes = hashBytes + 12;
/** Memory for the text of a hash and its place in the index. */
const hashEntryBytes = 140;
/** Fast, and still half the size of most blocks. */
const compressionLevel = 1;
/** Compressed side by side: zlib has four threads. */
const deflatesAtOnce = 8;

interface PackedNode {
  readonly hash: Buffer;
  readonly bytes: Buffer;
}

/** Collects the nodes of one snapshot that are in no pack yet. */
export class PackWriter implements NodeSink {
  readonly #isStored: (hash: Buffer) => boolean;
  readonly #nodes = new Map<string, PackedNode>();
  readonly written = new Map<NodeKind, number>();

  constructor(isStored: (hash: Buffer) => boolean) {
    this.#isStored = isStored;
  }

  get nodeCount(): number {
    return this.#nodes.size;
  }

  /** Yields the hashes in hexadecimal. */
  hashes(): IterableIterator<string> {
    return this.#nodes.keys();
  }

  has(hash: Buffer): boolean {
    return this.#isStored(hash) || this.#nodes.has(hash.toString('hex'));
  }

  put(kind: NodeKind, hash: Buffer, bytes: Buffer): void {
    this.#nodes.set(hash.toString('hex'), { hash, bytes });
    this.written.set(kind, (this.written.get(kind) ?? 0) + 1);
  }

  /** Returns the stored form of the pack, and its name by content. */
  async close(): Promise<{ name: string; object: Buffer }> {
    const nodes = [...this.#nodes.values()];
    const stored: Buffer[] = [];
    for (let at = 0; at < nodes.length; at += deflatesAtOnce) {
      const group = nodes.slice(at, at + deflatesAtOnce);
      stored.push(...(await Promise.all(group.map(({ bytes }) => compressed(bytes)))));
    }
    const index = Buffer.alloc(4 + nodes.length * entryBytes);
    index.writeUInt32LE(nodes.length, 0);
    let place = index.length;
    for (const [at, { hash, bytes }] of nodes.entries()) {
      const entry = 4 + at * entryBytes;
      const length = stored[at]?.length ?? 0;
      index.set(hash, entry);
      index.writeUInt32LE(place, entry + hashBytes);
      index.writeUInt32LE(length, entry + hashBytes + 4);
      index.writeUInt32LE(bytes.length, entry + hashBytes + 8);
      place += length;
    }
    // A byte for each node follows all nodes; older packs end before.
    const notes = Buffer.from(nodes.map(({ bytes }) => (looksLikeArrays(bytes) ? 1 : 0)));
    const object = enclose(magic, Buffer.concat([index, ...stored, notes]));
    return { name: createHash('sha256').update(object).digest('hex'), object };
  }
}

/** Compresses bytes; they are left as they are where that is not longer. */
async function compressed(bytes: Buffer): Promise<Buffer> {
  const deflated = await deflate(bytes, { level: compressionLevel });
  return deflated.length < bytes.length ? deflated : bytes;
}

/** The nodes of one stored pack. */
export class Pack {
  readonly #body: Buffer;
  /** Bytes of the whole object. */
  readonly objectBytes: number;
  /** Places of entries by hash. */
  readonly #entries = new Map<string, number>();
  /** For each node whether it may hold legacy arrays; undefined in a pack without notes. */
  readonly #notes: Uint8Array | undefined;

  constructor(key: string, object: Uint8Array) {
    this.#body = disclose(magic, key, object);
    this.objectBytes = object.length;
    const count = this.#body.readUInt32LE(0);
    for (let at = 0; at < count; at++) {
      const entry = 4 + at * entryBytes;
      this.#entries.set(this.#body.toString('hex', entry, entry + hashBytes), entry);
    }
    if (count > 0) {
      const last = 4 + (count - 1) * entryBytes + hashBytes;
      const end = this.#body.readUInt32LE(last) + this.#body.readUInt32LE(last + 4);
      const notes = this.#body.subarray(end);
      this.#notes = notes.length === count ? notes : undefined;
    }
  }

  get byteCount(): number {
    return this.#body.length;
  }

  hashes(): IterableIterator<string> {
    return this.#entries.keys();
  }

  has(hash: string): boolean {
    return this.#entries.has(hash);
  }

  /** Adds the pack to the memory accounting. */
  weigh(scale: Scale): void {
    if (scale.isNew(this)) scale.add(this.#body.length + this.#entries.size * hashEntryBytes);
  }

  find(hash: string): Buffer | undefined {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return undefined;
    const place = this.#body.readUInt32LE(entry + hashBytes);
    const storedLength = this.#body.readUInt32LE(entry + hashBytes + 4);
    const length = this.#body.readUInt32LE(entry + hashBytes + 8);
    const stored = this.#body.subarray(place, place + storedLength);
    return storedLength === length ? stored : inflateRawSync(stored);
  }

  hasArrays(hash: string): boolean | undefined {
    const entry = this.#entries.get(hash);
    return entry === undefined || !this.#notes
      ? undefined
      : this.#notes[(entry - 4) / entryBytes] !== 0;
  }

  /** Fails with a StorageFault that names the node which is not what its hash says. */
  check(key: string): void {
    for (const hash of this.#entries.keys()) {
      const bytes = this.find(hash) ?? Buffer.alloc(0);
      if (createHash('sha256').update(bytes).digest('hex') === hash) continue;
      throw new StorageFault(key, `has a node that is not what was written: ${hash}`);
    }
  }
}

/** The nodes of several packs. */
export class PackSource implements NodeSource {
  readonly #packs: readonly Pack[];

  constructor(packs: readonly Pack[]) {
    this.#packs = packs;
  }

  has(hash: Buffer): boolean {
    const name = hash.toString('hex');
    return this.#packs.some((pack) => pack.has(name));
  }

  weigh(scale: Scale): void {
    if (!scale.isNew(this)) return;
    for (const pack of this.#packs) pack.weigh(scale);
  }

  hasArrays(hash: Buffer): boolean | undefined {
    const name = hash.toString('hex');
    return this.#packs.find((pack) => pack.has(name))?.hasArrays(name);
  }

  get(hash: Buffer): Uint8Array {
    const name = hash.toString('hex');
    for (const pack of this.#packs) {
      const bytes = pack.find(name);
      if (bytes) return bytes;
    }
    throw new NodeFault(`the node ${name} is in none of the packs`);
  }
}
