import { allocate, allocateZeroed, release } from '../memory/arena';
import { hashWord, noteProbe } from '../memory/keyed-hash';

/**
 * Cells whose evaluation waits for another cell, innermost last, with a hash table for finding one:
 * a needed cell that is already waiting is part of a cycle.
 */
const KEY_BYTES: u32 = 8;

let stack: usize = 0;
let capacity: u32 = 0;
let table: usize = 0;
let tableSize: u32 = 0;
/** Used slots of the table, including stale ones. */
let used: u32 = 0;
/** Number of waiting cells. */
export let depth: u32 = 0;

function keyOf(column: usize, row: u32): u64 {
  return ((<u64>column) << 32) | row;
}

/** Starts without waiting cells; `closeProgress` frees the memory. */
export function openProgress(): void {
  depth = 0;
  used = 0;
  capacity = 256;
  stack = allocate(capacity * KEY_BYTES);
  tableSize = 1024;
  table = allocateZeroed(tableSize << 2);
}

export function closeProgress(): void {
  release(stack, capacity * KEY_BYTES);
  release(table, tableSize << 2);
}

export function columnInProgress(index: u32): usize {
  return <usize>(load<u64>(stack + ((<usize>index) << 3)) >> 32);
}

export function rowInProgress(index: u32): u32 {
  return <u32>load<u64>(stack + ((<usize>index) << 3));
}

/** Returns the index of a waiting cell, or -1. A slot of the table may be stale. */
export function findInProgress(column: usize, row: u32): i32 {
  const key = keyOf(column, row);
  let place = <u32>hashWord(key) & (tableSize - 1);
  let index = load<u32>(table + ((<usize>place) << 2));
  while (index) {
    noteProbe();
    const other = load<u64>(stack + ((<usize>(index - 1)) << 3));
    if (index <= depth && other == key) return <i32>(index - 1);
    place = (place + 1) & (tableSize - 1);
    index = load<u32>(table + ((<usize>place) << 2));
  }
  return -1;
}

export function pushProgress(column: usize, row: u32): void {
  if (depth == capacity) {
    const larger = allocate(capacity * 2 * KEY_BYTES);
    memory.copy(larger, stack, <usize>depth * KEY_BYTES);
    release(stack, capacity * KEY_BYTES);
    stack = larger;
    capacity <<= 1;
  }
  store<u64>(stack + ((<usize>depth) << 3), keyOf(column, row));
  depth++;
  if (++used * 2 > tableSize) rebuild();
  else enter(depth);
}

function enter(index: u32): void {
  const key = load<u64>(stack + ((<usize>(index - 1)) << 3));
  let place = <u32>hashWord(key) & (tableSize - 1);
  while (load<u32>(table + ((<usize>place) << 2))) {
    noteProbe();
    place = (place + 1) & (tableSize - 1);
  }
  store<u32>(table + ((<usize>place) << 2), index);
}

/** Removes stale slots and makes room. */
function rebuild(): void {
  release(table, tableSize << 2);
  while (tableSize < depth * 4) tableSize <<= 1;
  table = allocateZeroed(tableSize << 2);
  for (let index: u32 = 1; index <= depth; index++) enter(index);
  used = depth;
}

export function popProgress(): void {
  depth--;
}
