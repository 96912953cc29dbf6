import { spanOfRun, type IdSpan } from './id-span.ts';
import type { SpanLeaf } from './span-tree.ts';
import { rowWidth } from './tree-parts.ts';

/** Average number of spans in a chunk; stored content depends on it and on the most. */
const boundaryEvery = 64;
const chunkSpansMost = 512;

/** A place of a span in a list of leaves; the last place is behind the last leaf. */
export interface SpanPlace {
  readonly leaf: number;
  /** Index of the span in the leaf. */
  readonly row: number;
}

export interface Chunk {
  readonly spans: readonly IdSpan[];
  readonly next: SpanPlace;
}

/**
 * Returns the chunk that begins at a place. Its end depends only on the ids near there, so an edit
 * changes one or two chunks. This must never change, because chunks are stored.
 */
export function chunkAt(leaves: readonly SpanLeaf[], { leaf: start, row: from }: SpanPlace): Chunk {
  const spans: IdSpan[] = [];
  for (let leaf = start; leaf < leaves.length; leaf++) {
    const { rows } = leaves[leaf] ?? { rows: [] };
    for (let row = leaf === start ? from : 0; row < rows.length; row += rowWidth) {
      const span = spanOfRun(rows[row] ?? 0, rows[row + 1] ?? 0, rows[row + 2] ?? 0);
      const isFull = spans.length === chunkSpansMost;
      if (isFull || (spans.length > 0 && beginsChunk(span))) return { spans, next: { leaf, row } };
      spans.push(span);
    }
  }
  return { spans, next: { leaf: leaves.length, row: 0 } };
}

function beginsChunk({ branch, sequence, offset }: IdSpan): boolean {
  let mixed = branch;
  for (const part of [sequence, sequence / 2 ** 32, offset, offset / 2 ** 32]) {
    // Bitwise operators drop all but 32 bits, hence the two parts.
    mixed = mix(Math.imul(mixed, 31) ^ part);
  }
  return mixed % boundaryEvery === 0;
}

/**
 * Mixes a number so that each bit of the result depends on all of its bits (the end of
 * MurmurHash3).
 */
function mix(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
