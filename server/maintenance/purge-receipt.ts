import { leafHashOf, parseOpening } from '../tlog/leaf/commitment.ts';
import { nodeCrypto } from '../tlog/node-crypto.ts';

/** Makes the receipt that proves a purge although nothing of the workbook is left. */
export function receiptOf(opening: Buffer | undefined) {
  if (opening === undefined) return {};
  const leafHash = leafHashOf(nodeCrypto.sha256, parseOpening(opening));
  return {
    receipt: {
      leafHash: Buffer.from(leafHash).toString('hex'),
      opening: opening.toString('base64'),
    },
  };
}
