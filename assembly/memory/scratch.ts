import { allocate, release, roundedBytes } from './arena';

/**
 * Memory that lives as long as the evaluation of one cell: temporary texts, arrays, references.
 * A list of blocks; the first is kept, later ones are given back on reset. The state is in
 * globals of the instance: an evaluation never moves to another thread midway.
 */
const BLOCK_BYTES: u32 = 1 << 18;

/** Most that one evaluation may take before it is stopped with #NUM!, long before memory ends. */
const SPENT_BYTES: u32 = 1 << 29;
/** Bytes of the blocks behind the first. */
let extraBytes: u32 = 0;

let firstBlock: usize = 0;
let currentBlock: usize = 0;
let currentEnd: usize = 0;
let next: usize = 0;

/** Starts scratch over a model's memory; every exported call does this before it evaluates. */
export function openScratch(): void {
  firstBlock = allocate(BLOCK_BYTES);
  store<u32>(firstBlock, 0);
  store<u32>(firstBlock, roundedBytes(BLOCK_BYTES), 4);
  rewind();
}

/** Gives all scratch memory back; every exported call ends with it. */
export function closeScratch(): void {
  resetScratch();
  release(firstBlock, roundedBytes(BLOCK_BYTES));
  firstBlock = 0;
}

function rewind(): void {
  extraBytes = 0;
  currentBlock = firstBlock;
  currentEnd = firstBlock + load<u32>(firstBlock, 4);
  next = firstBlock + 16;
}

/** Forgets everything. Cheap when little was used. */
export function resetScratch(): void {
  while (currentBlock != firstBlock) {
    const previous = <usize>load<u32>(currentBlock);
    release(currentBlock, load<u32>(currentBlock, 4));
    currentBlock = previous;
  }
  rewind();
}

/** `byteCount` bytes, aligned to 16, not cleared. */
export function scratch(byteCount: u32): usize {
  const start = next;
  const end = start + ((<usize>byteCount + 15) & ~15);
  if (end <= currentEnd) {
    next = end;
    return start;
  }
  const bytes = roundedBytes(max(byteCount + 32, BLOCK_BYTES));
  const block = allocate(bytes);
  extraBytes += bytes;
  store<u32>(block, <u32>currentBlock);
  store<u32>(block, bytes, 4);
  currentBlock = block;
  currentEnd = block + bytes;
  next = block + 16 + ((<usize>byteCount + 15) & ~15);
  return block + 16;
}

/** Whether the evaluation has used up its share; loops that make values stop then. */
export function isScratchSpent(): bool {
  return extraBytes > SPENT_BYTES;
}

/** Gives back the end of the latest piece: `start` is what scratch answered for it. */
export function shrinkScratch(start: usize, byteCount: u32): void {
  next = start + ((<usize>byteCount + 15) & ~15);
}
