import { blockDifferences, type BlockDifference } from '../state/cells/block-differences.ts';
import type { HeldBlock } from '../state/cells/held-block.ts';
import type { BranchState } from '../state/branch-state.ts';

/** Changed cells that are assumed in a block that nobody has read. */
const cellsAssumed = 128;
const blocksBetweenPauses = 64;

/** Two states, and the id of the only sheet that counts; undefined for all. */
interface Compared {
  readonly from: BranchState;
  readonly to: BranchState;
  readonly sheetId?: string | undefined;
}

/**
 * Returns whether so many cells or more seem to differ, in all pairs of states together. No stored
 * block is read for it.
 */
export function* seemToDiffer(
  pairs: readonly Compared[],
  cellsLeast: number,
): Generator<void, boolean> {
  let count = 0;
  let blockCount = 0;
  for (const pair of pairs) {
    for (const difference of changedBlocks(pair)) {
      count += cellsApart(difference);
      if (count >= cellsLeast) return true;
      if (++blockCount % blocksBetweenPauses === 0) yield;
    }
  }
  return false;
}

function* changedBlocks({ from, to, sheetId }: Compared): Generator<BlockDifference> {
  for (const sheet of to.structure.sheets) {
    if (sheetId !== undefined && sheet.id !== sheetId) continue;
    const before = from.structure.withId(sheet.id);
    yield* blockDifferences(before && from.cellsOf(before), to.cellsOf(sheet));
  }
}

function cellsApart({ from, to }: BlockDifference): number {
  if (from?.stored || to?.stored) return cellsAssumed;
  const count = from && to && from.block.trail.countApart(to.block.trail);
  return count ?? Math.max(filledIn(from), filledIn(to));
}

function filledIn(held: HeldBlock | undefined): number {
  return held?.block.filledCount ?? 0;
}
