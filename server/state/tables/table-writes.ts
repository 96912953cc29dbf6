import type { Input } from '../../model/cell-value.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import { leaveCell } from '../plan/plan.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { Line, TableWrite } from '../plan/table-plan.ts';

const blankTag: number = 0;

/** Cells to be written, row by row from top to bottom. */
export class WriteList {
  readonly #sheet: SheetOutline;
  readonly #columns: readonly Line[];
  readonly #rows: Line[] = [];
  readonly #inputs: (Input | undefined)[] = [];
  readonly #tags: number[] = [];
  readonly #numbers: number[] = [];
  readonly #formats: number[] = [];
  #start = 0;

  constructor(sheet: SheetOutline, columns: readonly Line[]) {
    this.#sheet = sheet;
    this.#columns = columns;
  }

  /** The row that `set` writes to from now on. */
  begin(row: Line): void {
    this.#rows.push(row);
    this.#start = this.#inputs.length;
    for (let index = 0; index < this.#columns.length; index++) {
      this.#inputs.push(undefined);
      this.#tags.push(leaveCell);
      this.#numbers.push(0);
      this.#formats.push(-1);
    }
  }

  set(columnIndex: number, input: Input, coded: CodedCell): void {
    const at = this.#start + columnIndex;
    this.#inputs[at] = input;
    this.#tags[at] = coded.tag;
    this.#numbers[at] = coded.number;
  }

  setFormat(columnIndex: number, format: number): void {
    this.#formats[this.#start + columnIndex] = format;
  }

  finish(): TableWrite {
    return {
      sheet: this.#sheet,
      columns: this.#columns,
      rows: this.#rows,
      inputs: this.#inputs,
      tags: Uint8Array.from(this.#tags),
      numbers: Float64Array.from(this.#numbers),
      formats: Int32Array.from(this.#formats),
    };
  }
}

export interface HeldCell extends CodedCell {
  readonly format: number;
}

/** Reads cells of one column, of one row after the other. */
export class HeldColumn implements HeldCell {
  tag = blankTag;
  number = 0;
  format = 0;
  readonly #cells: SheetCells;
  readonly #column: LineId;
  #found: ReturnType<SheetCells['find']>;
  #row: LineId = { branch: -1, sequence: 0, offset: 0 };

  constructor(cells: SheetCells, column: LineId) {
    this.#cells = cells;
    this.#column = column;
  }

  /** The cell of a row, until the next one is asked for: an object for each would be a million. */
  at(row: LineId): HeldCell {
    const last = this.#row;
    const isNear =
      last.branch === row.branch &&
      last.sequence === row.sequence &&
      last.offset >>> 10 === row.offset >>> 10;
    if (!isNear) this.#found = this.#cells.find(row, this.#column);
    this.#row = row;
    const block = this.#found?.block;
    const lane = row.offset & 1_023;
    this.tag = block ? block.tagAt(lane) : blankTag;
    this.number = block ? block.numberAt(lane) : 0;
    this.format = block ? block.formatAt(lane) : 0;
    return this;
  }
}
