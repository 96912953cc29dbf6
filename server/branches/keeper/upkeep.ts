import { hash } from 'node:crypto';

import type { DamageList } from '../../history/damage.ts';
import { StorageFault } from '../../history/envelope.ts';
import { logKey } from '../../history/keys.ts';
import type { SealedLog } from '../../history/sealed-log-store.ts';
import type { Snapshots } from '../../history/snapshots.ts';
import type { HistoryTable } from '../../history/sql.ts';
import type { Metrics } from '../../metrics.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Branches } from '../branches.ts';
import type { Commits } from '../commits/commits.ts';
import type { BranchAddress, BranchRow, JournalStore, StoredSegment } from '../journal-store.ts';
import type { PostgresJournal, SegmentDigest } from '../sql.ts';
import type { Mender } from './mender.ts';

/** A state is stored once so much was sealed after the last one: less is replayed in no time. */
const snapshotBytes = 64 << 10;
export interface UpkeepSettings {
  /** Operations after the last snapshot from which on another one is written. */
  readonly snapshotOperations: number;
  /** Operations before the head whose rows stay. */
  readonly hotOperations: number;
  /** Rows wait until so many operations can go at once: what replaces them is read back for it. */
  readonly trimOperations: number;
}

export interface UpkeepOptions extends UpkeepSettings {
  /** The journal as a whole, and the part of it that is in PostgreSQL. */
  readonly store: JournalStore;
  readonly rows: Pick<PostgresJournal, 'digests' | 'firstSeq' | 'trim'>;
  readonly sealed: Pick<SealedLog, 'storedAfter'>;
  readonly table: Pick<HistoryTable, 'sealedBytesAfter'>;
  readonly snapshots: Pick<Snapshots, 'confirm'>;
  readonly branches: Pick<Branches, 'snapshot'>;
  readonly commits: Pick<Commits, 'flush' | 'finish'>;
  readonly mender: Pick<Mender, 'run'>;
  readonly damage: Pick<DamageList, 'note'>;
  readonly environment: Pick<Environment, 'checkpoint'>;
  readonly metrics: Metrics;
}

/**
 * The upkeep of a branch in the background (compaction): its journal is sealed, its state stored,
 * and rows that nobody needs any more are deleted. Each step is durable before the next begins and
 * can be repeated; rows go last, once object storage was seen to hold what they say.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Fails with `branch_not_found` when the branch is there no more. */
  async run(address: BranchAddress): Promise<void> {
    const { commits, environment, metrics } = this.#options;
    const { segments } = await commits.flush(address);
    for (const { firstSeq, lastSeq } of segments) metrics.keeperSealed.inc(lastSeq - firstSeq + 1);
    await environment.checkpoint?.('keeper.sealed');
    await commits.finish(address);
    await this.#store(address);
    await environment.checkpoint?.('keeper.stored');
    await this.#options.mender.run(address);
    await this.#trim(address);
  }

  async #store(address: BranchAddress): Promise<void> {
    const { branches, table, metrics, snapshotOperations } = this.#options;
    const { head, snapshotSeq } = await this.#row(address);
    if (head === snapshotSeq) return;
    const isDue =
      head - snapshotSeq >= snapshotOperations ||
      (await table.sealedBytesAfter(address, snapshotSeq)) >= snapshotBytes;
    if (!isDue) return;
    await branches.snapshot(address);
    metrics.keeperSnapshots.inc();
  }

  async #trim(address: BranchAddress): Promise<void> {
    const { rows, environment, metrics } = this.#options;
    const { hotOperations, trimOperations } = this.#options;
    const { head, sealedSeq, snapshotSeq } = await this.#row(address);
    const most = Math.min(sealedSeq, snapshotSeq, head - hotOperations);
    const firstSeq = await rows.firstSeq(address);
    if (firstSeq === undefined || most - firstSeq + 1 < Math.max(1, trimOperations)) return;
    const before = firstSeq - 1;
    const confirmed = await this.#confirm(address, { before, most });
    if (confirmed === before) return;
    await this.#confirmSnapshot(address, snapshotSeq);
    await environment.checkpoint?.('keeper.confirmed');
    for (let last = before; last < confirmed;) {
      const gone = await rows.trim(address, confirmed);
      if (gone === undefined) return;
      metrics.keeperTrimmed.inc(Math.max(0, gone - last));
      last = gone;
      await environment.checkpoint?.('keeper.trimmed');
    }
  }

  /**
   * Checks a snapshot. A damaged one is made anew by the next run, and rows stay until that is
   * done.
   */
  async #confirmSnapshot(address: BranchAddress, seq: number): Promise<void> {
    const { snapshots, damage } = this.#options;
    try {
      await snapshots.confirm(address, seq);
    } catch (error) {
      if (error instanceof StorageFault) damage.note({ ...address, objectKey: error.objectKey });
      throw error;
    }
  }

  /**
   * Reads back what the store holds in the place of rows, and returns the last operation up to
   * which it is the same; fails when something there is damaged or another thing. /
   */
  async #confirm(
    address: BranchAddress,
    { before, most }: { before: number; most: number },
  ): Promise<number> {
    const { rows, sealed } = this.#options;
    let confirmed = before;
    while (confirmed < most) {
      const [hot, cold] = await Promise.all([
        rows.digests(address, confirmed),
        sealed.storedAfter(address, confirmed),
      ]);
      const start = confirmed;
      for (const [index, segment] of hot.entries()) {
        const stored = cold[index];
        if (stored === undefined || segment.lastSeq > most) break;
        checkSame(address, segment, stored);
        confirmed = segment.lastSeq;
      }
      if (confirmed === start) return confirmed;
    }
    return confirmed;
  }

  async #row(address: BranchAddress): Promise<BranchRow> {
    const row = await this.#options.store.branch(address);
    if (!row) throw new Failure('branchNotFound');
    return row;
  }
}

function checkSame(
  { workbookId, branchNo }: BranchAddress,
  row: SegmentDigest,
  stored: StoredSegment,
): void {
  const isSame =
    row.firstSeq === stored.firstSeq &&
    row.lastSeq === stored.lastSeq &&
    row.previousHash.equals(stored.previousHash) &&
    row.hash.equals(stored.hash) &&
    row.bodyHash.equals(hash('sha256', stored.body, 'buffer'));
  if (isSame) return;
  const objectKey = logKey({ workbookId, branchNo }, row.firstSeq, row.lastSeq);
  const place = `operations ${row.firstSeq} to ${row.lastSeq}`;
  throw new StorageFault(objectKey, `or what covers it holds something else for ${place}`);
}
