import type { Input } from '../../model/cell-value.ts';
import { inputsEqual } from '../../model/input.ts';
import { rangeName, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { FormulaRuns, type FormulaRun } from '../formula-runs.ts';
import { overlap } from '../range-index.ts';
import { ReaderSearch } from '../reader-search.ts';
import type { FlatSpans, Resolved, ResolvedArea } from '../resolved.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure.ts';
import type { Judge } from './judge.ts';
import { missingFrom } from './line-merging.ts';
import { Carrier } from './merging.ts';
import { partsOn, type OperationParts } from './parts.ts';
import { readSpans } from './restoration.ts';
import { cellIn, sameCell } from './same-lanes.ts';

/** A rectangle of cells, by identity. */
interface Block extends ResolvedArea {
  readonly sheetId: string;
}

/** A rectangle that was cut and pasted. */
export interface MovedBlock {
  readonly from: Block;
  readonly to: Block;
}

/** What each side moved since the base, the earliest first. */
export interface Moves {
  readonly ours: readonly MovedBlock[];
  readonly theirs: readonly MovedBlock[];
}

/** What the journal says of a `range.move`; undefined when it says nothing of the kind. */
export function movedBlock({ sheet, areas, to }: Resolved): MovedBlock | undefined {
  const [from, into] = [areas?.[0], to?.areas[0]];
  if (sheet === undefined || !to || !from || !into) return undefined;
  return { from: { sheetId: sheet, ...from }, to: { sheetId: to.sheet, ...into } };
}

interface States {
  readonly base: BranchState;
  readonly theirs: BranchState;
}

/**
 * Does to the base and to the other side what one side moved: an edit of a cell is then an edit
 * of the cell that it was moved to, and what names it names that. A move is left alone where
 * rows or columns that it went to are gone since, and where the other side moved the same, deleted
 * what formulas in it name, has anything where it would go, or wrote a formula that names that.
 */
export function* followMoves(
  { base, theirs }: States,
  ours: OperationParts,
  { moves, judge }: { readonly moves: Moves | undefined; readonly judge: Judge },
): Generator<void, States> {
  if (!moves || !judge.isBetweenBranches || moves.ours.length + moves.theirs.length === 0) {
    return { base, theirs };
  }
  const sides = { ours, theirs: partsOn(theirs) };
  const common = partsOn(base);
  for (const [side, other] of [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const) {
    for (const block of moves[side]) {
      const states = { base: common.state, mover: sides[side].state, other: sides[other].state };
      if (moves[other].some((theirBlock) => meets(block, theirBlock, base))) continue;
      if (!isFollowed(block, states) || (yield* namesTarget(block, states))) continue;
      for (const parts of [common, sides[other]]) yield* move(parts, block);
    }
  }
  return {
    base: common.parts.length > 0 ? common.state : base,
    theirs: sides.theirs.parts.length > 0 ? sides.theirs.state : theirs,
  };
}

interface Movers {
  readonly base: BranchState;
  readonly mover: BranchState;
  readonly other: BranchState;
}

/** Whether the move still holds, and the other side has the block, and nothing new where it goes. */
function isFollowed({ from, to }: MovedBlock, { base, mover, other }: Movers): boolean {
  const isSame = inputsEqual;
  const [was, target] = [inputsOf(base, from), inputsOf(base, to)];
  const [left, there] = [inputsOf(mover, from), inputsOf(other, to)];
  if (!hasLines(mover, to)) return false;
  if (!was || !target || !left || !there || !inputsOf(other, from)) return false;
  if (losesReferences(was, from.sheetId, { base, other })) return false;
  const filled = was.filter((input) => input !== null).length;
  const staying = was.filter((input, at) => input !== null && isSame(input, left[at] ?? null));
  if (filled === 0 || staying.length * 2 > filled) return false;
  return target.every((input, at) => isSame(input, there[at] ?? null));
}

/** Whether formulas of the base would be written with less than they name, and say so for good. */
function losesReferences(
  inputs: readonly Input[],
  sheetId: string,
  { base, other }: Pick<Movers, 'base' | 'other'>,
): boolean {
  const carrier = new Carrier(base, other);
  const lost = (formula: string) => formula.split('#REF!').length;
  return inputs.some((input) => {
    if (typeof input !== 'object' || input === null || !('formula' in input)) return false;
    return lost(carrier.carry(input.formula, sheetId)) > lost(input.formula);
  });
}

/** Whether the other side says anything new of where a block goes: what comes would end that. */
function* namesTarget({ to }: MovedBlock, { base, other }: Movers): Generator<void, boolean> {
  const range = rangeOf(to, other);
  if (!range) return false;
  const area = { sheetId: to.sheetId, range };
  const runs = new FormulaRuns(other.coding, other.structure);
  const search = new ReaderSearch([area], runs);
  for (const run of search.outside([area], other.contextAt(other.structure))) {
    if (run && isNew(run, { base, other })) return true;
    yield;
  }
  return false;
}

function isNew(
  { sheet, row, column, count }: FormulaRun,
  { base, other }: Pick<Movers, 'base' | 'other'>,
): boolean {
  return Array.from({ length: count }, (_, at) => row + at).some((position) => {
    const line = { row: sheet.rows.idAt(position), column: sheet.columns.idAt(column) };
    const place = { sheetId: sheet.id, ...line };
    const [was, is] = [base, other].map((state) => ({ state, cell: cellIn(state, place) }));
    return !was || !is || !sameCell(was, is, place);
  });
}

function meets(a: MovedBlock, b: MovedBlock, state: BranchState): boolean {
  const blocks = [b.from, b.to];
  return [a.from, a.to].some((one) =>
    blocks.some((other) => {
      const [range, otherRange] = [rangeOf(one, state), rangeOf(other, state)];
      return one.sheetId === other.sheetId && range && otherRange && overlap(range, otherRange);
    }),
  );
}

/** Whether all rows and columns of a block are there, wherever they stand. */
function hasLines({ structure }: BranchState, { sheetId, rows, columns }: Block): boolean {
  const sheet = structure.withId(sheetId);
  if (!sheet) return false;
  const missing = [
    ...missingFrom(readSpans(rows), sheet.rows),
    ...missingFrom(readSpans(columns), sheet.columns),
  ];
  return missing.length === 0;
}

/** Row by row; undefined where the block is not there as it was. */
function inputsOf(state: BranchState, block: Block): Input[] | undefined {
  const sheet = state.structure.withId(block.sheetId);
  const range = sheet && rangeOf(block, state);
  if (!range) return undefined;
  const inputs: Input[] = [];
  for (let { row0: row } = range; row <= range.row1; row++) {
    for (let { column0: column } = range; column <= range.column1; column++) {
      inputs.push(state.inputAt(sheet, row, column));
    }
  }
  return inputs;
}

function rangeOf({ sheetId, rows, columns }: Block, state: BranchState): Range | undefined {
  const sheet = state.structure.withId(sheetId);
  const down = sheet && spanOf(sheet, 'row', rows);
  const across = sheet && spanOf(sheet, 'column', columns);
  if (!down || !across) return undefined;
  return { row0: down[0], column0: across[0], row1: down[1], column1: across[1] };
}

/** Where lines stand, if all do so one after the other. */
function spanOf(sheet: SheetOutline, axis: Axis, flat: FlatSpans): [number, number] | undefined {
  const order = orderOf(sheet, axis);
  let [first, next]: (number | undefined)[] = [];
  for (const span of readSpans(flat)) {
    const pieces = [...order.piecesOf(span)].sort((a, b) => a.skipped - b.skipped);
    if (pieces.reduce((sum, { length }) => sum + length, 0) !== span.length) return undefined;
    for (const { position, length } of pieces) {
      if (position !== (next ?? position)) return undefined;
      first ??= position;
      next = position + length;
    }
  }
  return first === undefined || next === undefined ? undefined : [first, next - 1];
}

function* move(parts: OperationParts, { from, to }: MovedBlock): Generator<void, void> {
  const [source, target] = [rangeOf(from, parts.state), rangeOf(to, parts.state)];
  if (!source || !target) return;
  const payload = {
    sheet: from.sheetId,
    source: rangeName(source),
    toSheet: to.sheetId,
    to: rangeName(target),
  };
  yield* parts.add({ kind: 'range.move', payload });
}
