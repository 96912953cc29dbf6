import type { Kernel } from '../../workers/kernel.ts';

/**
 * The memory of the last trial, for the next one on the same model: to fill it anew takes a part of
 * what new memory costs. It is kept as long as V8 has no need of it.
 */
export class TrialMemory {
  #last: { readonly affinity: string; readonly kernel: WeakRef<Kernel> } | undefined;

  /** Nobody else gets it until it is kept again. */
  take(affinity: string): Kernel | undefined {
    const kernel = this.#last?.affinity === affinity ? this.#last.kernel.deref() : undefined;
    this.#last = undefined;
    return kernel;
  }

  /** Undefined for one that cannot be trusted. */
  keep(affinity: string, kernel: Kernel | undefined): void {
    this.#last = kernel && { affinity, kernel: new WeakRef(kernel) };
  }

  /** Lets go of what it holds of a workbook. */
  forget(workbookId: string): void {
    if (this.#last?.affinity.startsWith(`${workbookId}/`) === true) this.#last = undefined;
  }
}
