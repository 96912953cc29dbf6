import { createHash } from 'node:crypto';

/** Digest of a text, of 12 hex digits. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
