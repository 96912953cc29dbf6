import type { BranchState } from '../branch-state.ts';
import { isKey } from '../cells/key-index.ts';
import { keyText } from '../cells/key-table.ts';
import type { LineId } from '../ids/order.ts';
import { lineText } from '../structure/area.ts';
import { dataRange, keyColumnOf, rangeOf, sheetOfTable } from '../structure/tables.ts';
import { cellOf, isBlankArea, readColumnInTurns } from '../tables/table-cells.ts';
import type { AlignedSides } from './parts.ts';
import { positionIn, tableIn } from './relocation.ts';

export const rowsBetweenPauses = 2_048;

/** Rows of a table by key, from top to bottom. */
export type RowsByKey = ReadonlyMap<string, LineId>;

export interface Keyed {
  readonly base: RowsByKey;
  readonly ours: RowsByKey;
  readonly theirs: RowsByKey;
}

/** Prefix of the made-up key of a row that has none. */
const keyless = 'line ';
/** Stands for the row of totals. */
export const totalsKey = 'totals';

/**
 * Undefined where a key is there twice, or where rows without a key are not those of the base but
 * for some that one side has more, and where not all sides have a row of totals.
 */
export function* keyedRows(
  sides: AlignedSides,
  tableId: string,
): Generator<void, Keyed | undefined> {
  const base = yield* rowsOf(sides.base.state, tableId);
  const ours = base && (yield* rowsOf(sides.ours.state, tableId));
  const theirs = ours && (yield* rowsOf(sides.theirs.state, tableId));
  if (!base || !ours || !theirs) return undefined;
  const totals = new Set([base, ours, theirs].map((rows) => rows.has(totalsKey)));
  if (totals.size > 1) return undefined;
  const isAdded = (rows: RowsByKey) => (key: string) => isKeyless(key) && !rows.has(key);
  const [lost, mine, yours] = [
    [...base.keys()].some((key) => isAdded(ours)(key) || isAdded(theirs)(key)),
    [...ours.keys()].some(isAdded(base)),
    [...theirs.keys()].some(isAdded(base)),
  ];
  return lost || (mine && yours) ? undefined : { base, ours, theirs };
}

function isKeyless(key: string): boolean {
  return key.startsWith(keyless);
}

function* rowsOf(state: BranchState, tableId: string): Generator<void, RowsByKey | undefined> {
  const table = tableIn(state, tableId);
  const column = keyColumnOf(table)?.line;
  if (!column) return undefined;
  const sheet = sheetOfTable(table, state.structure);
  const all = rangeOf(table, state.structure);
  const range = dataRange(table, all);
  const cells = state.cellsOf(sheet);
  const held = yield* readColumnInTurns(cells, sheet, { column, range });
  const rows = new Map<string, LineId>();
  for (let at = 0; at <= range.row1 - range.row0; at++) {
    if (at % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const cell = cellOf(held, at);
    const row = range.row0 + at;
    if (!isKey(cell)) {
      // A row without a key is identified by its line. The single blank row of an empty table does
      // not count.
      const isOnly = range.row0 === range.row1;
      const isBlank = table.columns.every(({ line, formula }) => {
        const across = positionIn(sheet, 'column', line) ?? 0;
        const area = { row0: row, row1: row, column0: across, column1: across };
        return formula !== undefined || isBlankArea(sheet, area, cells);
      });
      const line = sheet.rows.idAt(row);
      if (!isBlank || !isOnly) rows.set(keyless + lineText(line), line);
      continue;
    }
    if (rows.has(keyText(cell))) return undefined;
    rows.set(keyText(cell), sheet.rows.idAt(row));
  }
  if (table.totalsRow) rows.set(totalsKey, sheet.rows.idAt(all.row1));
  return rows;
}

/** Returns whether two states have different rows on the same line. */
export function isTaken({ base, ours, theirs }: Keyed): boolean {
  const keyOn = (rows: RowsByKey) => new Map([...rows].map(([key, id]) => [lineText(id), key]));
  const [was, mine, yours] = [keyOn(base), keyOn(ours), keyOn(theirs)];
  const differ = (a: Map<string, string>, b: Map<string, string>) =>
    [...a].some(([line, key]) => b.has(line) && b.get(line) !== key);
  return differ(mine, was) || differ(yours, was) || differ(mine, yours);
}

/** Returns whether the shared keys are in another order. */
function isMoved(rows: RowsByKey, others: RowsByKey): boolean {
  const before = [...others.keys()].filter((key) => rows.has(key));
  const after = [...rows.keys()].filter((key) => others.has(key));
  return after.some((key, at) => key !== before[at]);
}

export type Leader = 'ours' | 'theirs' | 'base';

/**
 * Returns the state whose order of rows the merged table gets: the side that alone reordered rows,
 * else the side that alone added some, else the base. Undefined when both sides sorted differently.
 */
export function leaderOf({ base, ours, theirs }: Keyed): Leader | undefined {
  const isGrown = (rows: RowsByKey) => [...rows.keys()].some((key) => !base.has(key));
  const [isMine, isYours] = [ours, theirs].map((rows) => isMoved(rows, base));
  if (isMine !== isYours) return isMine === true ? 'ours' : 'theirs';
  if (isMine === true && isMoved(ours, theirs)) {
    const isSorted = [ours, theirs].every((rows) => rows.size === base.size && !isGrown(rows));
    return isSorted ? undefined : 'base';
  }
  if (isGrown(ours) === isGrown(theirs)) return 'base';
  return isGrown(ours) ? 'ours' : 'theirs';
}
