/** A message of PostgreSQL beside its answers, by the names of its fields. */
export type Notice = Readonly<Record<string, string | undefined>>;

/**
 * PostgreSQL says 01000 of a commit that is on its own disk, and perhaps nowhere else because the
 * wait for the standby was cancelled; 57P01 when the session ended in that wait.
 */
export function isUnreplicated({ severity, code }: Notice): boolean {
  return severity === 'WARNING' && (code === '01000' || code === '57P01');
}
