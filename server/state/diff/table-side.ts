import { writeInput, type WireInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  sheetOfTable,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { blankLane, laneAt } from '../compare/same-lanes.ts';

/** One side of a table: the places of its rows, and their values. */
export class TableSide {
  readonly table: StoredTable;
  readonly state: BranchState;
  readonly #row0: number;
  readonly #row1: number;
  readonly #sheet: SheetOutline;

  constructor(table: StoredTable, state: BranchState) {
    this.table = table;
    this.state = state;
    this.#sheet = sheetOfTable(table, state.structure);
    const { row0, row1 } = dataRange(table, rangeOf(table, state.structure));
    this.#row0 = row0;
    this.#row1 = row1;
  }

  spans(): IdSpan[] {
    return this.#sheet.rows.spansAt(this.#row0, this.#row1 - this.#row0 + 1);
  }

  /** -1 for a row that is not one of the table's. */
  positionOf({ branch, sequence, offset }: LineId): number {
    const position = this.#sheet.rows.positionOf(branch, sequence, offset) ?? -1;
    return this.has(position) ? position : -1;
  }

  has(position: number): boolean {
    return position >= this.#row0 && position <= this.#row1;
  }

  /** Ids of a span that are no rows of the table. */
  *without(span: IdSpan): Generator<LineId> {
    let skipped = 0;
    const pieces = this.#sheet.rows.piecesOf(span).toSorted((a, b) => a.skipped - b.skipped);
    for (const { position, length, skipped: start } of pieces) {
      yield* idsOf(span, skipped, start);
      const [above, below] = [this.#row0 - position, this.#row1 + 1 - position];
      yield* idsOf(span, start, start + Math.min(length, Math.max(0, above)));
      yield* idsOf(span, start + Math.max(0, Math.min(length, below)), start + length);
      skipped = start + length;
    }
    yield* idsOf(span, skipped, span.length);
  }

  cellAt(row: LineId, column: StoredColumn): CodedCell {
    const found = this.state.cellsOf(this.#sheet).find(row, column.line);
    return found ? laneAt(found.block, found.lane) : blankLane;
  }

  placeOf(row: LineId, column: StoredColumn): CellPlace {
    return { sheetId: this.#sheet.id, row, column: column.line };
  }

  inputAt(row: LineId, column: StoredColumn): WireInput {
    const { coding, structure } = this.state;
    return writeInput(
      coding.decode(this.cellAt(row, column), this.placeOf(row, column), structure),
    );
  }

  keyAt(row: LineId): CodedCell {
    const column = keyColumnOf(this.table);
    return column ? this.cellAt(row, column) : blankLane;
  }

  /** Columns whose values are entered; calculated columns hold the results of their formula. */
  get entered(): readonly StoredColumn[] {
    return this.table.columns.filter(({ formula }) => formula === undefined);
  }
}

export function* idsOf(
  { branch, sequence, offset }: IdSpan,
  from: number,
  to: number,
): Generator<LineId> {
  for (let at = from; at < to; at++) yield { branch, sequence, offset: offset + at };
}
