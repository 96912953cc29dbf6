import { cellName } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import { quoteSheet, rowCount, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { fitsColumn, type ColumnDefinition } from '../../model/table-column.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { isKey } from '../cells/key-index.ts';
import { keyText } from '../cells/key-table.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { cellOf, plainInput, readColumnInTurns, type ColumnCells } from './table-cells.ts';
import type { StoredColumn } from '../structure/tables.ts';

const rowsBetweenPauses = 1_024;

/** The data cells of a table, and the columns to check them against. */
export interface CheckedArea {
  readonly sheet: SheetOutline;
  readonly data: Range;
  readonly columns: readonly StoredColumn[];
}

/** Reads the data cells of a table, column by column. */
export function* readArea(
  { sheet, data, columns }: CheckedArea,
  context: PlanContext,
): Generator<void, ColumnCells[]> {
  const cells = context.cellsOf(sheet);
  const held: ColumnCells[] = [];
  for (const { line } of columns) {
    held.push(yield* readColumnInTurns(cells, sheet, { column: line, range: data }));
  }
  return held;
}

/** Returns whether a row has nothing but calculated cells, as the one of an empty table. */
export function isBlankRow(
  columns: readonly ColumnDefinition[],
  held: readonly ColumnCells[],
  index: number,
): boolean {
  return columns.every(
    ({ formula }, at) => formula !== undefined || held[at]?.tags[index] === cellTag.blank,
  );
}

/** Throws a rejection for cells that do not fit the schema, and for blank or duplicate keys. */
export function checkCells(
  area: CheckedArea,
  key: string | undefined,
  context: PlanContext,
): Generator<void, void> {
  const refuse = (fault: CellFault) => {
    throw invalid({ area, ...fault }, fault.text);
  };
  return findFaults(area, { key, onFault: refuse }, context);
}

/**
 * A cell that does not fit the schema; `index` counts rows of the area, `at` columns of the table.
 */
export interface CellFault {
  readonly index: number;
  readonly at: number;
  readonly kind: 'key' | 'schema';
  readonly text: string;
}

interface FaultSearch {
  /** Id of the key column. */
  readonly key: string | undefined;
  readonly onFault: (fault: CellFault) => void;
}

export function* findFaults(
  area: CheckedArea,
  { key, onFault }: FaultSearch,
  context: PlanContext,
): Generator<void, void> {
  const held = yield* readArea(area, context);
  const keys = new Map<string, number>();
  const date1904 = context.settings.get('dateSystem') === 1904;
  for (let index = 0; index < rowCount(area.data); index++) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    if (isBlankRow(area.columns, held, index)) continue;
    for (const [at, column] of area.columns.entries()) {
      const cells = held[at];
      if (!cells || column.formula !== undefined) continue;
      const text = schemaFault(cellOf(cells, index), { column, date1904 }, context);
      if (text !== undefined) onFault({ index, at, kind: 'schema', text });
      const said =
        column.id === key ? keyFault(cells, { index, keys, first: area.data.row0 }) : undefined;
      if (said !== undefined) onFault({ index, at, kind: 'key', text: said });
    }
  }
}

interface CellPlace {
  readonly area: CheckedArea;
  readonly index: number;
  readonly at: number;
}

function schemaFault(
  cell: CodedCell,
  { column, date1904 }: { readonly column: StoredColumn; readonly date1904: boolean },
  context: PlanContext,
): string | undefined {
  if (cell.tag === cellTag.formula) return undefined;
  const isFree = column.type === undefined || column.type === 'any';
  if (isFree && column.enum === undefined && column.nullable !== false) return undefined;
  const input: Input = plainInput(cell, context);
  return fitsColumn(input, column, date1904) ? undefined : `does not fit ${column.name}`;
}

interface KeySearch {
  readonly index: number;
  readonly keys: Map<string, number>;
  /** First position in the area with the key. */
  readonly first: number;
}

function keyFault(cells: ColumnCells, { index, keys, first }: KeySearch): string | undefined {
  const cell = cellOf(cells, index);
  if (!isKey(cell)) return 'is no key: a key is a text, a number or a date';
  const earlier = keys.get(keyText(cell));
  if (earlier !== undefined) return `repeats the key of row ${first + earlier + 1}`;
  keys.set(keyText(cell), index);
  return undefined;
}

export function invalid({ area, index, at }: CellPlace, fault: string): Rejection {
  const { sheet, data } = area;
  const cell = `${quoteSheet(sheet.name)}!${cellName(data.row0 + index, data.column0 + at)}`;
  return new Rejection('row_invalid', `${cell} ${fault}`);
}
