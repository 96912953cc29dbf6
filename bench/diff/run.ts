import type { BranchState } from '../../server/state/branch-state.ts';
import { diffStates, type StateDiff } from '../../server/state/diff/diff.ts';
import { say, type Figure } from '../report.ts';
import {
  apply,
  builtState,
  columnCount,
  editedColumns,
  finished,
  insertRowsAbove,
  rowsAbove,
  scatterPrime,
  timed,
} from '../state/plan-workbook.ts';
import { daffDiff, loadDaff, type Rows } from './daff-peer.ts';

/** Measures diffs of scattered edits in a workbook. */

const cellsPerOperation = 5_000;
const roundCount = 15;
const warmingRounds = 10;
/** Cells for daff, which reads all of them, so it gets a smaller sheet and fewer rounds. */
const peerCells = 100_000;
const peerRounds = 3;

interface Case {
  readonly editCount: number;
  /** True if rows were inserted above all others. */
  readonly isBelowNewRows: boolean;
}

const cases: readonly Case[] = [10, 1_000, 100_000].flatMap((editCount) => [
  { editCount, isBelowNewRows: false },
  { editCount, isBelowNewRows: true },
]);

export function runDiffBench(cellCount: number): Figure[] {
  const base = builtState(cellCount);
  say(`${cellCount} cells; ${roundCount} rounds after ${warmingRounds} to warm up`);
  const figures = cases
    .filter(({ editCount }) => editCount * 10 <= cellCount)
    .map((one) => measured(base, cellCount, one));
  return [...figures, ...besideDaff()];
}

function measured(base: BranchState, cellCount: number, one: Case): Figure {
  const to = editedState(base, cellCount, one);
  const compare = () => finished(diffStates({ from: base, to }));
  for (let round = 0; round < warmingRounds; round++) checkCount(compare(), one);
  const due = one.editCount === 1_000 ? { due: '20 ms' } : {};
  return { ...labels(cellCount, one), quire: timed(nothing, compare, roundCount), ...due };
}

function labels(cellCount: number, { editCount, isBelowNewRows }: Case) {
  const below = isBelowNewRows ? `, ${rowsAbove} rows above` : '';
  return { subject: `${cellCount} cells`, measure: `${editCount} edits${below}`, unit: 'ms' };
}

function besideDaff(): Figure[] {
  const daff = loadDaff();
  if (!daff) {
    say('daff is not installed: npm ci --prefix bench');
    return [];
  }
  const base = builtState(peerCells);
  const from = rowsOf(base, peerCells / columnCount);
  return [false, true].map((isBelowNewRows): Figure => {
    const one = { editCount: 1_000, isBelowNewRows };
    const to = editedState(base, peerCells, one);
    const rows = rowsOf(to, peerCells / columnCount + (isBelowNewRows ? rowsAbove : 0));
    const told = daffDiff(daff, from, rows);
    say(`daff tells ${told.length} rows of ${rows.length}`);
    const quire = timed(nothing, () => finished(diffStates({ from: base, to })), roundCount);
    const peer = { name: 'daff', ...timed(nothing, () => daffDiff(daff, from, rows), peerRounds) };
    return { ...labels(peerCells, one), quire, peer, ratio: peer.median / quire.median };
  });
}

/** Throws unless the diff contains all edits: figures of another diff would mean nothing. */
function checkCount({ sheets }: StateDiff, { editCount, isBelowNewRows }: Case): void {
  const [sheet] = sheets;
  const lines = sheet?.structure.length ?? 0;
  const cells = sheet?.cells.length ?? 0;
  if (cells === editCount && lines === Number(isBelowNewRows)) return;
  throw new Error(`${cells} cells and ${lines} changes of lines, not ${editCount}`);
}

/** Returns a state with the edits, each in another cell. */
function editedState(base: BranchState, cellCount: number, one: Case): BranchState {
  const state = base.fork();
  const rowCount = cellCount / columnCount;
  const skipped = one.isBelowNewRows ? rowsAbove : 0;
  if (one.isBelowNewRows) insertRowsAbove(state);
  for (let at = 0; at < one.editCount; at += cellsPerOperation) {
    const length = Math.min(cellsPerOperation, one.editCount - at);
    const cells = Array.from({ length }, (_, index) => {
      const place = ((at + index) * scatterPrime) % (rowCount * editedColumns.length);
      const row = Math.floor(place / editedColumns.length);
      const column = editedColumns[place % editedColumns.length] ?? 'A';
      return { a1: `${column}${row + 1 + skipped}`, input: -1 - at - index };
    });
    apply(state, 'cells.set', { sheet: 'Plan', cells });
  }
  return state;
}

function rowsOf(state: BranchState, rowCount: number): Rows {
  const [sheet] = state.structure.sheets;
  if (!sheet) return [];
  const header = Array.from({ length: columnCount }, (_, column) => `column ${column}`);
  const rows = Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) => {
      const input = state.inputAt(sheet, row, column);
      return typeof input === 'object' || typeof input === 'boolean' ? null : input;
    }),
  );
  return [header, ...rows];
}

function nothing(): void {
  return undefined;
}
