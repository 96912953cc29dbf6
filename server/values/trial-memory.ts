import type { Kernel } from '../../workers/kernel.ts';

/**
 * The memory of the last trial, for the next one on the same model: filling it costs a part of new
 * memory. It is kept until V8 needs the space.
 */
export class TrialMemory {
  #last: { readonly affinity: string; readonly kernel: WeakRef<Kernel> } | undefined;

  /** Takes the memory for exclusive use until it is kept again. */
  take(affinity: string): Kernel | undefined {
    const kernel = this.#last?.affinity === affinity ? this.#last.kernel.deref() : undefined;
    this.#last = undefined;
    return kernel;
  }

  /** Keeps the memory; undefined for one that must not be used again. */
  keep(affinity: string, kernel: Kernel | undefined): void {
    this.#last = kernel && { affinity, kernel: new WeakRef(kernel) };
  }

  /** Drops the memory of a workbook. */
  forget(workbookId: string): void {
    if (this.#last?.affinity.startsWith(`${workbookId}/`) === true) this.#last = undefined;
  }
}
