/** Returns the code of an error of the system, PostgreSQL or a program; undefined without one. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns whether an error has one of these codes, such as `ENOENT` or `57P01`. */
export function hasCode(error: unknown, ...codes: readonly (string | number)[]): boolean {
  const own = codeOf(error);
  return codes.some((code) => code === own);
}

/** Returns whether PostgreSQL refused a row because a unique key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, '23505');
}
