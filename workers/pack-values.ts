import { attach } from './attached-kernel.ts';
import { KernelFault } from './kernel-instance.ts';
import type { KernelLoan } from './kernel.ts';
import { BlockWriter } from './value-block.ts';

export interface PackTask {
  readonly loan: KernelLoan;
  /** Names of the sheets by key. */
  readonly sheets: readonly (readonly [key: number, name: string])[];
  /** Index of the first cell to pack, in the order of all cells. */
  readonly offset: number;
  readonly cellsMost: number;
}

export type PackResult =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly fault: string };

const readCells = 8192;

/** Packs one block (value-block.ts) of an evaluated model. */
export function packValues({ loan, sheets, offset, cellsMost }: PackTask): PackResult {
  try {
    const kernel = attach(loan);
    const names = new Map(sheets);
    const block = new BlockWriter(cellsMost);
    const end = Math.min(offset + cellsMost, kernel.valueCount);
    for (let at = offset; at < end;) {
      at += kernel.readValues(at, Math.min(readCells, end - at), (cell) => {
        block.add({ ...cell, sheet: names.get(cell.sheet) ?? '' });
      });
    }
    return { ok: true, bytes: block.finish() };
  } catch (error) {
    if (!(error instanceof KernelFault)) throw error;
    return { ok: false, fault: error.message };
  }
}
