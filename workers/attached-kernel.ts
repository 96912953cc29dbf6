import { Kernel, type KernelLoan } from './kernel.ts';

let attached: Kernel | undefined;

/**
 * An instance of this thread over a model that another one has made. The last one is kept: mostly
 * the next task is of the same model.
 */
export function attach(loan: KernelLoan): Kernel {
  if (attached?.loan.serial === loan.serial) attached.refresh();
  else attached = Kernel.attach(loan);
  attached.weigh();
  return attached;
}
