import { allocate, release } from './arena';
import { at } from './pointer';

/** A growing list of 32-bit words (addresses, numbers). Embedded in records by address. */
@unmanaged
export class Vector {
  items: u32 = 0;
  length: u32 = 0;
  capacity: u32 = 0;
}

export function push(vector: usize, value: u32): void {
  const list = at<Vector>(vector);
  if (list.length == list.capacity) reserve(vector, list.length + 1);
  store<u32>(<usize>list.items + ((<usize>list.length) << 2), value);
  list.length++;
}

/** Room for `count` items. */
export function reserve(vector: usize, count: u32): void {
  const list = at<Vector>(vector);
  if (count <= list.capacity) return;
  const capacity = max(max(4, count), list.capacity + (list.capacity >> 1));
  const items = allocate(capacity << 2);
  memory.copy(items, list.items, (<usize>list.length) << 2);
  release(list.items, list.capacity << 2);
  list.items = <u32>items;
  list.capacity = capacity;
}

export function item(vector: usize, index: u32): u32 {
  return load<u32>(<usize>at<Vector>(vector).items + ((<usize>index) << 2));
}

export function setItem(vector: usize, index: u32, value: u32): void {
  store<u32>(<usize>at<Vector>(vector).items + ((<usize>index) << 2), value);
}

export function lengthOfVector(vector: usize): u32 {
  return at<Vector>(vector).length;
}

/** Opens a gap at `index` and puts `value` there. */
export function insertItem(vector: usize, index: u32, value: u32): void {
  const list = at<Vector>(vector);
  reserve(vector, list.length + 1);
  const place = <usize>list.items + ((<usize>index) << 2);
  memory.copy(place + 4, place, (<usize>(list.length - index)) << 2);
  store<u32>(place, value);
  list.length++;
}

export function removeItems(vector: usize, index: u32, count: u32): void {
  const list = at<Vector>(vector);
  const place = <usize>list.items + ((<usize>index) << 2);
  const tail = list.length - index - count;
  memory.copy(place, place + ((<usize>count) << 2), (<usize>tail) << 2);
  list.length -= count;
}

export function clearVector(vector: usize): void {
  at<Vector>(vector).length = 0;
}

/** Gives the items back; the vector is empty and usable again. */
export function freeVector(vector: usize): void {
  const list = at<Vector>(vector);
  release(list.items, list.capacity << 2);
  list.items = 0;
  list.length = 0;
  list.capacity = 0;
}
