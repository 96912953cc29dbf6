import { attach } from './attached-kernel.ts';
import { packChanges, type PackedChanges } from './changed-values.ts';
import { faultOf, type Faulty } from './kernel-fault.ts';
import type { KernelLoan } from './kernel.ts';

export interface CopyTask {
  /** Model to copy; nobody may work on it meanwhile. */
  readonly from: KernelLoan;
  /** Empty model that becomes the copy. */
  readonly loan: KernelLoan;
}

export type CopyResult = Faulty<object>;

export interface ReadChangesTask {
  readonly loan: KernelLoan;
}

export type ReadChangesResult = Faulty<{ readonly changes: PackedChanges }>;

/** Copies a model, and has the copy watch its changes. */
export function copyModel({ from, loan }: CopyTask): CopyResult {
  return faultOf(() => {
    const kernel = attach(loan);
    kernel.copyFrom(from);
    kernel.watchChanges(true);
    kernel.weigh();
    return { ok: true };
  });
}

/** Returns the changes of a model since it began to watch; it goes on watching. */
export function readChanges({ loan }: ReadChangesTask): ReadChangesResult {
  return faultOf(() => {
    const kernel = attach(loan);
    const changes = packChanges(kernel);
    kernel.watchChanges(true);
    return { ok: true, changes };
  });
}
