import type { BranchAddress } from '../branches/journal-store.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import { Graph } from './graph.ts';
import { journalSince } from './journal-since.ts';
import type { MergeTable } from './sql.ts';

interface TableMergeParts {
  readonly table: Pick<MergeTable, 'branches' | 'applied' | 'openOf'>;
  readonly journal: Pick<BackwardJournal, 'steps'>;
}

/** Finds the open merges that would bring changes of a table. */
export class TableMerges {
  readonly #parts: TableMergeParts;

  constructor(parts: TableMergeParts) {
    this.#parts = parts;
  }

  /** Ids of the open merges of a branch whose source wrote to the table since they parted. */
  async naming({ workbookId, branchNo }: BranchAddress, tableId: string): Promise<string[]> {
    const { table, journal } = this.#parts;
    const open = await table.openOf(workbookId, branchNo);
    if (open.length === 0) return [];
    const branches = await table.branches(workbookId);
    const graph = new Graph(branches, await table.applied(workbookId));
    const heads = new Map(branches.map(({ branchNo: no, head }) => [no, head]));
    const naming: string[] = [];
    for (const { id, sourceNo, sourceSeq, sourcePinned, targetNo, targetSeq } of open) {
      const seq = sourcePinned ? sourceSeq : (heads.get(sourceNo) ?? sourceSeq);
      const target = { no: targetNo, seq: heads.get(targetNo) ?? targetSeq };
      const heldOf = graph.heldBy([target]);
      const stretch = { workbookId, position: { no: sourceNo, seq }, heldOf };
      for await (const { record } of journalSince(stretch, journal)) {
        if (record.resolved.table !== tableId) continue;
        naming.push(id);
        break;
      }
    }
    return naming;
  }
}
