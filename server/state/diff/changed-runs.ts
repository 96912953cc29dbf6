import { blockDifferences, type BlockDifference } from '../cells/block-differences.ts';
import { cellTag } from '../cells/block.ts';
import { sameLane, type CodedCell } from '../cells/cell-coding.ts';
import { unequalCells, unequalStyles } from '../cells/unequal-lanes.ts';
import { FormulaSameness, type RunPart } from './formula-sameness.ts';
import { BlockRows, columnPosition, type LanePositions } from './lane-positions.ts';
import type { RenamedNames } from './renamed-names.ts';
import { cellOf, RunList, type ChangedRun, type ComparedBlock } from './run-list.ts';
import type { SheetPair, Sides } from './sides.ts';

/** Contiguous cells whose style changed. */
export interface RestyledRun {
  readonly block: ComparedBlock;
  readonly row: number;
  readonly count: number;
  /** Indexes in the list of styles. */
  readonly was: number;
  readonly is: number;
}

export interface ChangedLanes {
  readonly runs: RunList;
  readonly styles: RestyledRun[];
}

export interface Wanted {
  readonly cells: boolean;
  readonly formats: boolean;
  readonly renamed: RenamedNames;
}

/** Compares the cells of one sheet, block by block. */
export function* changedLanes(
  sides: Sides,
  { was, is }: SheetPair,
  wanted: Wanted,
): Generator<void, ChangedLanes> {
  const found: ChangedLanes = { runs: new RunList(), styles: [] };
  const { from, to } = sides;
  const rows = { from: new BlockRows(was), to: new BlockRows(is) };
  const sameness = is && new FormulaSameness(sides, is, wanted.renamed);
  const cells = [was && from.cellsOf(was), is && to.cellsOf(is)] as const;
  for (const difference of blockDifferences(...cells)) {
    const block = comparedBlock(difference, { was, is });
    const { place } = block;
    const positions = { from: rows.from.of(place), to: rows.to.of(place) };
    if (wanted.cells) compareCells(block, positions, { found: found.runs, sameness });
    if (wanted.formats && is) compareStyles(block, positions, found.styles);
    yield;
  }
  return found;
}

function comparedBlock(
  { column: columnId, place, from, to }: BlockDifference,
  { was, is }: Pick<SheetPair, 'was' | 'is'>,
): ComparedBlock {
  return {
    columnId,
    place,
    fromColumn: columnPosition(columnId, was),
    toColumn: columnPosition(columnId, is),
    from: from?.block,
    to: to?.block,
  };
}

interface Positions {
  readonly from: LanePositions;
  readonly to: LanePositions;
}

interface Finding {
  readonly found: RunList;
  readonly sameness: FormulaSameness | undefined;
}

/** Finds the cells of one block that are not the same. */
export function compareCells(block: ComparedBlock, positions: Positions, finding: Finding): void {
  const { from, to } = block;
  let open: OpenRun | undefined;
  for (const lane of unequalCells(from, to)) {
    const next = laneRun(block, positions, { lane, was: cellOf(from, lane), is: cellOf(to, lane) });
    if (!next) continue;
    if (open && continues(open, next)) open.count++;
    else {
      close(open, finding);
      open = next;
    }
  }
  close(open, finding);
}

/** Returns whether one lane of a block holds something else, as `compareCells` finds it. */
export function isLaneChanged(
  block: ComparedBlock,
  positions: Positions,
  { lane, sameness }: Pick<Finding, 'sameness'> & { readonly lane: number },
): boolean {
  const [was, is] = [cellOf(block.from, lane), cellOf(block.to, lane)];
  if (sameLane(was, is)) return false;
  const run = laneRun(block, positions, { lane, was, is });
  return run !== undefined && changedParts(run, sameness).length > 0;
}

type OpenRun = ChangedRun & { count: number };

/** Returns the run of one lane; undefined when the cell is outside the grid on both sides. */
function laneRun(
  block: ComparedBlock,
  { from, to }: Positions,
  { lane, was, is }: { lane: number; was: CodedCell; is: CodedCell },
): OpenRun | undefined {
  const fromRow = block.fromColumn < 0 ? -1 : from.of(lane);
  const toRow = block.toColumn < 0 ? -1 : to.of(lane);
  const wasThere = fromRow >= 0 && was.tag !== cellTag.blank;
  const isThere = toRow >= 0 && is.tag !== cellTag.blank;
  if (!wasThere && !isThere) return undefined;
  const change = !wasThere ? 'added' : isThere ? 'modified' : 'removed';
  return { block, change, lane, count: 1, fromRow, toRow, was, is };
}

function continues(open: OpenRun, next: OpenRun): boolean {
  const { lane, count, change, fromRow, toRow } = open;
  return (
    next.lane === lane + count &&
    next.change === change &&
    isBelow(fromRow, count, next.fromRow) &&
    isBelow(toRow, count, next.toRow) &&
    sameLane(open.was, next.was) &&
    sameLane(open.is, next.is)
  );
}

function isBelow(first: number, count: number, next: number): boolean {
  return first < 0 ? next < 0 : next === first + count;
}

/** Ends a run, without the parts that are the same. */
function close(open: OpenRun | undefined, { found, sameness }: Finding): void {
  if (!open) return;
  for (const { skipped, count } of changedParts(open, sameness)) {
    found.push({
      ...open,
      lane: open.lane + skipped,
      fromRow: open.fromRow + skipped,
      toRow: open.toRow + skipped,
      count,
    });
  }
}

/** Returns a run without the parts where a formula was entered again with the same meaning. */
function changedParts(run: ChangedRun, sameness: FormulaSameness | undefined): readonly RunPart[] {
  const { change, was, is, count } = run;
  const areFormulas = was.tag === cellTag.formula && is.tag === cellTag.formula;
  const mayBeSame = sameness && change === 'modified' && areFormulas;
  return mayBeSame ? sameness.differing(run) : [{ skipped: 0, count }];
}

/** Compares the styles of lines that the later state has. */
function compareStyles(block: ComparedBlock, { to }: Positions, found: RestyledRun[]): void {
  if (block.toColumn < 0) return;
  for (const lane of unequalStyles(block.from, block.to)) {
    const row = to.of(lane);
    const [was, is] = [block.from?.formatAt(lane) ?? 0, block.to?.formatAt(lane) ?? 0];
    if (row >= 0) pushStyle(found, { block, row, count: 1, was, is });
  }
}

function pushStyle(found: RestyledRun[], next: RestyledRun): void {
  const last = found.at(-1);
  const isNext = last?.block === next.block && last.row + last.count === next.row;
  if (isNext && last.was === next.was && last.is === next.is) {
    found[found.length - 1] = { ...last, count: last.count + 1 };
  } else {
    found.push(next);
  }
}
