import { createHash } from 'node:crypto';

/** 12 hex digits: the same for the same text. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
