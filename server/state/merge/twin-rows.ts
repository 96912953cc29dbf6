import { cellName } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import { inputsEqual, writeInput, type WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { BranchState } from '../branch-state.ts';
import { keyColumnOf, sheetOfTable, type StoredColumn } from '../tables.ts';
import type { Choice, Judge } from './judge.ts';
import type { KeyedRow } from './keyed-rows.ts';
import type { OperationParts } from './parts.ts';
import { positionIn, tableIn } from './relocation.ts';

/** One key that both sides gave to a row of a table. */
export interface Twin {
  readonly ours: KeyedRow;
  readonly theirs: KeyedRow;
}

/** What the two sides are made of. */
interface Sides {
  readonly ours: OperationParts;
  readonly theirs: OperationParts;
}

interface TwinCell {
  readonly column: StoredColumn;
  readonly mine: Input;
  readonly yours: Input;
}

type Side = 'ours' | 'theirs';

/**
 * Makes one row of each two, column by column: what only one of them holds is taken, and of what
 * they hold otherwise the judge says which. Answers those that stay two rows, under another key.
 */
export function* joinTwins(
  sides: Sides,
  { tableId, twins }: { readonly tableId: string; readonly twins: readonly Twin[] },
  judge: Judge,
): Generator<void, Set<Twin>> {
  const apart = new Set<Twin>();
  const cleared: Record<Side, string[]> = { ours: [], theirs: [] };
  for (const twin of twins) {
    const cells = cellsOf(sides, tableId, twin).filter((cell) => !isEqual(cell));
    if (cells.length === 0) continue;
    const choice = decide(sides, { tableId, twin, cells }, judge);
    if (typeof choice === 'object' && 'rekey' in choice) {
      apart.add(twin);
      yield* rekey(sides, { tableId, twin }, choice);
      continue;
    }
    for (const cell of cells) {
      const loser: Side = winnerOf(cell, choice) === 'ours' ? 'theirs' : 'ours';
      if ((loser === 'ours' ? cell.mine : cell.yours) === null) continue;
      cleared[loser].push(addressOf(sides[loser], tableId, twin[loser], cell.column));
    }
  }
  for (const side of ['ours', 'theirs'] as const) {
    yield* clear(sides[side], tableId, cleared[side]);
  }
  return apart;
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

interface ContestedTwin {
  readonly tableId: string;
  readonly twin: Twin;
  readonly cells: readonly TwinCell[];
}

function decide(sides: Sides, { tableId, twin, cells }: ContestedTwin, judge: Judge): Choice {
  const table = tableIn(sides.ours.state, tableId);
  const [mine, yours] = [
    rowOf(sides.ours, tableId, twin.ours),
    rowOf(sides.theirs, tableId, twin.theirs),
  ];
  const key = mine[keyColumnOf(table)?.name ?? ''] ?? null;
  const isContested = cells.some((cell) => cell.mine !== null && cell.yours !== null);
  return judge.decide({
    kind: 'tablerow.insert_insert',
    register: `table row ${tableId} ${twin.ours.key}`,
    text: `${table.name}[${JSON.stringify(key)}]`,
    place: { tableId, sheetId: table.sheetId, row: twin.theirs.id, key },
    sides: () => ({ base: undefined, ours: mine, theirs: yours }),
    ...(!isContested && { agreed: { combine: 'ours' } as const }),
  });
}

/** By the names of its columns, without what is calculated. */
function rowOf(parts: OperationParts, tableId: string, row: KeyedRow): Record<string, WireInput> {
  const { columns } = tableIn(parts.state, tableId);
  const entered = columns.filter(({ formula }) => formula === undefined);
  return Object.fromEntries(
    entered.map((column) => [column.name, writeInput(inputOf(parts, tableId, row, column))]),
  );
}

function cellsOf({ ours, theirs }: Sides, tableId: string, twin: Twin): TwinCell[] {
  const table = tableIn(ours.state, tableId);
  const others = tableIn(theirs.state, tableId).columns;
  return table.columns.flatMap((column) => {
    const other = others.find(({ id }) => id === column.id);
    if (!other || column.formula !== undefined || column.id === table.key) return [];
    const mine = inputOf(ours, tableId, twin.ours, column);
    return [{ column, mine, yours: inputOf(theirs, tableId, twin.theirs, other) }];
  });
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

/** By its column of the sheet: other ones may stand among those of a table until it is merged. */
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
  sides: Sides,
  { tableId, twin }: { readonly tableId: string; readonly twin: Twin },
  { rekey: side, newKey: input }: Extract<Choice, { rekey: unknown }>,
): Generator<void, void> {
  const parts = sides[side];
  const table = tableIn(parts.state, tableId);
  const column = keyColumnOf(table);
  if (!column) return;
  const a1 = addressOf(parts, tableId, twin[side], column);
  const payload = { sheet: table.sheetId, cells: [{ a1, input }] };
  yield* parts.add({ kind: 'cells.set', payload });
}
