import { at } from '../memory/pointer';
import { bytesIn, emptyBuffer, extend, newBuffer } from './buffer';

/** Where the text lexed last has a relative row number. */
@unmanaged
export class RowSpot {
  /** Offsets in the text: of the first digit, and behind the last one. */
  start: u32 = 0;
  end: u32 = 0;
  number: u32 = 0;
}

export const SPOT_BYTES: u32 = 12;

/** The row spots of the text lexed last, from left to right. */
export let rowSpots: usize = 0;
/** Further down, the same formula differs in these numbers and in nothing else. */
export let hasRowSpotsOnly: bool = true;

export function openRowSpots(): void {
  rowSpots = newBuffer(16 * SPOT_BYTES);
}

export function emptyRowSpots(): void {
  emptyBuffer(rowSpots);
  hasRowSpotsOnly = true;
}

export function noteRowSpot(start: u32, end: u32, number: u32): void {
  const spot = at<RowSpot>(extend(rowSpots, SPOT_BYTES));
  spot.start = start;
  spot.end = end;
  spot.number = number;
}

/** The formula may be written otherwise further down. */
export function noteOtherDifference(): void {
  hasRowSpotsOnly = false;
}

export function rowSpotCount(): u32 {
  return bytesIn(rowSpots) / SPOT_BYTES;
}
