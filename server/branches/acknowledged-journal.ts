import { LRUCache } from 'lru-cache';

import { Failure } from '../model/failure.ts';
import { ownBytes } from '../model/own-bytes.ts';
import {
  branchKey,
  type Append,
  type BranchAddress,
  type BranchRow,
  type JournalStore,
  type StoredSegment,
} from './journal-store.ts';
import { readSegment } from './segment.ts';

/** The operations of one branch that this process knows to be durable. */
interface Acknowledged {
  readonly seq: number;
  readonly hash: Buffer;
  /** The last segments up to there, within a limit. */
  readonly tail: StoredSegment[];
  readonly tailBytes: number;
}

/** A branch of which the database lacks acknowledged operations. */
export interface Divergence {
  readonly address: BranchAddress;
  /** Sequence of the last operation acknowledged by this process. */
  readonly acknowledgedSeq: number;
  /** Sequence of the last operation in the database. */
  readonly head: number;
  /** The last acknowledged operations that are still in memory. */
  readonly operations: readonly object[];
}

const tailBytesMost = 64 << 10;
const allBytesMost = 32 << 20;
/** Bytes of an entry without a tail, as measured. */
const entryBytes = 500;

/**
 * A journal that remembers which operations were acknowledged as durable. A database that comes
 * back with less, or with something else, has lost some: after a failover to a standby without
 * them, or from a backup. Writing on would hide the loss, so the branch refuses writes in this
 * process until an operator has decided and restarts it.
 */
export class AcknowledgedJournal implements JournalStore {
  readonly #store: JournalStore;
  readonly #onDiverged: (divergence: Divergence) => void;
  readonly #acknowledged = new LRUCache<string, Acknowledged>({
    maxSize: allBytesMost,
    sizeCalculation: ({ tailBytes }) => tailBytes + entryBytes,
  });
  readonly #diverged = new Set<string>();

  constructor(store: JournalStore, onDiverged: (divergence: Divergence) => void) {
    this.#store = store;
    this.#onDiverged = onDiverged;
  }

  get isStuck(): boolean {
    return this.#store.isStuck;
  }

  confirm(): Promise<void> {
    return this.#store.confirm();
  }

  async append(append: Append): Promise<boolean> {
    const name = branchKey(append);
    if (this.#diverged.has(name)) throw diverged();
    const isWritten = await this.#store.append(append);
    if (isWritten) this.#remember(name, append.segments);
    return isWritten;
  }

  async branch(address: BranchAddress): Promise<BranchRow | undefined> {
    // Taken before the read, which need not show later acknowledgements.
    const known = this.#acknowledged.get(branchKey(address));
    const row = await this.#store.branch(address);
    if (row && known) this.#checkHead(address, row, known);
    return row;
  }

  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined> {
    return this.#store.branchNamed(workbookId, name);
  }

  async segments(
    address: BranchAddress,
    after: number,
    through?: number,
  ): Promise<StoredSegment[]> {
    const known = this.#acknowledged.get(branchKey(address));
    const segments = await this.#store.segments(address, after, through);
    if (known) this.#checkSegments(address, segments, known);
    return segments;
  }

  #remember(name: string, segments: readonly StoredSegment[]): void {
    const last = segments.at(-1);
    if (!last) return;
    const known = this.#acknowledged.peek(name);
    // The list is changed in place, because a copy for each write would be the main cost.
    const tail = known?.tail ?? [];
    let tailBytes = known?.tailBytes ?? 0;
    for (const segment of segments) {
      // Copied, because the bytes of a segment may be parts of much larger buffers.
      tail.push(ownSegment(segment));
      tailBytes += segment.body.length;
    }
    while (tailBytes > tailBytesMost) tailBytes -= tail.shift()?.body.length ?? tailBytes;
    this.#acknowledged.set(name, { seq: last.lastSeq, hash: ownBytes(last.hash), tail, tailBytes });
  }

  #checkHead(address: BranchAddress, { head, headHash }: BranchRow, known: Acknowledged): void {
    const isThere = head > known.seq || (head === known.seq && headHash.equals(known.hash));
    if (!isThere) this.#diverge(address, head, known);
  }

  #checkSegments(
    address: BranchAddress,
    segments: readonly StoredSegment[],
    known: Acknowledged,
  ): void {
    const { seq, hash } = known;
    const other = segments.find(
      (segment) =>
        (segment.lastSeq === seq && !segment.hash.equals(hash)) ||
        (segment.firstSeq === seq + 1 && !segment.previousHash.equals(hash)),
    );
    if (other) this.#diverge(address, other.lastSeq, known);
  }

  #diverge(address: BranchAddress, head: number, { seq, tail }: Acknowledged): void {
    const name = branchKey(address);
    if (this.#diverged.has(name)) return;
    this.#diverged.add(name);
    const { workbookId, branchNo } = address;
    const operations = tail.flatMap(operationsOf);
    this.#onDiverged({ address: { workbookId, branchNo }, acknowledgedSeq: seq, head, operations });
  }
}

/** Copies all bytes of a segment into one buffer. */
function ownSegment(segment: StoredSegment): StoredSegment {
  const { previousHash, hash, body } = segment;
  const bytes = ownBytes(previousHash, hash, body);
  const hashAt = previousHash.length;
  const bodyAt = hashAt + hash.length;
  return {
    ...segment,
    previousHash: bytes.subarray(0, hashAt),
    hash: bytes.subarray(hashAt, bodyAt),
    body: bytes.subarray(bodyAt),
  };
}

function operationsOf({ body, previousHash }: StoredSegment): readonly object[] {
  return readSegment(body, previousHash).records;
}

function diverged(): Failure {
  return new Failure('branchDiverged', {
    detail: 'The database does not have all that was acknowledged on this branch.',
    hint: 'Keep the operations with their ids; the operator of the service has to decide.',
    headers: { 'Retry-After': '60' },
  });
}
