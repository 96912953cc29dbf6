import { cellName } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import { inputsEqual, writeInput, type WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { BranchState } from '../branch-state.ts';
import { keyColumnOf, sheetOfTable, type StoredColumn } from '../structure/tables.ts';
import type { Choice, Judge, Side } from './judge.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { checkNewKeys } from './new-keys.ts';
import { positionIn, tableIn } from './relocation.ts';

/** Twins: two new rows of a table to which both sides gave one key. */
export interface Twin {
  readonly ours: KeyedRow;
  readonly theirs: KeyedRow;
}

/** A column on each side. */
type SharedColumn = Readonly<Record<Side, StoredColumn>>;

interface TwinCell {
  readonly column: SharedColumn;
  readonly mine: Input;
  readonly yours: Input;
}

type Rekeying = Extract<Choice, { rekey: unknown }>;

/** Twins that remain two rows, with the side and the new key of one of them. */
interface RekeyedTwin {
  readonly twin: Twin;
  readonly choice: Rekeying;
}

/**
 * Joins each pair of twins to one row, column by column: a value that only one has is taken, of two
 * different values the judge chooses. Returns the pairs that remain two rows because one gets
 * another key.
 */
export function* joinTwins(
  sides: AlignedSides,
  { tableId, twins }: { readonly tableId: string; readonly twins: readonly Twin[] },
  judge: Judge,
): Generator<void, Set<Twin>> {
  const apart = new Set<Twin>();
  const rekeyed: RekeyedTwin[] = [];
  const cleared: Record<Side, string[]> = { ours: [], theirs: [] };
  const columns = sharedColumns(sides, tableId);
  for (const { twin, count } of counted(twins)) {
    const cells = cellsOf(sides, { tableId, twin, columns }).filter((cell) => !isEqual(cell));
    if (cells.length === 0) continue;
    const choice = decide(sides, { tableId, twin, columns, cells, count }, judge);
    if (typeof choice === 'object' && 'rekey' in choice) {
      apart.add(twin);
      rekeyed.push({ twin, choice });
      continue;
    }
    for (const cell of cells) {
      const loser: Side = winnerOf(cell, choice) === 'ours' ? 'theirs' : 'ours';
      if ((loser === 'ours' ? cell.mine : cell.yours) === null) continue;
      cleared[loser].push(addressOf(sides[loser], tableId, twin[loser], cell.column[loser]));
    }
  }
  for (const side of ['ours', 'theirs'] as const) {
    yield* clear(sides[side], tableId, cleared[side]);
  }
  const keys = rekeyed.map(({ choice }) => choice.newKey);
  if (keys.length > 0) yield* checkNewKeys(sides, tableId, keys);
  for (const { twin, choice } of rekeyed) yield* rekey(sides, { tableId, twin }, choice);
  return apart;
}

/** Numbers the twins with the same key, from 1. */
function counted(twins: readonly Twin[]): { twin: Twin; count: number }[] {
  const counts = new Map<string, number>();
  return twins.map((twin) => {
    const { key } = twin.ours;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { twin, count };
  });
}

function isEqual({ mine, yours }: TwinCell): boolean {
  return inputsEqual(mine, yours);
}

function winnerOf({ mine, yours }: TwinCell, choice: Choice): Side {
  if (typeof choice !== 'object' || !('combine' in choice)) {
    return choice === 'theirs' ? 'theirs' : 'ours';
  }
  if (mine === null) return 'theirs';
  return yours === null ? 'ours' : choice.combine;
}

interface ContestedTwin extends TwinColumns {
  readonly cells: readonly TwinCell[];
  /** Number of the pair among those with the same key, from 1. */
  readonly count: number;
}

function decide(sides: AlignedSides, contested: ContestedTwin, judge: Judge): Choice {
  const { tableId, twin, cells, count } = contested;
  const table = tableIn(sides.ours.state, tableId);
  const [mine, yours] = [rowOf(sides, 'ours', contested), rowOf(sides, 'theirs', contested)];
  const key = mine[keyColumnOf(table)?.name ?? ''] ?? null;
  const isContested = cells.some((cell) => cell.mine !== null && cell.yours !== null);
  return judge.decide({
    kind: 'tablerow.insert_insert',
    register: `table row ${tableId} ${JSON.stringify(key)}${count > 1 ? ` ${count}` : ''}`,
    text: `${table.name}[${JSON.stringify(key)}]`,
    place: { tableId, sheetId: table.sheetId, row: twin.theirs.id, key },
    sides: () => ({ base: undefined, ours: mine, theirs: yours }),
    ...(!isContested && { agreed: { combine: 'ours' } as const }),
  });
}

/** Returns a row as an object by column name, without calculated columns. */
function rowOf(
  sides: AlignedSides,
  side: Side,
  { tableId, twin, columns }: TwinColumns,
): Record<string, WireInput> {
  const own = tableIn(sides[side].state, tableId).columns;
  const all = new Map(
    [...own, ...columns.map((shared) => shared[side])].map((one) => [one.id, one]),
  );
  const entered = [...all.values()].filter(({ formula }) => formula === undefined);
  return Object.fromEntries(
    entered.map((column) => [
      column.name,
      writeInput(inputOf(sides[side], tableId, twin[side], column)),
    ]),
  );
}

/**
 * Returns columns that both sides can enter values in, also one that a side took out of the table
 * but whose cells it left.
 */
function sharedColumns({ base, ours, theirs }: AlignedSides, tableId: string): SharedColumn[] {
  const { columns, key } = tableIn(ours.state, tableId);
  const known = tableIn(base.state, tableId).columns;
  const others = tableIn(theirs.state, tableId).columns;
  const columnOf = (parts: OperationParts, own: readonly StoredColumn[], id: string) => {
    const column = [...own, ...known].find((one) => one.id === id);
    const sheet = sheetOfTable(tableIn(parts.state, tableId), parts.state.structure);
    const isThere = column && positionIn(sheet, 'column', column.line) !== undefined;
    return isThere ? column : undefined;
  };
  const ids = new Set([...columns, ...others].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [mine, yours] = [columnOf(ours, columns, id), columnOf(theirs, others, id)];
    const isEntered = mine && yours && mine.formula === undefined && id !== key;
    return isEntered ? [{ ours: mine, theirs: yours }] : [];
  });
}

interface TwinColumns {
  readonly tableId: string;
  readonly twin: Twin;
  readonly columns: readonly SharedColumn[];
}

function cellsOf(
  { ours, theirs }: AlignedSides,
  { tableId, twin, columns }: TwinColumns,
): TwinCell[] {
  return columns.map((column) => ({
    column,
    mine: inputOf(ours, tableId, twin.ours, column.ours),
    yours: inputOf(theirs, tableId, twin.theirs, column.theirs),
  }));
}

function inputOf(
  { state }: OperationParts,
  tableId: string,
  row: KeyedRow,
  column: StoredColumn,
): Input {
  const { sheet, down, across } = cellAt(state, tableId, { row, column });
  return state.inputAt(sheet, down, across);
}

function addressOf(
  { state }: OperationParts,
  tableId: string,
  row: KeyedRow,
  column: StoredColumn,
): string {
  const { down, across } = cellAt(state, tableId, { row, column });
  return cellName(down, across);
}

/**
 * Finds a cell by the sheet column: before the merge, other columns may stand among those of a
 * table.
 */
function cellAt(
  state: BranchState,
  tableId: string,
  { row, column }: { readonly row: KeyedRow; readonly column: StoredColumn },
) {
  const sheet = sheetOfTable(tableIn(state, tableId), state.structure);
  const down = positionIn(sheet, 'row', row.id);
  const across = positionIn(sheet, 'column', column.line);
  if (down === undefined || across === undefined) throw new Error('a row of a table has no place');
  return { sheet, down, across };
}

function* clear(
  parts: OperationParts,
  tableId: string,
  cells: readonly string[],
): Generator<void, void> {
  const { sheetId: sheet } = tableIn(parts.state, tableId);
  for (let at = 0; at < cells.length; at += limits.areasPerRange) {
    const range = cells.slice(at, at + limits.areasPerRange).join(',');
    yield* parts.add({ kind: 'range.clear', payload: { sheet, range, what: ['values'] } });
  }
}

function* rekey(
  sides: AlignedSides,
  { tableId, twin }: { readonly tableId: string; readonly twin: Twin },
  { rekey: side, newKey: input }: Rekeying,
): Generator<void, void> {
  const parts = sides[side];
  const table = tableIn(parts.state, tableId);
  const column = keyColumnOf(table);
  if (!column) return;
  const a1 = addressOf(parts, tableId, twin[side], column);
  const payload = { sheet: table.sheetId, cells: [{ a1, input }] };
  yield* parts.add({ kind: 'cells.set', payload });
}
