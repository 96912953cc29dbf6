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
    const { data, rowCount } = extentOf(table, state);
    this.#row0 = data.row0;
    this.#row1 = data.row0 + rowCount - 1;
  }

  get rowCount(): number {
    return this.#row1 - this.#row0 + 1;
  }

  /** Position of the first row. */
  get first(): number {
    return this.#row0;
  }

  has(position: number): boolean {
    return position >= this.#row0 && position <= this.#row1;
  }

  /** -1 for a row that is not one of the table's. */
  positionOf({ branch, sequence, offset }: LineId): number {
    const position = this.#sheet.rows.positionOf(branch, sequence, offset) ?? -1;
    return this.has(position) ? position : -1;
  }

  idAt(position: number): LineId {
    return this.#sheet.rows.idAt(position);
  }

  /** Positions of rows that are no rows of the other side, as stretches: first and end. */
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

  /** Offsets within a span whose ids are rows of this table, in their order: first and end. */
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

  /** Columns whose values are entered; calculated columns hold the results of their formula. */
  get entered(): readonly StoredColumn[] {
    return this.table.columns.filter(({ formula }) => formula === undefined);
  }
}
