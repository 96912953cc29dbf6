import { smallerTrees } from './tree.ts';
import type { Step } from './step.ts';

const attemptsMost = 3_000;

/** The smallest steps found that still have the fault. */
export async function shrink(
  steps: readonly Step[],
  isFaulty: (steps: readonly Step[]) => boolean | Promise<boolean>,
  deadline: number,
): Promise<readonly Step[]> {
  let smallest = steps;
  let attempts = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerSteps(smallest)) {
      if (++attempts > attemptsMost || performance.now() > deadline) return smallest;
      if (!(await isFaulty(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** A step or a part of a formula less; the sheets stay. */
function* smallerSteps(steps: readonly Step[]): Generator<readonly Step[]> {
  const isFree = (step: Step) => !('mutation' in step) || step.mutation.kind !== 'sheetAdd';
  for (const [index, step] of steps.entries()) {
    if (isFree(step)) yield steps.toSpliced(index, 1);
  }
  for (const [index, step] of steps.entries()) {
    if ('mutation' in step) continue;
    if (step.mode !== 'dynamic') yield steps.with(index, { ...step, mode: 'dynamic' });
    for (const tree of smallerTrees(step.tree)) yield steps.with(index, { ...step, tree });
  }
}
