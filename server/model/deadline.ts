import type { Environment } from './environment.ts';

/** Longest wait for an answer, and the error in place of it (a deadline). */
export interface Patience {
  readonly environment: Environment;
  readonly milliseconds: number;
  /** Makes the error when the time is over. */
  readonly otherwise: () => Error;
}

/** Returns the outcome of work; undefined if it takes longer, in which case it goes on. */
export async function inTime<Result>(
  work: Promise<Result>,
  { environment, milliseconds }: Omit<Patience, 'otherwise'>,
): Promise<Result | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = environment.after(milliseconds, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/** Returns the outcome of work if it is in time; a later one is ignored, including a failure. */
export async function within<Result>(
  work: Promise<Result>,
  { environment, milliseconds, otherwise }: Patience,
): Promise<Result> {
  let cancel = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = environment.after(milliseconds, () => reject(otherwise()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
