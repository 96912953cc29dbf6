import type { Recalculation } from '../../workers/kernel.ts';
import { dayMilliseconds } from '../model/durations.ts';

/** Position of a model in its branch. */
export interface Position {
  /** Last operation applied; 0 before the first. */
  readonly seq: number;
  /** Time of that operation, in milliseconds since the epoch. */
  readonly at: number;
}

export const startPosition: Position = { seq: 0, at: 0 };

/** 1 January 1970 in the 1900 system. */
const epochSerial = 25_569;

/**
 * Returns the clock and seed of a position. They come from its operation, so that the values of
 * `branch@seq` are always the same: NOW() is the time of the last change (in UTC), and RAND() draws
 * again with every operation.
 */
export function recalculationAt(workbookId: string, { seq, at }: Position): Recalculation {
  return {
    clockSerial: at / dayMilliseconds + epochSerial,
    seedHigh: hash32(workbookId),
    seedLow: seq | 0,
  };
}

/** Hashes the characters of a text by FNV-1a (Fowler, Noll, Vo). */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash | 0;
}
