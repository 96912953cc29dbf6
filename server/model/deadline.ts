import type { Environment } from './environment.ts';

/** Longest wait for an answer, and the error in place of it (a deadline). */
export interface Patience {
  readonly environment: Environment;
  readonly milliseconds: number;
  /** Makes the error when the time is over. */
  readonly otherwise: () => Error;
}

/** Returns the outcome of work; undefined if it takes longer, in which case it goes on. */
export function inTime<Result>(
  work: Promise<Result>,
  wait: Omit<Patience, 'otherwise'>,
): Promise<Result | undefined> {
  return raced(work, wait, () => undefined);
}

/** Returns the outcome of work if it is in time; a later one is ignored, including a failure. */
export function within<Result>(
  work: Promise<Result>,
  { otherwise, ...wait }: Patience,
): Promise<Result> {
  return raced(work, wait, () => {
    throw otherwise();
  });
}

async function raced<Result, Late>(
  work: Promise<Result>,
  { environment, milliseconds }: Omit<Patience, 'otherwise'>,
  late: () => Late,
): Promise<Result | Late> {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = environment.after(milliseconds, resolve);
  });
  try {
    return await Promise.race([work, over.then(late)]);
  } finally {
    cancel();
  }
}
