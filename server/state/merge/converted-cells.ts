import { cellName } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { convertValue, fitsColumn, typeOf } from '../../model/table-column.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import { dataRange, keyColumnOf, rangeOf, sheetOfTable } from '../structure/tables.ts';
import type { StoredColumn, StoredTable } from '../structure/tables.ts';
import { cellOf, plainInput, readColumn } from '../tables/table-cells.ts';
import type { AlignedSides } from './parts.ts';
import { tableIn } from './relocation.ts';

/** Cells that one part writes at most. */
export const cellsPerPart = 2_000;

export interface Written {
  readonly a1: string;
  readonly input: WireInput;
}

export interface Converted {
  readonly column: StoredColumn;
  /** Place among the columns of the table. */
  readonly index: number;
  /** The column that the values were entered in; undefined for one that is new. */
  readonly was: StoredColumn | undefined;
}

/** Yields the values of a column that do not fit its type and can be converted to it, converted. */
export function* convertedCells(
  state: BranchState,
  table: StoredTable,
  { column, index, was }: Converted,
): Generator<Written> {
  const context = state.contextAt(state.structure);
  const sheet = sheetOfTable(table, state.structure);
  const range = dataRange(table, rangeOf(table, state.structure));
  const held = readColumn(state.cellsOf(sheet), sheet, { column: column.line, range });
  const date1904 = state.settings.get('dateSystem') === 1904;
  const from = was ? typeOf(was) : 'any';
  for (let at = 0; at <= range.row1 - range.row0; at++) {
    const cell = cellOf(held, at);
    if (cell.tag === cellTag.blank || cell.tag === cellTag.formula) continue;
    const input = plainInput(cell, context);
    if (fitsColumn(input, column, date1904)) continue;
    const value = convertValue(input, { from, to: column }, date1904);
    if (!value) continue;
    const a1 = cellName(range.row0 + at, range.column0 + index);
    yield { a1, input: writeInput(value.input) };
  }
}

/**
 * Converts keys to the type that one side gave the key column, so that equal keys of both sides are
 * recognised as one row.
 */
export function* alignKeyTypes(sides: AlignedSides, tableId: string): Generator<void, void> {
  const [was, mine, yours] = [sides.base, sides.ours, sides.theirs].map(({ state }) => {
    return keyColumnOf(tableIn(state, tableId));
  });
  if (!was || was.id !== mine?.id || was.id !== yours?.id) return;
  const isMine = typeOf(mine) !== typeOf(was);
  const isYours = typeOf(yours) !== typeOf(was);
  if (isMine === isYours) return;
  const wanted = isMine ? mine : yours;
  for (const parts of [sides.base, isMine ? sides.theirs : sides.ours]) {
    const { state } = parts;
    const table = tableIn(state, tableId);
    const index = table.columns.findIndex(({ id }) => id === was.id);
    const own = table.columns[index];
    const { line } = own ?? was;
    const cells = [...convertedCells(state, table, { column: { ...wanted, line }, index, was })];
    for (let at = 0; at < cells.length; at += cellsPerPart) {
      const payload = { sheet: table.sheetId, cells: cells.slice(at, at + cellsPerPart) };
      yield* parts.add({ kind: 'cells.set', payload });
    }
  }
}
