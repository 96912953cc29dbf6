import { createHash } from 'node:crypto';

import type { Place } from '../../branches/place.ts';
import { kernelDigest } from '../../../workers/kernel-module.ts';
import { blockVersion } from '../../../workers/value-block.ts';
import type { ResultKey } from './sql.ts';

/**
 * The key of all values of a position: equal keys are equal values. The hash is that of the chain
 * of the journal; workbook and position are in it besides, as volatile functions draw on them.
 */
export function resultKey({ address, seq }: Omit<Place, 'isPinned'>, chainHash: Buffer): ResultKey {
  const { workbookId, branchNo } = address;
  const facts = JSON.stringify(['values', blockVersion, workbookId, branchNo, seq]);
  const key = createHash('sha256').update(facts).update(chainHash).update(kernelDigest()).digest();
  return { workbookId, key };
}
