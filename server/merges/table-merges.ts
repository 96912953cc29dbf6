import type { BranchAddress } from '../branches/journal-store.ts';
import type { Branches } from '../branches/branches.ts';
import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import { diffStates, type DiffKind } from '../state/diff/diff.ts';
import type { Sides } from '../state/diff/sides.ts';
import { Graph, type Position } from './graph.ts';
import type { MergeTable } from './sql.ts';

interface TableMergeParts {
  readonly table: Pick<MergeTable, 'branches' | 'applied' | 'openOf'>;
  readonly branches: Pick<Branches, 'stateAt'>;
  readonly environment: Environment;
}

const onlyTables: ReadonlySet<DiffKind> = new Set(['tables']);

/** Finds the open merges that would change a table. */
export class TableMerges {
  readonly #parts: TableMergeParts;

  constructor(parts: TableMergeParts) {
    this.#parts = parts;
  }

  /**
   * Returns the ids of open merges of a branch whose source differs from the base in the table: in
   * its schema or in a row, whichever operation wrote that.
   */
  async naming({ workbookId, branchNo }: BranchAddress, tableId: string): Promise<string[]> {
    const { table } = this.#parts;
    const open = await table.openOf(workbookId, branchNo);
    if (open.length === 0) return [];
    const known = await table.branches(workbookId);
    const graph = new Graph(known, await table.applied(workbookId));
    const heads = new Map(known.map(({ branchNo: no, head }) => [no, head]));
    const naming: string[] = [];
    for (const { id, sourceNo, sourceSeq, sourcePinned, targetNo, targetSeq } of open) {
      const seq = sourcePinned ? sourceSeq : (heads.get(sourceNo) ?? sourceSeq);
      const source = { no: sourceNo, seq };
      const target = { no: targetNo, seq: heads.get(targetNo) ?? targetSeq };
      for (const base of graph.bases(source, target)) {
        if (!(await this.#differs(workbookId, { base, source }, tableId))) continue;
        naming.push(id);
        break;
      }
    }
    return naming;
  }

  async #differs(
    workbookId: string,
    { base, source }: { readonly base: Position; readonly source: Position },
    tableId: string,
  ): Promise<boolean> {
    if (base.no === source.no && base.seq === source.seq) return false;
    const { branches, environment } = this.#parts;
    const stateAt = ({ no, seq }: Position) => branches.stateAt({ workbookId, branchNo: no }, seq);
    const [from, to] = await Promise.all([stateAt(base), stateAt(source)]);
    return new Pace(environment).run(tableDiffers({ from, to }, tableId));
  }
}

/** Compares a table on the sheets that contain it; rows are compared by key. */
function* tableDiffers(sides: Sides, tableId: string): Generator<void, boolean> {
  const tables = [sides.from, sides.to].flatMap(({ tables: all }) => all.withId(tableId) ?? []);
  for (const sheetId of new Set(tables.map((table) => table.sheetId))) {
    const { sheets } = yield* diffStates(sides, { kinds: onlyTables, sheetId });
    if (sheets.some(({ tables: found }) => found.some(({ id }) => id === tableId))) return true;
  }
  return false;
}
