import { TreeHasher, type Sha256 } from '../tree/hasher.ts';
import { RootBuilder } from '../tree/root.ts';
import { operationHash } from './operation-proof.ts';
import type { StatementFacts } from './facts.ts';
import type { WorkbookKey } from './workbook-key.ts';

/** Consecutive operations of a branch, as the journal has them. */
export interface Operations {
  readonly branch: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly operations: Iterable<Uint8Array>;
}

/** Content of a statement about operations. */
export interface SegmentContent {
  readonly workbook: string;
  readonly branch: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The hash of the segment's statement before it; zeros for the first. */
  readonly previous: Uint8Array;
  /** The root over the operations. */
  readonly operations: Uint8Array;
  readonly chain: Uint8Array;
  readonly timeMilliseconds: number;
}

/** The root over operations; fails unless there are as many as the range says. */
export function operationsRoot(sha256: Sha256, key: WorkbookKey, content: Operations): Uint8Array {
  const hasher = new TreeHasher(sha256);
  const builder = new RootBuilder(hasher);
  let seq = content.firstSeq;
  for (const bytes of content.operations) {
    builder.push(operationHash(hasher, key.nonce(content.branch, seq), bytes));
    seq++;
  }
  if (seq === content.lastSeq + 1) return builder.root();
  throw new RangeError(`${seq - content.firstSeq} operations do not end at ${content.lastSeq}`);
}

export function segmentFacts({ previous, ...content }: SegmentContent): StatementFacts {
  return { kind: 'segment', ...content, previous: [previous], state: undefined };
}
