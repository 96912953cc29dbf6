import { Problem } from '../library/quire.ts';

/** An error whose message is all that is shown to people. */
export class Stop extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'Stop';
    this.exitCode = exitCode;
  }
}

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  differs: 3,
  notAllowed: 4,
  notFound: 5,
  refused: 6,
  later: 7,
} as const;

const byStatus: Readonly<Record<number, number>> = {
  400: exitCodes.usage,
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  409: exitCodes.refused,
  410: exitCodes.notFound,
  412: exitCodes.refused,
  413: exitCodes.refused,
  415: exitCodes.refused,
  422: exitCodes.refused,
  429: exitCodes.later,
};

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there. Free some, or name another place.',
  ENOENT: 'its folder is not there. Make it first, or name another place.',
  EACCES: 'you may not write there. Name another place.',
};

/** Returns the error for a file that could not be written, with the next step. */
export function notWritten(place: string, error: unknown): Stop {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new Stop(exitCodes.failed, `${place} cannot be written: ${reasons[code] ?? message}`);
}

const signInAgain = '`quire login` signs in again, `quire login --anonymous` as somebody new.';

/**
 * Returns the message of an error; for a refused key with the step that helps, by where the key
 * came from.
 */
export function wordsOf(error: Error, hasOwnKey: boolean): string {
  if (!(error instanceof Problem) || error.status !== 401) return error.message;
  // An ended sign-in has a message of its own.
  if (error.hint?.includes('`quire login`') === true) return error.message;
  const source = hasOwnKey ? 'It comes from QUIRE_KEY: set another one, or none. ' : '';
  return `${error.detail} ${source}${signInAgain}`;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Stop) return error.exitCode;
  if (!(error instanceof Problem)) return exitCodes.failed;
  if (error.code === 'plan_cap') return exitCodes.refused;
  if (error.code === 'not_the_service' || error.code === 'cut_off') return exitCodes.failed;
  return byStatus[error.status] ?? (error.retryable ? exitCodes.later : exitCodes.failed);
}
