import { encodeBase64 } from '../../../server/tlog/encoding/base64.ts';
import { parseCheckpoint } from '../../../server/tlog/note/checkpoint.ts';
import { parseNote } from '../../../server/tlog/note/note.ts';
import type { ProofFile } from '../../../server/tlog/note/proof-file.ts';
import { TreeHasher, type Sha256 } from '../../../server/tlog/tree/hasher.ts';

/** A hash on the way from a leaf to the root, in base64, and the one that it was made with. */
export interface WayStep {
  readonly side: 'left' | 'right';
  readonly sibling: string;
  readonly hash: string;
}

/** Returns the hashes from a leaf to the root, for people; it checks nothing (RFC 9162, 2.1.3.2). */
export function wayTo(
  sha256: Sha256,
  leafHash: Uint8Array,
  { index, hashes, checkpoint }: ProofFile,
): readonly WayStep[] {
  const hasher = new TreeHasher(sha256);
  let [at, last] = [index, parseCheckpoint(parseNote(checkpoint).text).size - 1];
  let hash = leafHash;
  return hashes.map((sibling) => {
    // A node without a right neighbour goes up unchanged.
    while (at === last && at % 2 === 0 && last > 0) [at, last] = [at / 2, last / 2];
    const side = at % 2 === 1 ? 'left' : 'right';
    hash = side === 'left' ? hasher.node(sibling, hash) : hasher.node(hash, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    return { side, sibling: encodeBase64(sibling), hash: encodeBase64(hash) };
  });
}
