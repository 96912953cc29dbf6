import { Failure } from '../model/failure.ts';
import type { BranchAddress, JournalStore } from './journal-store.ts';
import type { JournalRecord } from './record.ts';
import { endedEarly } from './replay.ts';
import { recordsWithin } from './segment.ts';

/** Bytes of journal after which a page ends. */
const pageBytes = 4 << 20;

export interface HistoryPage {
  readonly records: readonly JournalRecord[];
  readonly head: number;
  /** The `after` or `before` of the next page; null at the end. */
  readonly next: number | null;
}

/** Reads the last operation of a branch; undefined before the first. */
export async function readLatest(
  store: JournalStore,
  address: BranchAddress,
): Promise<JournalRecord | undefined> {
  const branch = await store.branch(address);
  if (!branch) throw new Failure('branchNotFound');
  if (branch.head === 0) return undefined;
  const { records } = await readHistory(store, address, { after: branch.head - 1, limit: 1 });
  return records[0];
}

/** Reads operations from the journal itself, so that all are durable. */
export async function readHistory(
  store: JournalStore,
  address: BranchAddress,
  { after, limit }: { after: number; limit: number },
): Promise<HistoryPage> {
  const records: JournalRecord[] = [];
  let last = after;
  let byteCount = 0;
  while (records.length < limit && byteCount < pageBytes) {
    const segments = await store.segments(address, last, after + limit);
    if (segments.length === 0) break;
    for (const segment of segments) {
      const found = recordsWithin(segment, { after: last, through: after + limit });
      records.push(...found);
      last = records.at(-1)?.seq ?? last;
      byteCount += segment.body.length;
      if (records.length >= limit || byteCount >= pageBytes) break;
    }
  }
  // The head is read last, so that it is not older than the operations.
  const head = await headOf(store, address);
  if (records.length === 0) await checkThere(store, address, { after, head });
  return { records, head, next: last < head ? last : null };
}

async function headOf(store: JournalStore, address: BranchAddress): Promise<number> {
  const branch = await store.branch(address);
  if (!branch) throw new Failure('branchNotFound');
  return branch.head;
}

/** Most bytes and operations read for a page of chosen operations. */
const lookedBytes = 16 << 20;
const lookedOperations = 20_000;

export interface PageBefore {
  readonly before: number;
  readonly limit: number;
  /** Test of whether an operation is wanted; all are if left out. */
  readonly isWanted?: ((record: JournalRecord) => boolean) | undefined;
}

/** Reads the operations before one, the newest first; `next` is null at the first operation. */
export async function readHistoryBefore(
  store: JournalStore,
  address: BranchAddress,
  { before, limit, isWanted }: PageBefore,
): Promise<HistoryPage> {
  const head = await headOf(store, address);
  const last = Math.min(head, before - 1);
  const least = isWanted ? Math.max(0, last - lookedOperations) : 0;
  const bytesMost = isWanted ? lookedBytes : pageBytes;
  const records: JournalRecord[] = [];
  let byteCount = 0;
  let end = last;
  let chosenStep = backwardStep;
  while (end > least && records.length < limit && byteCount < bytesMost) {
    const step = isWanted ? chosenStep : Math.min(limit - records.length, backwardStep);
    const stretch = await readStretch(store, address, {
      first: Math.max(0, end - step),
      last: end,
    });
    for (const record of stretch.records.toReversed()) {
      if (records.length === limit) break;
      end = record.seq - 1;
      if (isWanted?.(record) !== false) records.push(record);
    }
    byteCount += stretch.byteCount;
    chosenStep = nextStep(chosenStep, stretch.byteCount);
  }
  return { records, head, next: end > 0 ? end + 1 : null };
}

/** Operations read at once when reading back, so that few large ones are held. */
const backwardStep = 128;
const longestStep = 2_048;
const smallStretchBytes = 1 << 20;

/** Returns the number to read next: more if operations are small, as whole segments are read. */
function nextStep(step: number, byteCount: number): number {
  return byteCount > smallStretchBytes ? backwardStep : Math.min(2 * step, longestStep);
}

/** Reads all operations from after one to another. */
async function readStretch(
  store: JournalStore,
  address: BranchAddress,
  { first, last }: { first: number; last: number },
): Promise<{ records: JournalRecord[]; byteCount: number }> {
  const records: JournalRecord[] = [];
  let byteCount = 0;
  while ((records.at(-1)?.seq ?? first) < last) {
    const after = records.at(-1)?.seq ?? first;
    const segments = await store.segments(address, after, last);
    if (segments.length === 0) throw await endedEarly({ store }, address, after);
    for (const segment of segments) {
      const found = recordsWithin(segment, {
        after: records.at(-1)?.seq ?? first,
        through: last,
      });
      records.push(...found);
      byteCount += segment.body.length;
    }
  }
  return { records, byteCount };
}

const backwardPages = [128, 1_024, 8_192];

/**
 * Yields operations up to one, the latest first; pages grow, as most callers need only the first.
 */
export async function* readBackwards(
  store: JournalStore,
  address: BranchAddress,
  through: number,
): AsyncGenerator<JournalRecord> {
  let last = through;
  for (let page = 0; last > 0; page++) {
    const limit = Math.min(last, backwardPages[page] ?? backwardPages.at(-1) ?? 1);
    const records: JournalRecord[] = [];
    const first = last - limit;
    for (let after = first; after < last; after = records.at(-1)?.seq ?? last) {
      const found = await readHistory(store, address, { after, limit: last - after });
      if (found.records.length === 0) break;
      records.push(...found.records);
    }
    yield* records.toReversed();
    last = first;
  }
}

/**
 * Fails if an operation is missing: one written during the read is there by now, others are lost.
 */
async function checkThere(
  store: JournalStore,
  address: BranchAddress,
  { after, head }: { after: number; head: number },
): Promise<void> {
  if (after >= head) return;
  const segments = await store.segments(address, after, after + 1);
  if (segments.length === 0) throw await endedEarly({ store }, address, after);
}
