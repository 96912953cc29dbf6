import { hash } from 'node:crypto';

import type { Operation } from '../model/operation.ts';

// Ids for operations without an id, made from an Idempotency-Key and the place. A compared id ends
// with a digest of the operation, so that another operation under the key is noticed.

const digestLength = 16;
const compared = /^(.+#\d+)~[0-9a-f]{16}$/su;

/** Returns the id of an operation by the key and its place. */
export function keyedId(key: string, index: number): string {
  return `${key}#${index}`;
}

/** Returns the id of an operation by the key, its place, and what it does. */
export function comparedId(key: string, index: number, { kind, payload }: Operation): string {
  const digest = hash('sha256', JSON.stringify([kind, payload]), 'hex').slice(0, digestLength);
  return `${keyedId(key, index)}~${digest}`;
}

/**
 * Returns the name that all operations with the same key and place share; no client has such an id.
 */
export function placeOfKeyed(plainId: string): string {
  return `${plainId}\u0000`;
}

/** Returns that name for a compared id; undefined for any other. */
export function placeOfId(id: string): string | undefined {
  // The sign is compared first, because this runs for each operation.
  const plain = id.at(-digestLength - 1) === '~' ? compared.exec(id)?.[1] : undefined;
  return plain === undefined ? undefined : placeOfKeyed(plain);
}
