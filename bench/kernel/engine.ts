import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cell, Edit, Sheet } from './workload.ts';

/** A value as both engines can say it; errors are their texts. */
export type PlainValue = number | string | boolean | null;

/** A calculated book. Every call comes back with all values up to date. */
export interface Book {
  edit(edit: Edit): void;
  /** The values of a sheet from A1 on; rows may end before the last column. */
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

/** So that no engine pays for what the other one has left lying about. */
export function collectGarbage(): void {
  collect();
}

const settlingMilliseconds = 20;

/** Several times with pauses: one collection may still see what an earlier one had begun to mark. */
export async function heapBytes(): Promise<number> {
  for (let time = 0; time < 4; time++) {
    await pause(settlingMilliseconds);
    collect();
  }
  return process.memoryUsage().heapUsed;
}
