import { Kernel, type KernelLoan } from './kernel.ts';

let attached: Kernel | undefined;

/**
 * Returns this thread's instance over a model that another thread has made. The last instance is
 * kept, because the next task is mostly of the same model.
 */
export function attach(loan: KernelLoan): Kernel {
  if (attached?.loan.serial === loan.serial) attached.refresh();
  else attached = Kernel.attach(loan);
  attached.weigh();
  return attached;
}
