import { FormatFault } from '../encoding/fault.ts';

/** SHA-256 as the caller has it: node:crypto on a server, `sha256.ts` anywhere else. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export const hashBytes = 32;

const leafPrefix = 0x00;
const nodePrefix = 0x01;

/** The hashes of a Merkle tree (RFC 6962, section 2.1). */
export class TreeHasher {
  readonly #sha256: Sha256;
  /** Input of a node's hash, never kept across an await. */
  readonly #node = new Uint8Array(1 + 2 * hashBytes).fill(nodePrefix, 0, 1);

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** The root of a tree without entries. */
  empty(): Uint8Array {
    return this.#sha256(new Uint8Array());
  }

  leaf(entry: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(1 + entry.length);
    bytes[0] = leafPrefix;
    bytes.set(entry, 1);
    return this.#sha256(bytes);
  }

  /** The leaf of an entry that is in two parts. */
  leafOf(first: Uint8Array, second: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(1 + first.length + second.length);
    bytes[0] = leafPrefix;
    bytes.set(first, 1);
    bytes.set(second, 1 + first.length);
    return this.#sha256(bytes);
  }

  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    if (left.length !== hashBytes || right.length !== hashBytes) {
      throw new FormatFault(
        `a hash has ${hashBytes} bytes, not ${left.length} and ${right.length}`,
      );
    }
    this.#node.set(left, 1);
    this.#node.set(right, 1 + hashBytes);
    return this.#sha256(this.#node);
  }
}
