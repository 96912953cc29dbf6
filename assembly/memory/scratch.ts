import { allocate, release, roundedBytes } from './arena';

/**
 * Memory that lives as long as the evaluation of one cell: temporary texts, arrays, references. It
 * is a list of blocks, of which a reset keeps the first. Its state is in globals of the instance,
 * because an evaluation never moves to another thread.
 */
const BLOCK_BYTES: u32 = 1 << 18;
/** At the start of a block: the block before, and its own size. */
const HEADER_BYTES: u32 = 16;

/** Most that one evaluation may take before it is stopped with #NUM!, long before memory ends. */
const SPENT_BYTES: u32 = 1 << 29;
/** Bytes used in earlier blocks, and those added by `repeatScratch`. */
let usedBefore: u32 = 0;

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
  usedBefore = 0;
  currentBlock = firstBlock;
  currentEnd = firstBlock + load<u32>(firstBlock, 4);
  next = firstBlock + HEADER_BYTES;
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
  usedBefore = usedScratch();
  store<u32>(block, <u32>currentBlock);
  store<u32>(block, bytes, 4);
  currentBlock = block;
  currentEnd = block + bytes;
  next = block + HEADER_BYTES + ((<usize>byteCount + 15) & ~15);
  return block + HEADER_BYTES;
}

/**
 * Returns whether the evaluation has used up its scratch memory; loops that make values stop then.
 */
export function isScratchSpent(): bool {
  return usedScratch() > SPENT_BYTES;
}

/** Returns the bytes of scratch memory that the evaluation has used so far. */
export function usedScratch(): u32 {
  return usedBefore + <u32>(next - currentBlock) - HEADER_BYTES;
}

/** Counts the scratch memory of a remembered answer, as if it had been computed. */
export function repeatScratch(byteCount: u32): void {
  usedBefore += byteCount;
}

/** Frees the end of the latest piece; `start` is its address. */
export function shrinkScratch(start: usize, byteCount: u32): void {
  next = start + ((<usize>byteCount + 15) & ~15);
}
