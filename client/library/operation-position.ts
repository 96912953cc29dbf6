import { parseReference } from '../../server/model/reference.ts';

/** Returns the position of one operation, such as `main@42`. Throws RangeError for other references. */
export function operationPosition(ref: string): { branch: string; seq: number } {
  const place = parseReference(ref);
  if (!place || !('branch' in place) || place.sequence === undefined) {
    throw new RangeError(`A proof is of one operation, such as main@42, and not of ${ref}.`);
  }
  return { branch: place.branch, seq: place.sequence };
}
