import { KIND_REFERENCE } from '../abi';
import { usedColumns, usedRows } from '../grid/sheet';
import { at } from '../memory/pointer';
import { scratch } from '../memory/scratch';
import { setSlot } from './slot';

/** One rectangle of a sheet, both ends included. */
@unmanaged
export class Area {
  sheet: u32 = 0;
  row0: u32 = 0;
  column0: u32 = 0;
  row1: u32 = 0;
  column1: u32 = 0;
}

/** A reference value: a count, then areas. Most have one; unions and 3-D references have more. */
const HEADER_BYTES: usize = 16;

export function newReference(areaCount: u32): usize {
  const reference = scratch(<u32>HEADER_BYTES + areaCount * <u32>offsetof<Area>());
  store<u32>(reference, areaCount);
  store<u32>(reference, 0, 4);
  return reference;
}

/** A cell of this evaluation has met a reference to several sheets. */
export let hasMetSpan: bool = false;

export function openSpans(): void {
  hasMetSpan = false;
}

/** Makes the areas those of a 3-D reference, which most functions do not take. */
export function markSpan(reference: usize): void {
  store<u32>(reference, 1, 4);
  hasMetSpan = true;
}

export function isSpan(reference: usize): bool {
  return load<u32>(reference, 4) != 0;
}

export function areaCountOf(reference: usize): u32 {
  return load<u32>(reference);
}

export function areaOf(reference: usize, index: u32): usize {
  return reference + HEADER_BYTES + <usize>index * offsetof<Area>();
}

/** Puts a reference to one rectangle into a slot. */
export function setReference(slot: usize, area: usize): void {
  const reference = newReference(1);
  memory.copy(areaOf(reference, 0), area, offsetof<Area>());
  setSlot(slot, KIND_REFERENCE, reference);
}

/** Writes an area record. */
export function setArea(
  area: usize,
  sheet: usize,
  row0: u32,
  column0: u32,
  row1: u32,
  column1: u32,
): void {
  const record = at<Area>(area);
  record.sheet = <u32>sheet;
  record.row0 = row0;
  record.column0 = column0;
  record.row1 = row1;
  record.column1 = column1;
}

/** Rows of an area that can hold anything: whole columns end at the last used row. */
export function usedAreaRows(area: usize): u32 {
  const record = at<Area>(area);
  const rows = record.row1 - record.row0 + 1;
  if (rows < 4096) return rows;
  const used = usedRows(record.sheet, record.column0, record.column1);
  return used > record.row0 ? min(rows, used - record.row0) : 0;
}

export function usedAreaColumns(area: usize): u32 {
  const record = at<Area>(area);
  const columns = record.column1 - record.column0 + 1;
  if (columns < 64) return columns;
  const used = usedColumns(record.sheet);
  return used > record.column0 ? min(columns, used - record.column0) : 0;
}
