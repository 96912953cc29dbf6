import { blockLanes } from './block.ts';
import type { HeldBlock, LineKey } from './held-block.ts';
import type { IdSpan } from '../ids/order.ts';

/** Lanes of one block, and the number of requested rows in front of them. */
export interface LanePart {
  readonly span: IdSpan;
  readonly blockIndex: number;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

/** Yields the lanes of rows, whether blocks exist or not. */
export function* lanesOf(rows: readonly IdSpan[]): Generator<LanePart> {
  let skipped = 0;
  for (const span of rows) {
    const [first, last] = blocksOf(span);
    for (let index = first; index <= last; index++) yield partOf(span, index, skipped);
    skipped += span.length;
  }
}

/**
 * Yields the lanes of rows that a column has blocks for, in order. When there are fewer blocks than
 * places for them, as in a short column, the blocks are searched.
 */
export function* heldLanes(
  rows: readonly IdSpan[],
  blocks: ReadonlyMap<LineKey, HeldBlock>,
  keyOf: (span: IdSpan, index: number) => LineKey,
): Generator<LanePart & { readonly held: HeldBlock }> {
  let skipped = 0;
  for (const span of rows) {
    const [first, last] = blocksOf(span);
    const indexes = last - first < blocks.size ? undefined : indexesIn(span, blocks);
    const count = indexes?.length ?? last - first + 1;
    for (let at = 0; at < count; at++) {
      const index = indexes ? (indexes[at] ?? 0) : first + at;
      const held = blocks.get(keyOf(span, index));
      if (held) yield { ...partOf(span, index, skipped), held };
    }
    skipped += span.length;
  }
}

/** Returns the first and last block number of rows in one run. */
function blocksOf({ offset, length }: IdSpan): readonly [first: number, last: number] {
  if (length === 0) return [0, -1];
  return [Math.floor(offset / blockLanes), Math.floor((offset + length - 1) / blockLanes)];
}

function indexesIn(span: IdSpan, blocks: ReadonlyMap<LineKey, HeldBlock>): number[] {
  const [first, last] = blocksOf(span);
  const indexes: number[] = [];
  for (const { place } of blocks.values()) {
    const { branch, sequence, index } = place;
    const isOfRun = branch === span.branch && sequence === span.sequence;
    if (isOfRun && index >= first && index <= last) indexes.push(index);
  }
  return indexes.sort((left, right) => left - right);
}

function partOf(span: IdSpan, blockIndex: number, skipped: number): LanePart {
  const start = blockIndex * blockLanes;
  const from = Math.max(span.offset, start);
  const to = Math.min(span.offset + span.length, start + blockLanes);
  const before = skipped + from - span.offset;
  return { span, blockIndex, from: from - start, to: to - start, skipped: before };
}
