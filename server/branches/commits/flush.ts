import type { SealedLog } from '../../history/sealed-log-store.ts';
import { Failure } from '../../model/failure.ts';
import type { BranchAddress, JournalStore, StoredSegment } from '../journal-store.ts';

/** Bytes of journal in one object, about. */
const objectBytes = 4 << 20;
/** Rounds that may be lost to other nodes that flush the same branch. */
const lostRoundsMost = 20;

export interface FlushedSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly byteCount: number;
}

export interface Flushed {
  /** Operations up to here are in object storage. */
  readonly sealedSeq: number;
  /** Segments that this flush stored. */
  readonly segments: readonly FlushedSegment[];
}

/** Puts the end of journals into object storage too. */
export class Flusher {
  readonly #store: JournalStore;
  readonly #sealed: Pick<SealedLog, 'seal'>;

  constructor(store: JournalStore, sealed: Pick<SealedLog, 'seal'>) {
    this.#store = store;
    this.#sealed = sealed;
  }

  /**
   * Flushes a branch: everything that was acknowledged before the call is stored when it resolves.
   */
  async flush(address: BranchAddress): Promise<Flushed> {
    const segments: FlushedSegment[] = [];
    let through: number | undefined;
    for (let lostRounds = 0; lostRounds <= lostRoundsMost;) {
      const branch = await this.#store.branch(address);
      if (!branch) throw new Failure('branchNotFound');
      through ??= branch.head;
      if (branch.sealedSeq >= through) return { sealedSeq: branch.sealedSeq, segments };
      const part = firstBytes(await this.#store.segments(address, branch.sealedSeq));
      const row = await this.#sealed.seal(address, part);
      if (row)
        segments.push({ firstSeq: row.firstSeq, lastSeq: row.lastSeq, byteCount: row.byteCount });
      else lostRounds++;
    }
    throw new Failure('unavailable', {
      detail: 'Other nodes flush this branch at the same time.',
      hint: 'Send the same request again.',
      headers: { 'Retry-After': '1' },
    });
  }
}

function firstBytes(segments: readonly StoredSegment[]): StoredSegment[] {
  const part: StoredSegment[] = [];
  let byteCount = 0;
  for (const segment of segments) {
    if (byteCount >= objectBytes) break;
    part.push(segment);
    byteCount += segment.body.length;
  }
  return part;
}
