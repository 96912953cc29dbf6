import { Failure, type FailureKey } from './failure.ts';

/**
 * The failure for each error of the system, the network or PostgreSQL: the only place where errno
 * and SQLSTATE are read. Sources: errno(3), and appendix A of PostgreSQL's manual.
 */
const kinds: readonly { readonly codes: RegExp; readonly key: FailureKey }[] = [
  // 53100 is disk_full.
  { codes: /^(?:ENOSPC|EDQUOT|53100)$/, key: 'storageFull' },
  // A disk that takes no writes, or gives nothing back; files and processes of the system used up.
  {
    codes: /^(?:EROFS|EIO|EACCES|EPERM|EMFILE|ENFILE|ENOMEM|ESTALE|ENXIO|ENODEV)$/,
    key: 'unavailable',
  },
  // A connection that was refused, broke off or stays silent.
  {
    codes:
      /^(?:ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOST[A-Z]+|ENET[A-Z]+|ENOTFOUND|EAI_[A-Z]+|CONNECT_TIMEOUT|CONNECTION_[A-Z]+|DATABASE_SILENT)$/,
    key: 'unavailable',
  },
  // PostgreSQL: connections, resources, its operator, its own system's errors, damaged data.
  { codes: /^(?:08\w{3}|53\w{3}|01000|57P\w{2}|57014|58\w{3}|XX00[12])$/, key: 'unavailable' },
  // A former primary, transactions that met each other, and locks not granted.
  { codes: /^(?:25006|40001|40P01|55P03)$/, key: 'unavailable' },
];

const sqlState = /^[0-9A-Z]{5}$/;

/**
 * Errors of PostgreSQL after which another attempt is due: they come with a session that ends, with
 * a server that is not the primary any more or not yet up, or with transactions that met each
 * other; 01000 comes with a commit whose wait for a standby was cancelled.
 */
const passing = /^(?:01000|08\w{3}|57P0[1-5]|25006|40001|40P01|53300)$/;

const outageKeys: readonly FailureKey[] = ['unavailable', 'storageFull'];

const causesMost = 8;

/** Returns the failure for an outside error; undefined for any other. */
export function outageOf(error: unknown): Failure | undefined {
  const key = outageKeyOf(error);
  if (key === undefined) return undefined;
  if (error instanceof Failure) return error;
  return key === 'storageFull' ? storageFull(error) : unavailable(error);
}

/** Returns whether the attempt would have succeeded with more room on some disk. */
export function isStorageFull(error: unknown): boolean {
  return outageKeyOf(error) === 'storageFull';
}

/** Returns whether a disk takes no writes: it is full, or only read. */
export function isUnwritable(error: unknown): boolean {
  return codesOf(error).some((code) => /^(?:ENOSPC|EDQUOT|EROFS|53100|25006|58030)$/.test(code));
}

/**
 * Returns whether PostgreSQL has refused a statement for good, or was never asked: nothing was
 * written, and asking again changes nothing. Anything else leaves the outcome open.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof Failure) return true;
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  if (code === 'CONNECTION_BUSY') return true;
  // FATAL and PANIC end the session.
  const isOfStatement = 'severity' in error && error.severity === 'ERROR';
  return isOfStatement && sqlState.test(code) && !passing.test(code);
}

/** Looks through the steps that an error was wrapped in. */
function outageKeyOf(error: unknown): FailureKey | undefined {
  if (error instanceof Failure) return outageKeys.find((key) => key === error.key);
  for (const code of codesOf(error)) {
    const kind = kinds.find(({ codes }) => codes.test(code));
    if (kind) return kind.key;
  }
  return undefined;
}

/** The code of an error and those of its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let cause = error;
  for (let depth = 0; depth < causesMost && cause instanceof Error; depth++) {
    if ('code' in cause) codes.push(String(cause.code));
    ({ cause } = cause);
  }
  return codes;
}

function storageFull(cause: unknown): Failure {
  return new Failure('storageFull', {
    detail: 'A disk or a store that this has to be written to is full; nothing was written.',
    hint: 'Send the same request again once the operator of the service has made room.',
    headers: { 'Retry-After': '10' },
    cause,
  });
}

function unavailable(cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'Something that Quire needs for this does not answer right now.',
    hint: 'Try again in a moment.',
    cause,
  });
}
