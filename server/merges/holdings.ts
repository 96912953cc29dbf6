import type { HeldOf } from '../values/blame/backwards.ts';
import type { HeldPosition, Holdings } from '../values/blame/writer-search.ts';
import { Graph } from './graph.ts';
import type { MergeTable } from './sql.ts';

/** Finds the vectors of positions from the applied merges. */
export class MergeHoldings implements Holdings {
  readonly #table: Pick<MergeTable, 'branches' | 'applied'>;

  constructor(table: Pick<MergeTable, 'branches' | 'applied'>) {
    this.#table = table;
  }

  async of(workbookId: string): Promise<(positions: readonly HeldPosition[]) => HeldOf> {
    const [branches, applied] = await Promise.all([
      this.#table.branches(workbookId),
      this.#table.applied(workbookId),
    ]);
    const graph = new Graph(branches, applied);
    return (positions) => graph.heldBy(positions);
  }
}
