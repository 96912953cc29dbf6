import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';

/** A growing piece of scratch memory for the results of one compilation. */
@unmanaged
export class Buffer {
  start: u32 = 0;
  length: u32 = 0;
  capacity: u32 = 0;
}

export function newBuffer(capacityBytes: u32): usize {
  const buffer = scratch(offsetof<Buffer>());
  const record = at<Buffer>(buffer);
  record.start = <u32>scratch(capacityBytes);
  record.length = 0;
  record.capacity = capacityBytes;
  return buffer;
}

/** Room for `byteCount` more bytes; returns where they start. */
export function extend(buffer: usize, byteCount: u32): usize {
  const record = at<Buffer>(buffer);
  const needed = record.length + byteCount;
  if (needed > record.capacity) {
    const capacity = max(needed, record.capacity << 1);
    const start = scratch(capacity);
    memory.copy(start, record.start, record.length);
    record.start = <u32>start;
    record.capacity = capacity;
  }
  const place = <usize>record.start + record.length;
  record.length = needed;
  return place;
}

export function pushWord(buffer: usize, word: u32): void {
  store<u32>(extend(buffer, 4), word);
}

export function pushUnit(buffer: usize, code: u32): void {
  store<u16>(extend(buffer, 2), <u16>code);
}

export function pushUnits(buffer: usize, units: usize, count: u32): void {
  memory.copy(extend(buffer, count << 1), units, (<usize>count) << 1);
}

export function bytesIn(buffer: usize): u32 {
  return at<Buffer>(buffer).length;
}

export function startOf(buffer: usize): usize {
  return at<Buffer>(buffer).start;
}

export function wordAt(buffer: usize, index: u32): u32 {
  return load<u32>(startOf(buffer) + ((<usize>index) << 2));
}

export function setWordAt(buffer: usize, index: u32, word: u32): void {
  store<u32>(startOf(buffer) + ((<usize>index) << 2), word);
}

export function emptyBuffer(buffer: usize): void {
  at<Buffer>(buffer).length = 0;
}

/** Forgets what lies behind the first `byteCount` bytes. */
export function cutBuffer(buffer: usize, byteCount: u32): void {
  at<Buffer>(buffer).length = byteCount;
}
