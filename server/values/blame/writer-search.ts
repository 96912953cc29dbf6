import type { JournalRecord } from '../../branches/record.ts';
import type { Pace } from '../../branches/pace.ts';
import type { Payload } from '../../model/operation.ts';
import { writtenCells, type Written, type WrittenCells } from '../../state/written-cells.ts';
import { stepsSince, type BackwardJournal, type BackwardStep, type HeldOf } from './backwards.ts';
import { CellIndex, type SoughtCell } from './cell-index.ts';

/** Knows which operations positions of a workbook hold. */
export interface Holdings {
  /**
   * Returns a function from positions to the last operation of each branch that any of them holds.
   */
  of(workbookId: string): Promise<(positions: readonly HeldPosition[]) => HeldOf>;
}

export interface HeldPosition {
  readonly no: number;
  readonly seq: number;
}

export interface WriterSearchParts {
  readonly journal: Pick<BackwardJournal, 'steps'>;
  readonly holdings: Holdings;
}

/** Cells whose writers are sought. */
export interface Sought {
  readonly values: readonly CellIndex[];
  readonly formats: readonly CellIndex[];
}

/** An operation and its place. */
export interface WrittenOperation {
  readonly record: JournalRecord;
  readonly step: Pick<BackwardStep, 'branch' | 'branchNo' | 'loggedAfter'>;
}

/** Cells, and the operation that wrote them. */
export interface FoundWriter extends WrittenOperation {
  readonly values: readonly SoughtCell[];
  readonly formats: readonly SoughtCell[];
  /** The merge by which they came to the branch of the request. */
  readonly merge: WrittenOperation | undefined;
}

type Tell = (found: FoundWriter) => void;

/** Most operations read for one merge, approximately: older content counts as written by it. */
const operationsMost = 1_000_000;

/** Searches the writers of some cells, and follows merges to their source branches. */
export class WriterSearch {
  readonly #parts: WriterSearchParts;
  readonly #workbookId: string;
  readonly #pace: Pace;
  readonly #tell: Tell;
  /** Vectors of positions, read at the first merge. */
  #heldBy: ReturnType<Holdings['of']> | undefined;

  constructor(
    parts: WriterSearchParts,
    { workbookId, pace, tell }: { workbookId: string; pace: Pace; tell: Tell },
  ) {
    this.#parts = parts;
    this.#workbookId = workbookId;
    this.#pace = pace;
    this.#tell = tell;
  }

  /** Searches a step; resolves with the number of operations read from other branches. */
  async note(step: BackwardStep, sought: Sought, merge?: WrittenOperation): Promise<number> {
    let count = 0;
    for (const record of step.records) {
      const taken = takeWritten(record, sought);
      if (taken) {
        count += await this.#found(taken, { record, step, merge });
        if (isFound(sought)) return count;
      }
      if (this.#pace.isDue) await this.#pace.rest();
    }
    return count;
  }

  /**
   * Finds the writers of cells of a merge on its source branch; the rest was written by the merge
   * itself.
   */
  async #found(
    taken: Sought,
    { merge, ...written }: WrittenOperation & Pick<FoundWriter, 'merge'>,
  ): Promise<number> {
    const { record } = written;
    if (record.kind !== 'merge') {
      this.#tellOf(taken, { ...written, merge });
      return 0;
    }
    // The payload has the type of its kind.
    const payload = record.payload as Payload<'merge'>;
    const own = takeCells(taken, { values: chosenCells(payload), formats: undefined });
    const count = await this.#follow(payload, taken, merge ?? written);
    if (own) this.#tellOf(own, { ...written, merge });
    this.#tellOf(taken, { ...written, merge });
    return count;
  }

  /**
   * Removes and reports the cells found in the journal of the source, after the operations that
   * both sides hold.
   */
  async #follow(
    { source, base }: Payload<'merge'>,
    sought: Sought,
    merge: WrittenOperation,
  ): Promise<number> {
    if (isFound(sought)) return 0;
    const { journal, holdings } = this.#parts;
    this.#heldBy ??= holdings.of(this.#workbookId);
    const heldOf = (await this.#heldBy)(base);
    const stretch = { from: { branchNo: source.no, seq: source.seq }, heldOf };
    let count = 0;
    for await (const step of stepsSince(journal, this.#workbookId, stretch)) {
      count += step.records.length + (await this.note(step, sought, merge));
      if (isFound(sought) || count >= operationsMost) break;
    }
    return count;
  }

  #tellOf(
    { values, formats }: Sought,
    written: WrittenOperation & Pick<FoundWriter, 'merge'>,
  ): void {
    const found = { values: cellsOf(values), formats: cellsOf(formats) };
    if (found.values.length + found.formats.length > 0) this.#tell({ ...written, ...found });
  }
}

/** Returns whether all writers are found. */
export function isFound({ values, formats }: Sought): boolean {
  return [...values, ...formats].every(({ size }) => size === 0);
}

function takeWritten({ kind, payload, resolved }: JournalRecord, sought: Sought) {
  return takeCells(sought, writtenCells(kind, payload, resolved));
}

/** Removes written cells from the sought ones; undefined if there are none. */
function takeCells({ values, formats }: Sought, written: Written): Sought | undefined {
  const taken = {
    values: values.flatMap((cells) => takenOf(cells, written.values)),
    formats: formats.flatMap((cells) => takenOf(cells, written.formats)),
  };
  return isFound(taken) ? undefined : taken;
}

function takenOf(cells: CellIndex, written: WrittenCells | undefined): CellIndex[] {
  const taken = cells.take(written);
  return taken.length > 0 ? [new CellIndex(cells.sheetId, taken)] : [];
}

function cellsOf(indexes: readonly CellIndex[]): SoughtCell[] {
  return indexes.flatMap((cells) => [...cells.cells()]);
}

/** Returns the cells whose content was chosen in a merge. */
function chosenCells({ chosen = [] }: Payload<'merge'>): WrittenCells {
  const parts = chosen.map(({ sheet, cells: ids }): WrittenCells => {
    return { type: 'cells', ids, sheetOf: () => sheet, isWritten: () => true };
  });
  return { type: 'several', parts };
}
