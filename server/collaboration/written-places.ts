import type { JournalRecord } from '../branches/record.ts';
import type { Range } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Resolved } from '../state/plan/resolved.ts';
import { writtenCells, type WrittenCells } from '../state/written-cells.ts';
import { writtenRanges } from '../state/written-ranges.ts';

/** The cells that operations wrote, as a state has them now. */
export interface WrittenPlaces {
  /** Last operation of the state. */
  readonly seq: number;
  readonly sheets: readonly { readonly name: string; readonly ranges: readonly Range[] }[];
}

/** Finds written cells in the state of a branch. */
export function placesIn(written: readonly WrittenCells[]) {
  return function* ({ head, structure }: BranchState): Generator<void, WrittenPlaces> {
    yield* [];
    const found = writtenRanges(structure, written);
    const sheets = structure.sheets.flatMap(({ id, name }) => {
      const ranges = found.get(id);
      return ranges ? [{ name, ranges }] : [];
    });
    return { seq: head, sheets };
  };
}

/** Returns the cells that an operation wrote, and those that it moved others away from. */
export function touchedBy({
  kind,
  payload,
  resolved,
}: Pick<JournalRecord, 'kind' | 'payload' | 'resolved'>): WrittenCells[] {
  const { values, formats } = writtenCells(kind, payload, resolved);
  const touched = [values, formats === values ? undefined : formats, leftBy(kind, resolved)];
  return touched.filter((one) => one !== undefined);
}

/** Returns the cells that a move or shift left. */
function leftBy(kind: string, { sheet, areas = [], noop }: Resolved): WrittenCells | undefined {
  if (noop === true || !leaving.has(kind)) return undefined;
  return { type: 'areas', sheet, areas, isWritten: () => true };
}

const leaving: ReadonlySet<string> = new Set(['range.move', 'range.insert', 'range.delete']);
