import type { Input } from '../../model/cell-value.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Block } from '../cells/block.ts';
import type { LineId } from '../ids/order.ts';
import { leaveCell } from '../plan/plan.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { Line, TableFill, TableWrite } from '../plan/table-plan.ts';

type CellsOf = (sheet: SheetOutline) => SheetCells;

const rowsBetweenPauses = 1_024;

export function* executeWrites(write: TableWrite, cellsOf: CellsOf): Generator<void, Mutation[]> {
  const cells = cellsOf(write.sheet);
  for (const index of write.columns.keys()) yield* writeColumn(write, index, cells);
  return yield* writeMutations(write);
}

function* writeColumn(
  write: TableWrite,
  columnIndex: number,
  cells: SheetCells,
): Generator<void, void> {
  const { rows, columns, tags, numbers, formats } = write;
  const column = columns[columnIndex];
  if (!column) return;
  const writer = new ColumnWriter(cells, column.id);
  let [index, count] = [columnIndex, 0];
  for (const { id } of rows) {
    if (++count % rowsBetweenPauses === 0) yield;
    const tag = tags[index] ?? leaveCell;
    const format = formats[index] ?? -1;
    if (tag !== leaveCell || format >= 0) {
      const block = writer.blockOf(id);
      const lane = id.offset & 1_023;
      if (tag !== leaveCell) block.set(lane, tag, numbers[index] ?? 0);
      if (format >= 0) block.fillFormat(lane, lane + 1, format);
    }
    index += columns.length;
  }
}

/**
 * Writes to rows of a column one by one; caches the last block, which mostly has the next row too.
 */
class ColumnWriter {
  readonly #cells: SheetCells;
  readonly #column: LineId;
  #block: Block | undefined;

  constructor(cells: SheetCells, column: LineId) {
    this.#cells = cells;
    this.#column = column;
  }

  blockOf(row: LineId): Block {
    const known = this.#block;
    const isSame =
      known?.index === row.offset >>> 10 &&
      known.sequence === row.sequence &&
      known.branch === row.branch;
    if (isSame) return known;
    this.#block = this.#cells.blockForWrite(row, this.#column);
    return this.#block;
  }
}

/** Returns the mutations of a write; contiguous rows become one block. */
function* writeMutations(write: TableWrite): Generator<void, Mutation[]> {
  const { sheet, rows, columns } = write;
  const [first, last] = [columns[0], columns.at(-1)];
  if (!first || !last) return [];
  const mutations: Mutation[] = [];
  let inputs: (Input | undefined)[][] = [];
  for (let index = 0; index < rows.length; index++) {
    if (index % rowsBetweenPauses === 0) yield;
    const position = rows[index]?.position ?? 0;
    inputs.push(rowInputs(write, index, last.position - first.position + 1));
    if (rows[index + 1]?.position === position + 1) continue;
    const row = position - inputs.length + 1;
    mutations.push({ kind: 'block', sheet: sheet.key, row, column: first.position, inputs });
    inputs = [];
  }
  return mutations;
}

function rowInputs(
  { columns, inputs }: TableWrite,
  rowIndex: number,
  width: number,
): (Input | undefined)[] {
  const start = rowIndex * columns.length;
  if (columns.length === width) return inputs.slice(start, start + width);
  const row = Array<Input | undefined>(width).fill(undefined);
  const [first] = columns;
  for (const [index, { position }] of columns.entries()) {
    row[position - (first?.position ?? 0)] = inputs[start + index];
  }
  return row;
}

export function executeFill(fill: TableFill, cellsOf: CellsOf): Mutation {
  const { sheet, column, row, rowCount, input, coded, format } = fill;
  const rows = sheet.rows.spansAt(row, rowCount);
  for (const { block, from, to } of cellsOf(sheet).stretchesForWrite(rows, column.id)) {
    block.fill(from, to, coded.tag, coded.number);
    if (format >= 0) block.fillFormat(from, to, format);
  }
  const at = { sheet: sheet.key, row, column: column.position };
  if (rowCount === 1) return { kind: 'cell', ...at, input };
  return { kind: 'fill', ...at, rowCount, columnCount: 1, input };
}

export function lineAt(sheet: SheetOutline, axis: 'row' | 'column', position: number): Line {
  const order = axis === 'row' ? sheet.rows : sheet.columns;
  return { id: order.idAt(position), position };
}
