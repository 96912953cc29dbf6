import { createHash } from 'node:crypto';

import type { Place } from '../../branches/place.ts';
import { kernelDigest } from '../../../workers/kernel-module.ts';
import { blockVersion } from '../../../workers/value-block.ts';
import type { ResultKey } from './sql.ts';

/**
 * Returns the key of all values of a position: equal keys mean equal values. It contains the
 * journal's chain hash, and workbook and position, on which volatile functions depend.
 */
export function resultKey({ address, seq }: Omit<Place, 'isPinned'>, chainHash: Buffer): ResultKey {
  const { workbookId, branchNo } = address;
  const facts = JSON.stringify(['values', blockVersion, workbookId, branchNo, seq]);
  const key = createHash('sha256').update(facts).update(chainHash).update(kernelDigest()).digest();
  return { workbookId, key };
}
