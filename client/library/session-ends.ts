import { Problem } from './problem.ts';

const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;
const overloadedMilliseconds = 30_000;

/** Close codes after which another try would end in the same way. */
export const finalCodes = [1000, 4400, 4401, 4403, 4404, 4409, 4410, 4426];

/** Reasons of gaps after which submissions wait until `offerAgain` is called. */
export const voidReasons = ['ahead', 'diverged', 'branch_reset'];

/**
 * Returns the milliseconds to wait before the next try, by the close code and the number of tries.
 */
export function delayOf(code: number, attempts: number): number {
  if (code === 4429) return overloadedMilliseconds * (1 + Math.random());
  if (code === 1001) return Math.random() * 5_000;
  return Math.random() * Math.min(firstDelayMilliseconds * 2 ** attempts, longestDelayMilliseconds);
}

export function closed(detail: string): Problem {
  return new Problem({ code: 'closed', status: 0, detail, hint: 'Open another session.' });
}
