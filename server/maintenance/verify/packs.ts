import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

import type { Pace } from '../../branches/pace.ts';
import { hashInPieces, objectFault, type Reader, type StoredObjects } from './stored-objects.ts';

const magic = Buffer.from('QPK1', 'latin1');
const hashBytes = 32;
const bodyStart = magic.length + hashBytes;
const countBytes = 4;
/** Hash, place, stored length and length. */
const entryBytes = hashBytes + 12;

/** The packs that were looked into: each is read once, and every node of it hashed. */
export class CheckedPacks {
  readonly #objects: StoredObjects;
  readonly #pace: Pace;
  /** Hashes of the nodes of each, as strings of bytes. */
  readonly #nodes = new Map<string, ReadonlySet<string>>();
  #nodeCount = 0;

  constructor(objects: StoredObjects, pace: Pace) {
    this.#objects = objects;
    this.#pace = pace;
  }

  get packCount(): number {
    return this.#nodes.size;
  }

  get nodeCount(): number {
    return this.#nodeCount;
  }

  get places(): string[] {
    return [...this.#nodes.keys()].map(packPlace);
  }

  /**
   * Returns the nodes of a pack; fails unless the pack exists and it and its nodes match their
   * hashes.
   */
  async nodesOf(name: string, reader: Reader): Promise<ReadonlySet<string>> {
    const known = this.#nodes.get(name);
    if (known) return known;
    const place = packPlace(name);
    const object = await this.#objects.read(place, reader);
    this.#pace.begin();
    const isNamed = (await hashInPieces(object, this.#pace)).toString('hex') === name;
    const nodes = isNamed ? await this.#checkNodes(object) : undefined;
    if (!nodes) throw objectFault(place, reader, 'damaged');
    this.#nodes.set(name, nodes);
    this.#nodeCount += nodes.size;
    return nodes;
  }

  /** Returns undefined if a single node is not what its hash says, or lies outside. */
  async #checkNodes(object: Buffer): Promise<Set<string> | undefined> {
    const body = object.subarray(bodyStart);
    const said = object.subarray(magic.length, bodyStart);
    if (!object.subarray(0, magic.length).equals(magic)) return undefined;
    if (!(await hashInPieces(body, this.#pace)).equals(said)) return undefined;
    if (body.length < countBytes) return undefined;
    const count = body.readUInt32LE(0);
    if (countBytes + count * entryBytes > body.length) return undefined;
    const nodes = new Set<string>();
    for (let index = 0; index < count; index++) {
      const entry = countBytes + index * entryBytes;
      const hash = body.subarray(entry, entry + hashBytes);
      const bytes = nodeBytes(body, entry + hashBytes);
      if (!bytes || !createHash('sha256').update(bytes).digest().equals(hash)) return undefined;
      nodes.add(hash.toString('latin1'));
      if (this.#pace.isDue) await this.#pace.rest();
    }
    return nodes;
  }
}

function packPlace(name: string): string {
  return `pack/${name}`;
}

function nodeBytes(body: Buffer, at: number): Buffer | undefined {
  const start = body.readUInt32LE(at);
  const end = start + body.readUInt32LE(at + 4);
  const length = body.readUInt32LE(at + 8);
  if (end > body.length) return undefined;
  const stored = body.subarray(start, end);
  if (stored.length === length) return stored;
  try {
    const bytes = inflateRawSync(stored, { maxOutputLength: Math.max(length, 1) });
    return bytes.length === length ? bytes : undefined;
  } catch {
    return undefined;
  }
}
