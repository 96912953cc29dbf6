import type { Environment } from '../model/environment.ts';
import type { BranchAddress, JournalStore } from './journal-store.ts';
import { placeOfId } from './keyed-id.ts';
import type { LiveBranch } from './live-branch.ts';
import { operationKey } from './operation-ids.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import { Pace } from './pace.ts';
import type { JournalRecord } from './record.ts';
import { endedEarly } from './replay.ts';
import { readSegment } from './segment.ts';

/**
 * Reads the operation ids from before the start of a live branch, so that a repetition is
 * recognized however long the branch was not in memory. Only the first submission with ids after
 * that waits.
 */
export async function fillIds(
  live: LiveBranch,
  address: BranchAddress,
  { store, environment }: { store: JournalStore; environment: Environment },
): Promise<void> {
  const pace = new Pace(environment);
  const oldest = environment.now() - limits.idempotencyMilliseconds;
  let after = 0;
  while (after < live.startSeq) {
    const segments = await store.segments(address, after);
    if (segments.length === 0) throw await endedEarly({ store }, address, after);
    for (const { body, previousHash, lastSeq } of segments) {
      const { records } = readSegment(body, previousHash);
      noteOlder(live, records, oldest);
      after = lastSeq;
      if (pace.isDue) await pace.rest();
    }
  }
  live.hasAllIds = true;
}

/** Notes older ids; an id that is also in the tail was used again there, which counts. */
function noteOlder(live: LiveBranch, records: readonly JournalRecord[], oldest: number): void {
  for (const { id, principalId, writer, seq, at } of records) {
    if (id === null || at < oldest || seq > live.startSeq) continue;
    for (const known of [id, placeOfId(id)]) {
      if (known === undefined) continue;
      const key = operationKey(principalId, writer, known);
      if (live.ids.get(key) === undefined) live.ids.set(key, seq);
    }
  }
}
