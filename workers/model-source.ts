import { CELL_ANCHOR, CELL_FORMULA, CELL_SPILLED } from '../assembly/abi.ts';
import type { FormulaInput, Input, Value } from '../server/model/cell-value.ts';
import type { CellStyle } from '../server/model/cell-style.ts';
import { rangeName, type Range } from '../server/model/range.ts';
import type { FileRecord } from './files/file-record.ts';
import type { SourceCell } from './files/sheet-cells.ts';
import { LineStyles, plainLook, type SheetLook } from './files/sheet-look.ts';
import type { SheetSource } from './files/workbook-source.ts';
import { FormatRows, type FormatRun } from './format-runs.ts';
import type { Kernel } from './kernel.ts';

/** Values of one read; their formulas are read for the same area. */
const pageCells = 8192;
/** Cells of an area for each cell with a value; a sparser area is cut. */
const sparseness = 4;
/** Formatted blank cells that an export writes beyond the cells with content. */
const formattedBlanksMost = 1_000_000;

export interface ExportedSheet {
  readonly key: number;
  readonly name: string;
  readonly formats: readonly FormatRun[];
  readonly look?: SheetLook;
  /** Merged cells, notes, rules and so on. */
  readonly records?: readonly FileRecord[];
}

interface PlacedValue {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly value: Value;
}

/** Returns the sheets of an evaluated model for the writers, which read them cell by cell. */
export function modelSheets(kernel: Kernel, sheets: readonly ExportedSheet[]): SheetSource[] {
  const values = new ValueCursor(kernel, new Set(sheets.map(({ key }) => key)));
  return sheets.map((sheet) => ({
    name: sheet.name,
    ...(sheet.look && { look: sheet.look }),
    cells: () => sheetCells(kernel, sheet, values),
    records: sheet.records ?? [],
  }));
}

/** Walks the non-blank cells of the exported sheets once, in pages. */
class ValueCursor {
  readonly #kernel: Kernel;
  readonly #wanted: ReadonlySet<number>;
  #page: PlacedValue[] = [];
  #index = 0;
  #offset = 0;

  constructor(kernel: Kernel, wanted: ReadonlySet<number>) {
    this.#kernel = kernel;
    this.#wanted = wanted;
  }

  /** Returns the next cells of a sheet: up to a page, ending with a whole row if possible. */
  band(sheet: number): PlacedValue[] {
    this.#fill();
    const from = this.#index;
    const first = this.#page[from];
    if (first?.sheet !== sheet) return [];
    let end = from + 1;
    let box = boxOf(first);
    for (; end < this.#page.length; end++) {
      const cell = this.#page[end];
      if (cell?.sheet !== sheet) break;
      const grown = grow(box, cell);
      if (areaOf(grown) > (end - from + 16) * sparseness) break;
      box = grown;
    }
    this.#index = end;
    return this.#page.slice(from, end);
  }

  #fill(): void {
    if (this.#index < this.#page.length) return;
    this.#page = [];
    this.#index = 0;
    for (let count = pageCells; this.#page.length === 0 && count > 0;) {
      count = this.#kernel.readValues(this.#offset, pageCells, (cell) => {
        if (this.#wanted.has(cell.sheet)) this.#page.push(cell);
      });
      this.#offset += count;
    }
  }
}

function boxOf({ row, column }: PlacedValue): Range {
  return { row0: row, column0: column, row1: row, column1: column };
}

function grow(box: Range, { row, column }: PlacedValue): Range {
  return {
    row0: box.row0,
    column0: Math.min(box.column0, column),
    row1: row,
    column1: Math.max(box.column1, column),
  };
}

function areaOf({ row0, column0, row1, column1 }: Range): number {
  return (row1 - row0 + 1) * (column1 - column0 + 1);
}

/** Formula of a formula cell, `spilled` for a cell that a neighbour's array fills, else null. */
type Entered = { readonly formula: string; readonly spills: boolean } | 'spilled' | null;

function enteredForm(value: Value, flags: number): Entered {
  if ((flags & CELL_FORMULA) !== 0 && typeof value === 'string') {
    return { formula: value, spills: (flags & CELL_ANCHOR) !== 0 };
  }
  return (flags & CELL_SPILLED) !== 0 ? 'spilled' : null;
}

function* filledCells(kernel: Kernel, sheet: number, values: ValueCursor): Generator<SourceCell> {
  for (;;) {
    const band = values.band(sheet);
    const first = band[0];
    if (first === undefined) return;
    let box = boxOf(first);
    for (const cell of band) box = grow(box, cell);
    const entered = kernel.readRange(sheet, box, { lens: 'formula', form: enteredForm });
    for (const { row, column, value } of band) {
      const found = entered[row - box.row0]?.[column - box.column0] ?? null;
      if (found === null) yield { row, column, input: value };
      else if (found === 'spilled') yield { row, column, input: null, value };
      else yield { ...formulaCell(kernel, sheet, { row, column, ...found }), value };
    }
  }
}

interface PlacedFormula {
  readonly row: number;
  readonly column: number;
  readonly formula: string;
  readonly spills: boolean;
}

function formulaCell(
  kernel: Kernel,
  sheet: number,
  { row, column, formula, spills }: PlacedFormula,
): SourceCell {
  const mode = kernel.formulaMode(sheet, row, column);
  // A formula that the kernel cannot read is unreadable elsewhere too, so the file gets its value.
  if (mode === 'none') return { row, column, input: null };
  const input = formulaInput(formula, mode === 'legacy');
  const isArray = mode === 'array';
  const area = spills || isArray ? kernel.readSpill(sheet, row, column) : undefined;
  const { rowCount = 1, columnCount = 1 } = area ?? {};
  if (!isArray) {
    const isAlone = rowCount * columnCount === 1;
    const extent = isAlone ? {} : { spillRows: rowCount, spillColumns: columnCount };
    return { row, column, input, ...extent };
  }
  const row1 = row + rowCount - 1;
  const column1 = column + columnCount - 1;
  const array = rangeName({ row0: row, column0: column, row1, column1 });
  return { row, column, input: { formula, array } };
}

function formulaInput(formula: string, isLegacy: boolean): FormulaInput {
  return isLegacy ? { formula, legacy: true } : { formula };
}

function styled(cell: SourceCell, style: CellStyle): SourceCell {
  const { numberFormat } = style;
  return { ...cell, style, ...(numberFormat !== undefined && { numberFormat }) };
}

/** Yields cells and formatted blanks row by row, with all properties of their style. */
function* sheetCells(
  kernel: Kernel,
  { key, formats, look = plainLook }: ExportedSheet,
  values: ValueCursor,
): Generator<SourceCell> {
  const styles = new RowStyles(formats, look);
  const filled = filledCells(kernel, key, values);
  let next = filled.next();
  let row = 0;
  for (;;) {
    const filledRow = next.done === true ? Infinity : next.value.row;
    row = styles.nextRow(row, filledRow);
    if (row === Infinity) return;
    const cells = new Map<number, SourceCell>();
    for (; next.done !== true && next.value.row === row; next = filled.next()) {
      cells.set(next.value.column, next.value);
    }
    styles.apply(row, cells);
    yield* [...cells.values()].sort((left, right) => left.column - right.column);
    row++;
  }
}

/** Adds the styles to cells, and blank cells that have a style themselves. */
class RowStyles {
  readonly #own: FormatRows;
  /** Styles of rows and columns for cells without one; undefined if there are none. */
  readonly #lines: LineStyles | undefined;
  #blanksLeft = formattedBlanksMost;

  constructor(formats: readonly FormatRun[], look: SheetLook) {
    this.#own = new FormatRows(formats);
    const lines = new LineStyles(look);
    this.#lines = lines.isEmpty ? undefined : lines;
  }

  /** Returns the next row with a cell or a style; `filled` is the next with cells. */
  nextRow(from: number, filled: number): number {
    const row = Math.min(filled, this.#blanksLeft > 0 ? this.#own.nextRow(from) : filled);
    this.#own.nextRow(row);
    return row;
  }

  apply(row: number, cells: Map<number, SourceCell>): void {
    for (const { column, style } of this.#own.inRow(row)) {
      const cell = cells.get(column);
      if (cell === undefined && this.#blanksLeft-- <= 0) continue;
      const blank: { row: number; column: number; input: Input } = { row, column, input: null };
      cells.set(column, styled(cell ?? blank, style));
    }
    if (!this.#lines) return;
    for (const [column, cell] of cells) {
      const style = cell.style === undefined ? this.#lines.below(row, column) : undefined;
      if (style) cells.set(column, styled(cell, style));
    }
  }
}
