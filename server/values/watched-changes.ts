import type { ChangedCell, Changes } from '../branches/changes.ts';
import { cellName } from '../model/address.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import type { Kernel } from '../../workers/kernel.ts';
import type { SheetList } from './sheet-list.ts';

/** Senders ask at once; what some of them never ask for must not pile up. */
const keptMost = 64;

/** What watched changes led to, by the last operation of each, until their senders ask. */
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

/** What has changed since the kernel began to watch. */
export function readChanges(kernel: Kernel, sheets: SheetList): Changes {
  const names = new Map(sheets.all.map(({ key, name }) => [key, name]));
  const read = (which: 'computed' | 'errors', most: number) => {
    const cells: ChangedCell[] = [];
    const total = kernel.readChanges(which, most, ({ sheet, row, column, from, to }) => {
      const place = { sheet: names.get(sheet) ?? '', a1: cellName(row, column) };
      cells.push({ ...place, before: from, after: to });
    });
    return { cells, total };
  };
  const { cells, total } = read('computed', limits.changesPerAnswer);
  const errors = read('errors', limits.errorsPerAnswer);
  return { cells, total, errors: errors.cells, errorTotal: errors.total };
}
