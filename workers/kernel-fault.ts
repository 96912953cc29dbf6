import { KernelFault } from './kernel-instance.ts';

/**
 * Answer of a task on a model, or the fault that stopped the kernel, after which the model is
 * unusable.
 */
export type Faulty<Answer> =
  | ({ readonly ok: true } & Answer)
  | { readonly ok: false; readonly fault: string };

export function faultOf<Result>(
  work: () => Result,
): Result | { readonly ok: false; readonly fault: string } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KernelFault)) throw error;
    return { ok: false, fault: error.message };
  }
}
