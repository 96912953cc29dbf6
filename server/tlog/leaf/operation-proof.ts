import { ProofFault } from '../encoding/fault.ts';
import { TreeEdge } from '../tree/edge.ts';
import type { TreeHasher } from '../tree/hasher.ts';
import { buildProof, planInclusion } from '../tree/proof-plan.ts';
import { formatTilePath } from '../tree/tile-name.ts';
import { Tile } from '../tree/tile.ts';
import { verifyInclusion } from '../tree/verify.ts';
import type { Statement } from './statement.ts';
import { nonceBytes, type WorkbookKey } from './workbook-key.ts';

/** An operation as the journal has it, and where. */
export interface LoggedOperation {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** Proof that an operation is one of a statement's, without showing its neighbours. */
export interface OperationProof {
  readonly seq: number;
  readonly nonce: Uint8Array;
  readonly hashes: readonly Uint8Array[];
}

/** The leaf of an operation: the nonce keeps its bytes from being guessed. */
export function operationHash(
  hasher: TreeHasher,
  nonce: Uint8Array,
  bytes: Uint8Array,
): Uint8Array {
  if (nonce.length !== nonceBytes) throw new ProofFault(`a nonce has ${nonceBytes} bytes`);
  return hasher.leafOf(nonce, bytes);
}

/** The tree over the operations of one statement. */
export class OperationTree {
  readonly #hasher: TreeHasher;
  readonly #key: WorkbookKey;
  readonly #branch: string;
  readonly #firstSeq: number;
  readonly #size: number;
  readonly #tiles = new Map<string, Tile>();
  readonly root: Uint8Array;

  constructor(
    hasher: TreeHasher,
    place: { readonly key: WorkbookKey; readonly branch: string },
    operations: readonly LoggedOperation[],
  ) {
    this.#hasher = hasher;
    this.#key = place.key;
    this.#branch = place.branch;
    this.#firstSeq = operations[0]?.seq ?? 0;
    this.#size = operations.length;
    const edge = new TreeEdge(hasher);
    const leaves = operations.map(({ seq, bytes }) =>
      operationHash(hasher, place.key.nonce(place.branch, seq), bytes),
    );
    for (const { name, bytes } of edge.grow(leaves)) {
      this.#tiles.set(formatTilePath(name), new Tile(hasher, name, bytes));
    }
    this.root = edge.root();
  }

  prove(seq: number): OperationProof {
    const plan = planInclusion(seq - this.#firstSeq, this.#size);
    const tiles = plan.tiles.map((name) => {
      const tile = this.#tiles.get(formatTilePath(name));
      if (tile === undefined) throw new RangeError(`${formatTilePath(name)} is not in the tree`);
      return tile;
    });
    const hashes = buildProof(this.#hasher, plan, tiles);
    return { seq, nonce: this.#key.nonce(this.#branch, seq), hashes };
  }
}

/** Fails unless these are the bytes of the operation that the statement covers at this place. */
export function verifyOperation(
  hasher: TreeHasher,
  statement: Statement,
  bytes: Uint8Array,
  proof: OperationProof,
): void {
  const { firstSeq, lastSeq, operations: root } = statement;
  if (firstSeq === 0 || proof.seq < firstSeq || proof.seq > lastSeq) {
    throw new ProofFault(`the statement covers ${firstSeq} to ${lastSeq}, not ${proof.seq}`);
  }
  const leaf = {
    hash: operationHash(hasher, proof.nonce, bytes),
    index: proof.seq - firstSeq,
  };
  verifyInclusion(hasher, leaf, { size: lastSeq - firstSeq + 1, root }, proof.hashes);
}
