import { Failure } from '../../server/model/failure.ts';

/** Returns the Failure of an action, undefined if it succeeds; throws any other error on. */
export async function failureOf(action: () => unknown): Promise<Failure | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
