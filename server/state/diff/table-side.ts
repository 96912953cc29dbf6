import { writeInput, type WireInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import {
  keyColumnOf,
  sheetOfTable,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import { extentOf } from '../tables/table-extent.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { blankLane, laneAt } from '../compare/same-lanes.ts';

/** One side of a table: the positions of its rows, and their values. */
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
    const { data, rowCount } = extentOf(table, state);
    this.#row0 = data.row0;
    this.#row1 = data.row0 + rowCount - 1;
  }

  get rowCount(): number {
    return this.#row1 - this.#row0 + 1;
  }

  /** Position of the first data row. */
  get first(): number {
    return this.#row0;
  }

  has(position: number): boolean {
    return position >= this.#row0 && position <= this.#row1;
  }

  /** Returns the position of a row; -1 when it is not a data row of the table. */
  positionOf({ branch, sequence, offset }: LineId): number {
    const position = this.#sheet.rows.positionOf(branch, sequence, offset) ?? -1;
    return this.has(position) ? position : -1;
  }

  idAt(position: number): LineId {
    return this.#sheet.rows.idAt(position);
  }

  /** Yields stretches of rows (first position, end) that are not rows of the other side. */
  *without(other: TableSide | undefined): Generator<readonly [from: number, to: number]> {
    let from = this.#row0;
    for (const span of this.#sheet.rows.spansAt(this.#row0, this.rowCount)) {
      let skipped = 0;
      for (const [start, end] of other?.piecesOf(span) ?? []) {
        if (start > skipped) yield [from + skipped, from + start];
        skipped = end;
      }
      if (span.length > skipped) yield [from + skipped, from + span.length];
      from += span.length;
    }
  }

  /** Returns stretches of a span (first offset, end) that are rows of the table, ascending. */
  piecesOf(span: IdSpan): (readonly [from: number, to: number])[] {
    const pieces = this.#sheet.rows.piecesOf(span).toSorted((a, b) => a.skipped - b.skipped);
    return pieces.flatMap(({ position, length, skipped }) => {
      const from = Math.max(0, this.#row0 - position);
      const to = Math.min(length, this.#row1 + 1 - position);
      return from < to ? [[skipped + from, skipped + to] as const] : [];
    });
  }

  cellAt(row: LineId, column: StoredColumn): CodedCell {
    const found = this.cells.find(row, column.line);
    return found ? laneAt(found.block, found.lane) : blankLane;
  }

  placeOf(row: LineId, column: StoredColumn): CellPlace {
    return { sheetId: this.#sheet.id, row, column: column.line };
  }

  get cells(): SheetCells {
    return this.state.cellsOf(this.#sheet);
  }

  inputOf(cell: CodedCell, row: LineId, column: StoredColumn): WireInput {
    const { coding, structure } = this.state;
    return writeInput(coding.decode(cell, this.placeOf(row, column), structure));
  }

  keyAt(row: LineId): CodedCell {
    const column = keyColumnOf(this.table);
    return column ? this.cellAt(row, column) : blankLane;
  }

  /** Columns with entered values, so without calculated columns. */
  get entered(): readonly StoredColumn[] {
    return this.table.columns.filter(({ formula }) => formula === undefined);
  }
}
