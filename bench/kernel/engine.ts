import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cell, Edit, Sheet } from './workload.ts';

/** A value that both engines can express; errors are their texts. */
export type PlainValue = number | string | boolean | null;

/** A calculated book. After every call all values are up to date. */
export interface Book {
  edit(edit: Edit): void;
  /** Returns the values of a sheet from A1 on; rows may end before the last column. */
  values(sheet: number): PlainValue[][];
  /** Bytes that the book takes beyond the heap of JavaScript. */
  readonly outsideBytes: number;
  close(): void;
}

export interface Engine {
  readonly name: string;
  build(sheets: readonly Sheet[]): Book;
}

export function widthOf(rows: readonly (readonly Cell[])[]): number {
  return rows.reduce((width, row) => Math.max(width, row.length), 0);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Collects garbage, so that no engine pays for that of the other. */
export function collectGarbage(): void {
  collect();
}

const settlingMilliseconds = 20;

/**
 * Returns the used heap after several collections with pauses, as one may still be marking when it
 * begins.
 */
export async function heapBytes(): Promise<number> {
  for (let time = 0; time < 4; time++) {
    await pause(settlingMilliseconds);
    collect();
  }
  return process.memoryUsage().heapUsed;
}
