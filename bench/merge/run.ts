import type { BranchState } from '../../server/state/branch-state.ts';
import { diffStates } from '../../server/state/diff/diff.ts';
import { mergeChange } from '../../server/state/merge/merge.ts';
import { MergeJudge } from '../../server/state/merge/merge-judge.ts';
import { OperationParts } from '../../server/state/merge/parts.ts';
import { daffMerge, loadDaff, type Rows } from '../diff/daff-peer.ts';
import { say, summarise, type Figure } from '../report.ts';
import {
  builtState,
  columnCount,
  finished,
  processorClock,
  rowsAbove,
  timed,
} from '../state/plan-workbook.ts';
import { measureConflicts } from './conflicts.ts';
import {
  builtRows,
  columnIndex,
  editedRows,
  mergeRows,
  rowAt,
  type RowVersions,
} from './keyed-rows.ts';
import { applyEdits, editedSide, scatteredEdits, type Edit, type Side } from './scattered-edits.ts';

/** Measures merges of two branches with scattered edits, without calculation. */

const roundCount = 9;
const warmingRounds = 5;
/** daff looks at all there is, so it gets a smaller sheet and fewer rounds. */
const peerCells = 100_000;
const peerRounds = 3;
const rowMerge = 'rows by key';

/** Clocks: processor time does not show other load of the machine. */
const clocks: ReadonlyMap<string, () => number> = new Map([
  ['', () => performance.now()],
  [': processor', processorClock],
]);

interface Case {
  /** On each side. */
  readonly editCount: number;
  /** Side on which rows were inserted above all others. */
  readonly rowsOn: Side | 'neither';
}

const cases: readonly Case[] = [10, 1_000, 100_000].flatMap((editCount): Case[] => [
  { editCount, rowsOn: 'neither' },
  { editCount, rowsOn: 'ours' },
  { editCount, rowsOn: 'theirs' },
]);

interface Sides {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
}

/** `only` is `states` or `conflicts`; both when left out. */
export async function runMergeBench(
  cellCount: number,
  only: string | undefined,
): Promise<Figure[]> {
  const figures = only === 'conflicts' ? [] : mergeStates(cellCount);
  // Each tenth cell is in conflict.
  if (only !== 'states') figures.push(...(await measureConflicts(cellCount / 10)));
  return figures;
}

function mergeStates(cellCount: number): Figure[] {
  const base = builtState(cellCount);
  const figures: Figure[] = [];
  say(`${cellCount} cells; ${roundCount} rounds after ${warmingRounds} to warm up`);
  for (const one of cases.filter(({ editCount }) => editCount * 10 <= cellCount)) {
    figures.push(...measured(base, cellCount, one));
  }
  return [...figures, ...besideDaff()];
}

function sidesOf(base: BranchState, cellCount: number, one: Case): Sides {
  const rowCount = cellCount / columnCount;
  const [ours, theirs] = (['ours', 'theirs'] as const).map((side) =>
    editedSide(base, {
      side,
      editCount: one.editCount,
      rowCount,
      isBelowNewRows: one.rowsOn === side,
    }),
  );
  if (!ours || !theirs) throw new Error('a merge has two sides');
  return { base, ours, theirs };
}

function measured(base: BranchState, cellCount: number, one: Case): Figure[] {
  const sides = sidesOf(base, cellCount, one);
  check(merged(sides), sides, cellCount, one);
  for (let round = 1; round < warmingRounds; round++) merged(sides);
  const versions = one.rowsOn === 'neither' ? rowVersions(cellCount, one) : undefined;
  const { subject, measure, unit } = labels(cellCount, one);
  const costs = [...clocks].map(([suffix, clock]): Figure => {
    const quire = timed(nothing, () => merged(sides), roundCount, clock);
    const rows = versions && timed(nothing, () => mergeRows(versions), roundCount, clock);
    const peer = rows && { peer: { name: rowMerge, ...rows }, ratio: rows.median / quire.median };
    const due = suffix === '' && one.editCount === 1_000 ? { due: '50 ms' } : {};
    return { subject, measure: `${measure}${suffix}`, unit, quire, ...due, ...peer };
  });
  const held = summarise(Array.from({ length: roundCount }, () => longestStretch(sides)));
  const stretch = `${measure}: longest without a pause`;
  return [...costs, { subject, measure: stretch, unit, quire: held, due: '20 ms' }];
}

function labels(cellCount: number, { editCount, rowsOn }: Case) {
  const above = rowsOn === 'neither' ? '' : `, ${rowsAbove} rows above on ${rowsOn}`;
  const measure = `${editCount} edits a side${above}`;
  return { subject: `${cellCount} cells`, measure, unit: 'ms' };
}

function steps({ base, ours, theirs }: Sides) {
  const state = ours.fork();
  state.begin();
  const judge = new MergeJudge({ otherwise: 'ours' });
  const parts = new OperationParts(state);
  const heldOf = (branchNo: number) => (branchNo === base.branchNo ? base.head : 0);
  return { state, judge, run: mergeChange({ base, theirs, heldOf }, parts, judge) };
}

function merged(sides: Sides): { state: BranchState; conflictCount: number } {
  const { state, judge, run } = steps(sides);
  finished(run);
  return { state, conflictCount: judge.judged.size };
}

/**
 * Returns the longest time, in milliseconds, for which a merge holds the event loop beside the
 * slice that it may use up.
 */
function longestStretch(sides: Sides): number {
  const { run } = steps(sides);
  let longest = 0;
  for (;;) {
    const started = performance.now();
    const { done } = run.next();
    longest = Math.max(longest, performance.now() - started);
    if (done === true) return longest;
  }
}

/** Throws unless the merge keeps all edits: figures of another merge would mean nothing. */
function check(
  { state, conflictCount }: ReturnType<typeof merged>,
  { ours }: Sides,
  cellCount: number,
  { editCount, rowsOn }: Case,
): void {
  const expected = ours.fork();
  const edits = scatteredEdits('theirs', editCount, cellCount / columnCount);
  applyEdits(expected, edits, rowsOn === 'ours' ? rowsAbove : 0);
  const { sheets } = finished(diffStates({ from: expected, to: state }));
  const cells = sheets[0]?.cells.length ?? 0;
  const lines = sheets[0]?.structure.length ?? 0;
  if (cells === 0 && lines === Number(rowsOn === 'theirs') && conflictCount === 0) return;
  throw new Error(`${cells} cells and ${lines} lines differ, ${conflictCount} conflicts`);
}

/** Makes row versions with the same edits, of rows under keys. */
function rowVersions(cellCount: number, { editCount }: Case): RowVersions {
  const rowCount = cellCount / columnCount;
  const base = builtRows(rowCount);
  const edited = (side: Side) => editedRows(base, scatteredEdits(side, editCount, rowCount));
  const versions = { base, ours: edited('ours'), theirs: edited('theirs') };
  const { changed, conflicts } = mergeRows(versions);
  if (changed === 0 || conflicts.length > 0) throw new Error('the row merge went wrong');
  return versions;
}

function besideDaff(): Figure[] {
  const daff = loadDaff();
  if (!daff) {
    say('daff is not installed: npm ci --prefix bench');
    return [];
  }
  const base = builtState(peerCells);
  const rowCount = peerCells / columnCount;
  return (['neither', 'ours'] as const).map((rowsOn): Figure => {
    const one = { editCount: 1_000, rowsOn };
    const sides = sidesOf(base, peerCells, one);
    const tables = (): { base: Rows; ours: Rows; theirs: Rows } => ({
      base: tableOf(rowCount, [], 0),
      ours: tableOf(
        rowCount,
        scatteredEdits('ours', one.editCount, rowCount),
        rowsOn === 'ours' ? rowsAbove : 0,
      ),
      theirs: tableOf(rowCount, scatteredEdits('theirs', one.editCount, rowCount), 0),
    });
    sayHowWell(tables(), (given) => daffMerge(daff, given), one, rowCount);
    const quire = timed(nothing, () => merged(sides), roundCount);
    const peer = { name: 'daff', ...timed(tables, (given) => daffMerge(daff, given), peerRounds) };
    return { ...labels(peerCells, one), quire, peer, ratio: peer.median / quire.median };
  });
}

/** Prints how many cells of theirs daff took, and how many conflicts it reported. */
function sayHowWell(
  given: { base: Rows; ours: Rows; theirs: Rows },
  merge: (given: { base: Rows; ours: Rows; theirs: Rows }) => number,
  { editCount, rowsOn }: Case,
  rowCount: number,
): void {
  const conflictCount = merge(given);
  const skipped = 1 + (rowsOn === 'ours' ? rowsAbove : 0);
  const taken = [...scatteredEdits('theirs', editCount, rowCount)].filter(
    (edit) => given.ours[edit.row + skipped]?.[columnIndex(edit)] === edit.input,
  );
  say(`daff took ${taken.length} of ${editCount} edits and made ${conflictCount} conflicts`);
}

/**
 * Returns a table for daff, with formulas relative to their rows so that shifted ones are equal.
 */
function tableOf(rowCount: number, edits: Iterable<Edit>, newRows: number): Rows {
  const rows = Array.from({ length: rowCount }, (_, row) => rowAt(row));
  for (const edit of edits) {
    const row = rows[edit.row];
    if (row) row[columnIndex(edit)] = edit.input;
  }
  const header = Array.from({ length: columnCount }, (_, column) => `column ${column}`);
  const blank = Array.from({ length: newRows }, () =>
    Array.from({ length: columnCount }, () => null),
  );
  return [header, ...blank, ...rows];
}

function nothing(): void {
  return undefined;
}
