import { columnLimit, rowLimit } from '../../model/address.ts';
import { blockDifferences, type BlockDifference } from '../cells/block-differences.ts';
import { blockLanes, type Block } from '../cells/block.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { blockOf } from '../compare/same-lanes.ts';
import { stateOf, type Merging } from './merging.ts';

/** A block of up to 1,024 cells of one column that may differ between base and theirs. */
export interface ChangedBlock {
  readonly sheet: SheetOutline;
  readonly columnId: LineId;
  /** Position of the column in the merged state. */
  readonly column: number;
  readonly rows: Pick<Block, 'branch' | 'sequence' | 'index'>;
  /**
   * Position of each lane's row in the merged state; -1 for a row that theirs or the merged state
   * has not.
   */
  readonly positions: Int32Array;
  readonly theirs: Block | undefined;
  readonly base: Block | undefined;
  readonly ours: Block | undefined;
}

interface Sheets {
  /** The sheet in theirs, and in the state merged so far. */
  readonly was: SheetOutline;
  readonly sheet: SheetOutline;
}

/** By the merge: what one pass has found, the next one looks at again. */
const found = new WeakMap<Merging, Map<SheetOutline, readonly ChangedBlock[]>>();

/**
 * Yields the blocks that differ between base and theirs, of columns that theirs and the merged
 * state have.
 */
export function* changedBlocks(merging: Merging, sheets: Sheets): Generator<ChangedBlock> {
  const bySheet = found.get(merging) ?? new Map<SheetOutline, readonly ChangedBlock[]>();
  found.set(merging, bySheet);
  // Lines that came or went meanwhile made another outline of it.
  const known = bySheet.get(sheets.sheet);
  if (known) {
    yield* known;
    return;
  }
  const blocks: ChangedBlock[] = [];
  for (const block of comparedBlocks(merging, sheets)) {
    blocks.push(block);
    yield block;
  }
  bySheet.set(sheets.sheet, blocks);
}

function* comparedBlocks(merging: Merging, { was, sheet }: Sheets): Generator<ChangedBlock> {
  const { theirs, base, ours } = merging;
  const [then, our] = [base.structure.withId(was.id), ours.structure.withId(was.id)];
  const cells = theirs.cellsOf(was);
  const thenCells = then && base.cellsOf(then);
  const ourCells = our && ours.cellsOf(our);
  const positions = new Map<string, Int32Array>();
  // Sorted, because the order in memory depends on history and conflicts are listed in this order.
  const differences = [...blockDifferences(cells, thenCells)].sort(byPlace);
  for (const { column: columnId, place, from, to } of differences) {
    const column = sharedColumn({ was, sheet }, columnId);
    if (column === undefined) continue;
    const { branch, sequence, index } = place;
    const key = `${branch}.${sequence}.${index}`;
    const known = positions.get(key) ?? positionsOf({ was, sheet }, place);
    positions.set(key, known);
    yield {
      sheet,
      columnId,
      column,
      rows: { branch, sequence, index },
      positions: known,
      theirs: from?.block,
      base: to?.block,
      ours: blockOf(ourCells, place, columnId),
    };
  }
}

function byPlace(a: BlockDifference, b: BlockDifference): number {
  return (
    a.column.branch - b.column.branch ||
    a.column.sequence - b.column.sequence ||
    a.column.offset - b.column.offset ||
    a.place.branch - b.place.branch ||
    a.place.sequence - b.place.sequence ||
    a.place.index - b.place.index
  );
}

function sharedColumn({ was, sheet }: Sheets, { branch, sequence, offset }: LineId) {
  if (was.columns.positionOf(branch, sequence, offset) === undefined) return undefined;
  const position = sheet.columns.positionOf(branch, sequence, offset);
  return position !== undefined && position < columnLimit ? position : undefined;
}

function positionsOf(
  { was, sheet }: Sheets,
  { branch, sequence, index }: Pick<Block, 'branch' | 'sequence' | 'index'>,
): Int32Array {
  const positions = new Int32Array(blockLanes).fill(-1);
  const span = { branch, sequence, offset: index * blockLanes, length: blockLanes };
  for (const shared of was.rows.piecesOf(span)) {
    const part = { ...span, offset: span.offset + shared.skipped, length: shared.length };
    for (const { position, skipped, length } of sheet.rows.piecesOf(part)) {
      const end = Math.min(length, rowLimit - position);
      for (let at = 0; at < end; at++) positions[shared.skipped + skipped + at] = position + at;
    }
  }
  return positions;
}

/** Pairs each sheet of theirs with that of the state merged so far, if both have it. */
export function* sharedSheets(merging: Merging): Generator<Sheets> {
  for (const was of merging.theirs.structure.sheets) {
    const sheet = stateOf(merging).structure.withId(was.id);
    if (sheet) yield { was, sheet };
  }
}
