import type { BranchState } from '../state/branch-state.ts';
import type { SheetOutline } from '../state/structure.ts';
import { rowLimit } from '../model/address.ts';
import type { FormatRun } from '../../workers/format-runs.ts';

/** Number formats of all sheets by sheet key; yields wherever the thread may do something else. */
export function* readFormatRuns(state: BranchState): Generator<void, Map<number, FormatRun[]>> {
  const formats = new Map<number, FormatRun[]>();
  for (const sheet of state.structure.sheets) {
    formats.set(sheet.key, yield* sheetRuns(state, sheet));
  }
  return formats;
}

function* sheetRuns(state: BranchState, sheet: SheetOutline): Generator<void, FormatRun[]> {
  const runs: FormatRun[] = [];
  const cells = state.cellsOf(sheet);
  const rows = sheet.rows.spansAt(0, rowLimit);
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined) continue;
    const builder = new RunBuilder(column, (index) => state.coding.dictionary.format(index));
    for (const { block, from, to, skipped } of cells.stretches(rows, id)) {
      for (let lane = from; lane < to; lane++) {
        builder.add(skipped + lane - from, block.formatAt(lane));
      }
    }
    for (const run of builder.end()) runs.push(run);
    yield;
  }
  return runs;
}

/** Joins the formats of a column, from the top down. */
class RunBuilder {
  readonly #column: number;
  readonly #patternOf: (format: number) => string;
  readonly #runs: FormatRun[] = [];
  #format = 0;
  #row0 = 0;
  #row1 = -1;

  constructor(column: number, patternOf: (format: number) => string) {
    this.#column = column;
    this.#patternOf = patternOf;
  }

  add(row: number, format: number): void {
    if (format === 0) return;
    if (format !== this.#format || row !== this.#row1 + 1) {
      this.#close();
      this.#format = format;
      this.#row0 = row;
    }
    this.#row1 = row;
  }

  end(): FormatRun[] {
    this.#close();
    return this.#runs;
  }

  #close(): void {
    if (this.#format === 0) return;
    const pattern = this.#patternOf(this.#format);
    this.#runs.push({ column: this.#column, row0: this.#row0, row1: this.#row1, pattern });
  }
}
