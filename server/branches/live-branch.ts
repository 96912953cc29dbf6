import type { FormulaService } from '../model/formula-service.ts';
import { BranchState } from '../state/branch-state.ts';
import { operationKey, OperationIds } from './operation-ids.ts';
import type { JournalRecord } from './record.ts';
import { genesisHash } from './segment.ts';

/** What a sequencer knows of its branch, all of it rebuilt from the journal. */
export class LiveBranch {
  /** Replaced by a fork when an all-or-nothing submission succeeds. */
  state: BranchState;
  readonly ids = new OperationIds();
  /** Hash of the last operation that was applied. */
  hash: Buffer = genesisHash;

  constructor(branchNo: number, formulas: FormulaService) {
    this.state = new BranchState(branchNo, formulas);
  }

  noteId({ id, principalId, writer, seq }: JournalRecord): void {
    if (id !== null) this.ids.set(operationKey(principalId, writer, id), seq);
  }
}
