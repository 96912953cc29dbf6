import { hash } from 'node:crypto';

import type { Operation } from '../model/operation.ts';

// Ids of operations that have none of their own, made from an Idempotency-Key and their place. A
// compared one ends with a digest of the operation, so that another one under the key is noticed.

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

/** Returns the name of all operations that have the same key and place; no client has such an id. */
export function placeOfKeyed(plainId: string): string {
  return `${plainId}\u0000`;
}

/** Returns that name for a compared id; undefined for any other. */
export function placeOfId(id: string): string | undefined {
  // The sign first: this runs for each operation.
  const plain = id.at(-digestLength - 1) === '~' ? compared.exec(id)?.[1] : undefined;
  return plain === undefined ? undefined : placeOfKeyed(plain);
}
