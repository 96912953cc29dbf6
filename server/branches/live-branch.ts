import type { WorkbookContent } from '../history/content.ts';
import type { Scale } from '../state/ids/scale.ts';
import { weighState } from '../state/state-weight.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { KnownCells } from './cell-room.ts';
import { placeOfId } from './keyed-id.ts';
import { operationKey, OperationIds } from './operation-ids.ts';
import type { JournalRecord } from './record.ts';

/** The start of a live branch: the state to which the rest of its journal is applied. */
export interface LiveStart {
  readonly state: BranchState;
  readonly content: WorkbookContent;
  /** Hash of the last operation that the state holds. */
  readonly hash: Buffer;
  /** Packs of the snapshot that was loaded. */
  readonly packs: readonly string[];
}

/** A branch in memory, all of which can be rebuilt from storage. */
export class LiveBranch {
  /** Replaced by a fork when an all-or-nothing submission succeeds. */
  state: BranchState;
  /** Hash of the last applied operation. */
  hash: Buffer;
  packs: readonly string[];
  readonly content: WorkbookContent;
  /** Sequence of the start: ids of earlier operations must be read from the journal. */
  readonly startSeq: number;
  readonly ids = new OperationIds();
  /** Head of the latest state that was kept for readers of older positions. */
  keptSeq = 0;
  /** Filled cells; undefined until counted. */
  cells: KnownCells | undefined;
  /** Cells where the branch begins. */
  baseCells = 0;
  /** True if `ids` also has those up to `startSeq`. */
  hasAllIds: boolean;

  constructor({ state, content, hash, packs }: LiveStart) {
    this.state = state;
    this.content = content;
    this.hash = hash;
    this.packs = packs;
    this.startSeq = state.head;
    this.hasAllIds = state.head === 0;
  }

  *weigh(scale: Scale): Generator<void, void> {
    yield* weighState(this.state, scale);
    if (scale.isNew(this.content)) scale.add(this.content.byteCount);
    scale.add(this.ids.byteCount);
  }

  /** Makes the id of a record known; `key` is its operation key, if known. */
  noteId({ id, principalId, writer, seq }: JournalRecord, key?: string): void {
    if (id === null) return;
    this.ids.set(key ?? operationKey(principalId, writer, id), seq);
    const place = placeOfId(id);
    if (place !== undefined) this.ids.set(operationKey(principalId, writer, place), seq);
  }
}
