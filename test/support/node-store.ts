import { BranchState } from '../../server/state/branch-state.ts';
import type { CellCoding } from '../../server/state/cells/cell-coding.ts';
import { NodeFault } from '../../server/state/nodes/bytes.ts';
import { looksLikeArrays } from '../../server/state/tree/block-node.ts';
import type { BlockPool } from '../../server/state/tree/cells-node.ts';
import type { NodeKind, NodeSink, NodeSource } from '../../server/state/nodes/nodes.ts';
import { getState, putState, type StateTrimmings } from '../../server/state/tree/state-node.ts';
import { drive } from './state-driver.ts';

/** Stored nodes in memory, with a count of what was written of each kind. */
export class NodeStore implements NodeSink, NodeSource {
  readonly nodes = new Map<string, Buffer>();
  readonly written = new Map<NodeKind, number>();

  has(hash: Buffer): boolean {
    return this.nodes.has(hash.toString('hex'));
  }

  put(kind: NodeKind, hash: Buffer, bytes: Buffer): void {
    this.nodes.set(hash.toString('hex'), bytes);
    this.written.set(kind, (this.written.get(kind) ?? 0) + 1);
  }

  get(hash: Buffer): Buffer {
    const bytes = this.nodes.get(hash.toString('hex'));
    if (!bytes) throw new NodeFault('a node is missing');
    return bytes;
  }

  hasArrays(hash: Buffer): boolean | undefined {
    const bytes = this.nodes.get(hash.toString('hex'));
    return bytes && looksLikeArrays(bytes);
  }

  weigh(): void {
    // It outlives every state.
  }

  save(state: BranchState): { root: Buffer; trimmings: StateTrimmings } {
    return { root: drive(putState(this, state)), trimmings: state.trimmings };
  }

  load(
    { root, trimmings }: { root: Buffer; trimmings: StateTrimmings },
    coding: CellCoding,
    branchNo = 1,
  ): BranchState {
    const pool: BlockPool = { find: () => undefined, keep: () => undefined };
    return BranchState.restore(drive(getState(this, root, { branchNo, trimmings, coding, pool })));
  }
}
