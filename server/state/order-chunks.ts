import type { IdSpan } from './id-span.ts';

/** One span of so many begins a chunk; what is stored by content depends on both numbers. */
const boundaryEvery = 64;
const chunkSpansMost = 512;

/**
 * Spans in chunks whose borders depend on the ids near them alone, so that an edit changes one or
 * two chunks and all others are those that were there before. Never changes: chunks are stored.
 */
export function* chunksOf(spans: Iterable<IdSpan>): Generator<readonly IdSpan[]> {
  let chunk: IdSpan[] = [];
  for (const span of spans) {
    if (chunk.length === chunkSpansMost || (chunk.length > 0 && beginsChunk(span))) {
      yield chunk;
      chunk = [];
    }
    chunk.push(span);
  }
  if (chunk.length > 0) yield chunk;
}

function beginsChunk({ branch, sequence, offset }: IdSpan): boolean {
  let mixed = branch;
  for (const part of [sequence, sequence / 2 ** 32, offset, offset / 2 ** 32]) {
    // Numbers above 32 bits lose their high part in bitwise operators, hence the parts.
    mixed = mix(Math.imul(mixed, 31) ^ part);
  }
  return mixed % boundaryEvery === 0;
}

/** Every bit of the outcome depends on every bit of a number (the end of MurmurHash3). */
function mix(number: number): number {
  let mixed = number | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
