import { attach } from './attached-kernel.ts';
import { packChanges, type PackedChanges } from './changed-values.ts';
import { faultOf, type Faulty } from './kernel-fault.ts';
import type { KernelLoan } from './kernel.ts';

export interface CopyTask {
  /** Nobody may work on it meanwhile. */
  readonly from: KernelLoan;
  /** A model of its own, with nothing in it yet. */
  readonly loan: KernelLoan;
}

export type CopyResult = Faulty<object>;

export interface ReadChangesTask {
  readonly loan: KernelLoan;
}

export type ReadChangesResult = Faulty<{ readonly changes: PackedChanges }>;

/** Makes a model what another one is, and has it watch what changes from then on. */
export function copyModel({ from, loan }: CopyTask): CopyResult {
  return faultOf(() => {
    const kernel = attach(loan);
    kernel.copyFrom(from);
    kernel.watchChanges(true);
    kernel.weigh();
    return { ok: true };
  });
}

/** All that a model came to since it began to watch; it goes on from here. */
export function readChanges({ loan }: ReadChangesTask): ReadChangesResult {
  return faultOf(() => {
    const kernel = attach(loan);
    const changes = packChanges(kernel);
    kernel.watchChanges(true);
    return { ok: true, changes };
  });
}
