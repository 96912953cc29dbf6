import { Failure } from '../../server/model/failure.ts';

/** The failure an action ends with, or undefined when it succeeds; any other error passes. */
export async function failureOf(action: () => unknown): Promise<Failure | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
