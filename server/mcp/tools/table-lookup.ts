import type { Place } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import { foldName } from '../../model/names.ts';
import { parseRange, type Range } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { TableSummary } from '../../state/structure/tables.ts';
import type { McpServices } from '../services.ts';

/** The tables of a position. */
export interface FoundTables {
  readonly seq: number;
  readonly tables: readonly TableSummary[];
  /** Says which day has the number 0. */
  readonly date1904: boolean;
}

function* tablesOf(state: BranchState): Generator<void, FoundTables> {
  yield* [];
  const date1904 = state.settings.get('dateSystem') === 1904;
  return { seq: state.head, tables: state.tables.summaries(state.structure), date1904 };
}

export function readTables(
  { positions }: Pick<McpServices, 'positions'>,
  { address, seq, isPinned }: Place,
): Promise<FoundTables> {
  return isPinned ? positions.readAt(address, seq, tablesOf) : positions.read(address, tablesOf);
}

/** The table of an id or a name. */
export function tableNamed(tables: readonly TableSummary[], named: string): TableSummary {
  const folded = foldName(named);
  const found =
    tables.find(({ id }) => id === named) ?? tables.find(({ name }) => foldName(name) === folded);
  if (found) return found;
  const known = tables.slice(0, 20).map(({ name }) => name);
  throw new Failure('tableNotFound', {
    detail: `There is no table "${named.slice(0, 100)}". ${known.length === 0 ? 'There are none.' : `There are ${known.join(', ')}.`}`,
    errors: [{ pointer: '/table', code: 'table_not_found', message: 'The id or name of a table.' }],
  });
}

/** The cells between header and totals. */
export function dataArea({ range, headerRow, totalsRow }: TableSummary): Range {
  const area = parseRange(range);
  if (!area) throw new Error(`a table has the range ${range}`);
  return { ...area, row0: area.row0 + Number(headerRow), row1: area.row1 - Number(totalsRow) };
}

/** Returns the index of a column in the rows of its table. */
export function columnAt({ schema, name }: TableSummary, column: string, pointer: string): number {
  const folded = foldName(column);
  const at = schema.columns.findIndex((one) => foldName(one.name) === folded);
  if (at >= 0) return at;
  const known = schema.columns.slice(0, 40).map((one) => one.name);
  const message = `The table ${name} has the columns ${known.join(', ')}.`;
  throw new Failure('invalidRequest', {
    detail: `${pointer}: There is no column "${column.slice(0, 100)}". ${message}`,
    errors: [{ pointer, code: 'unknown_column', message }],
  });
}
