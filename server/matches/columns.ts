import type { Branches } from '../branches/branches.ts';
import { Pace } from '../branches/pace.ts';
import type { Place } from '../branches/place.ts';
import type { Value } from '../model/cell-value.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { rowCount, type Range } from '../model/range.ts';
import { convertValue, typeOf, type ColumnDefinition } from '../model/table-column.ts';
import type { BranchState } from '../state/branch-state.ts';
import {
  columnNamed,
  dataRange,
  keyColumnOf,
  rangeOf,
  sheetOfTable,
  type StoredColumn,
  type StoredTable,
} from '../state/structure/tables.ts';
import type { Models } from '../values/models.ts';
import type { ModelView } from '../values/model-view.ts';
import { valueForm } from '../../workers/decode.ts';
import { PackingTexts } from '../../workers/matching/packing-texts.ts';
import type { PackedTexts } from '../../workers/matching/shared-arrays.ts';
import { matchLimits, type ColumnPlace } from './match.ts';
import type { MatchSide } from './sides.ts';

export interface ColumnParts {
  readonly branches: Pick<Branches, 'stateAt'>;
  readonly models: Pick<Models, 'look'>;
  readonly environment: Environment;
}

/** A column as it is matched, row by row. */
export interface ReadColumn {
  /** Values as texts, empty for what holds none. */
  readonly texts: PackedTexts;
  /** Keys of the rows as JSON: the key column, or the number of the row where there is none. */
  readonly keys: PackedTexts;
}

/** Place of a column at a position. */
export interface FoundColumn {
  readonly table: StoredTable;
  readonly column: StoredColumn;
  readonly sheet: string;
  readonly rows: number;
  readonly range: Range;
  readonly keyRange: Range | undefined;
  readonly date1904: boolean;
}

const bandRows = 1024;

/** Looks a column up; `pointer` says where the request has it, or its table and itself. */
export function findColumn(
  state: BranchState,
  { tableId, column: name }: ColumnPlace,
  pointer: string | { readonly table: string; readonly at: string },
): FoundColumn {
  const [side, own] =
    typeof pointer === 'string' ? [pointer, `${pointer}/column`] : [pointer.table, pointer.at];
  const table = state.tables.find(tableId);
  if (!table) {
    throw new Failure('tableNotFound', {
      detail: `There is no table ${JSON.stringify(tableId)} at this position.`,
      hint: 'GET …/tables?ref= lists those of a position, with their columns.',
      errors: [{ pointer: `${side}/tableId`, code: 'table_not_found', message: 'no table' }],
    });
  }
  const column = columnNamed(table, name);
  if (!column) {
    const names = table.columns.slice(0, 20).map((one) => one.name);
    throw new Failure('columnNotFound', {
      detail: `The table ${table.name} has no column ${JSON.stringify(name)}.`,
      hint: `Its columns are ${names.join(', ')}.`,
      errors: [{ pointer: own, code: 'column_not_found', message: 'no column' }],
    });
  }
  const sheet = sheetOfTable(table, state.structure);
  const data = dataRange(table, rangeOf(table, state.structure));
  const key = keyColumnOf(table);
  const within = ({ line: { branch, sequence, offset } }: StoredColumn): Range => {
    const at = sheet.columns.positionOf(branch, sequence, offset) ?? data.column0;
    return { ...data, column0: at, column1: at };
  };
  return {
    table,
    column,
    sheet: sheet.name,
    rows: Math.max(0, rowCount(data)),
    range: within(column),
    keyRange: key && within(key),
    date1904: state.settings.all()['dateSystem'] === 1904,
  };
}

/** A side with the id of its table and the names as they are written there. */
export function settleSide(state: BranchState, side: MatchSide, pointer: string): MatchSide {
  const settle = (column: string, at: string): string => {
    const found = findColumn(state, { tableId: side.tableId, column }, { table: pointer, at });
    checkSize(found, pointer);
    return found.column.name;
  };
  const { tableId, column, columns, blocking } = side;
  return {
    tableId: state.tables.find(tableId)?.id ?? tableId,
    ...(column !== undefined && { column: settle(column, `${pointer}/column`) }),
    ...(columns && {
      columns: columns.map((one, at) => ({
        ...one,
        column: settle(one.column, `${pointer}/columns/${at}`),
      })),
    }),
    ...(blocking && {
      blocking: blocking.map((one, at) => settle(one, `${pointer}/blocking/${at}`)),
    }),
  };
}

export function checkSize({ rows, table }: FoundColumn, pointer: string): void {
  if (rows <= matchLimits.rowsPerSide) return;
  throw tooLarge(
    `The table ${table.name} has ${rows} rows; at most ${matchLimits.rowsPerSide} are matched.`,
    pointer,
  );
}

function tooLarge(detail: string, pointer: string): Failure {
  return new Failure('matchTooLarge', {
    detail,
    hint: 'Match parts of the table: import the rows of each part into a table of its own.',
    errors: [{ pointer, code: 'match_too_large', message: 'too large' }],
    extra: { max: matchLimits.rowsPerSide },
  });
}

/** Columns of one side together. */
export function checkCharacters(columns: readonly PackedTexts[]): void {
  const count = columns.reduce((sum, { ends }) => sum + (ends.at(-1) ?? 0), 0);
  if (count <= matchLimits.charactersPerSide) return;
  const most = matchLimits.charactersPerSide;
  throw tooLarge(`The columns have ${count} characters; at most ${most} are matched.`, '/left');
}

/** Values of a column at a place, in pieces that leave the thread to others. */
export async function readColumn(
  found: FoundColumn,
  place: Place,
  { models, environment }: ColumnParts,
): Promise<ReadColumn> {
  const ranges = [found.range, ...(found.keyRange ? [found.keyRange] : [])];
  const wish = { ranges: [{ sheet: found.sheet, areas: ranges }], lens: 'value' } as const;
  return models.look({ ...place, isPinned: true }, wish, async (view) => {
    const pace = new Pace(environment);
    const text = textReader(found);
    const texts = await readBands(view, { ...found, pace }, found.range, text);
    if (texts.unitCount > matchLimits.charactersPerSide) {
      const most = matchLimits.charactersPerSide;
      const detail = `${found.table.name} has ${texts.unitCount} characters; at most ${most} are matched.`;
      throw tooLarge(detail, '/left');
    }
    const { keyRange } = found;
    if (!keyRange) return { texts: texts.packed(), keys: numbersOf(found.rows) };
    const keys = await readBands(view, { ...found, pace }, keyRange, keyText);
    return { texts: texts.packed(), keys: keys.packed() };
  });
}

async function readBands(
  { kernel, sheets }: ModelView,
  { sheet, pace }: { sheet: string; pace: Pace },
  range: Range,
  write: (value: Value, index: number) => string,
): Promise<PackingTexts> {
  const key = sheets.named(sheet)?.key;
  if (key === undefined) throw new Error(`a model has no sheet ${sheet}`);
  const texts = new PackingTexts(rowCount(range));
  for (let row = range.row0; row <= range.row1; row += bandRows) {
    const band = { ...range, row0: row, row1: Math.min(range.row1, row + bandRows - 1) };
    const read = kernel.readRange(key, band, { lens: 'value', form: valueForm });
    for (const [at, cells] of read.entries()) {
      texts.add(write(cells[0] ?? null, row - range.row0 + at));
    }
    if (pace.isDue) await pace.rest();
  }
  return texts;
}

/** Numbers, dates and booleans by their one text; errors say nothing. */
function textReader({ column, date1904 }: FoundColumn): (value: Value) => string {
  const text: ColumnDefinition = { name: column.name, type: 'text' };
  const from = typeOf(column);
  return (value) => {
    if (typeof value === 'string') return value;
    if (value === null || typeof value === 'object') return '';
    const read = convertValue(value, { from, to: text }, date1904);
    return typeof read?.input === 'string' ? read.input : String(value);
  };
}

/** A row without a key has its number, so that it can be told from others. */
function keyText(value: Value, index: number): string {
  if (typeof value === 'string' || typeof value === 'number') return JSON.stringify(value);
  return value === true || value === false ? JSON.stringify(value) : String(index + 1);
}

function numbersOf(rows: number): PackedTexts {
  const texts = new PackingTexts(rows);
  for (let row = 1; row <= rows; row++) texts.add(String(row));
  return texts.packed();
}
