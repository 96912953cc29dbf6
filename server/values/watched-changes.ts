import type { ChangedCell, Changes } from '../branches/changes.ts';
import { cellName } from '../model/address.ts';
import type { FoundChanges, WatchedCells } from '../../workers/watch-model.ts';
import type { SheetList } from './sheet-list.ts';

/** Number of kept changes, as some senders never ask for theirs. */
const keptMost = 64;

/** Cells changed by watched commits, by last operation, until their senders ask. */
export class WatchedChanges {
  readonly #kept = new Map<number, Changes>();

  keep(lastSeq: number, changes: Changes): void {
    this.#kept.set(lastSeq, changes);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMost && oldest !== undefined) this.#kept.delete(oldest);
  }

  take(lastSeq: number): Changes | undefined {
    const changes = this.#kept.get(lastSeq);
    this.#kept.delete(lastSeq);
    return changes;
  }
}

/** Describes changed cells with the current names of sheets. */
export function nameChanges({ computed, errors }: WatchedCells, sheets: SheetList): Changes {
  const names = new Map(sheets.all.map(({ key, name }) => [key, name]));
  const named = ({ cells }: FoundChanges): ChangedCell[] =>
    cells.map(({ sheet, row, column, from, to }) => {
      return { sheet: names.get(sheet) ?? '', a1: cellName(row, column), before: from, after: to };
    });
  return {
    cells: named(computed),
    total: computed.total,
    errors: named(errors),
    errorTotal: errors.total,
  };
}
