import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Operation } from '../model/operation.ts';
import { replay } from '../state/admission.ts';
import type { BranchAddress, JournalStore, StoredSegment } from './journal-store.ts';
import type { LiveBranch } from './live-branch.ts';
import { Pace } from './pace.ts';
import type { JournalRecord } from './record.ts';
import { readSegment } from './segment.ts';

/** Failure of a journal that differs from what was written and must not be used. */
export class JournalFault extends Failure {
  constructor({ workbookId, branchNo }: BranchAddress, what: string) {
    super('storageDamaged', {
      detail: `The journal of branch ${branchNo} of ${workbookId} is damaged: ${what}.`,
      hint: `POST /v1/workbooks/${workbookId}/verify names the place and says what mends it.`,
    });
    this.name = 'JournalFault';
  }
}

export interface ReplayOptions {
  readonly store: JournalStore;
  readonly environment: Environment;
  /** Last operation to apply; the head if left out. */
  readonly through?: number;
}

/** Operations in a step, after which the state may be kept. */
const stepOperations = 256;

/** Some operations of one segment that were applied to the branch. */
export interface ReplayStep {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly JournalRecord[];
  readonly mutations: readonly Mutation[];
  /** Hash after them. */
  readonly hash: Buffer;
}

/**
 * Applies the journal from the branch's head on, segment by segment, and checks the hash chain.
 * Pauses at intervals, so the journal can have any length.
 */
export async function* replayJournal(
  live: LiveBranch,
  address: BranchAddress,
  options: ReplayOptions,
): AsyncGenerator<ReplayStep, void> {
  const { store, environment, through = Infinity } = options;
  const pace = new Pace(environment);
  while (live.state.head < through) {
    const segments = await store.segments(address, live.state.head, throughMost(through));
    if (segments.length === 0) return;
    pace.begin();
    for (const segment of segments) {
      const { records: all, hashes } = checkedRecords({ address, segment }, live, through);
      for (let from = 0; from < all.length; from += stepOperations) {
        const records = all.slice(from, from + stepOperations);
        const firstSeq = live.state.head + 1;
        const mutations = await pace.run(applyRecords(records, live));
        const lastSeq = live.state.head;
        live.hash = hashes.get(lastSeq) ?? live.hash;
        yield { firstSeq, lastSeq, records, mutations, hash: live.hash };
        pace.begin();
      }
      if (live.state.head >= through) return;
    }
  }
}

function throughMost(through: number): number | undefined {
  return through === Infinity ? undefined : through;
}

/**
 * Makes the failure of a journal that ends too early: the branch was purged meanwhile, or something
 * is lost. In either case a part must not be taken for the whole.
 */
export async function endedEarly(
  { store }: Pick<ReplayOptions, 'store'>,
  address: BranchAddress,
  head: number,
): Promise<Error> {
  const branch = await store.branch(address);
  if (!branch) return new Failure('branchNotFound');
  return new JournalFault(address, `the operations after ${head} are missing`);
}

/** Reads the operations of a segment that are not applied yet, with the hash after each. */
function checkedRecords(
  { address, segment }: { address: BranchAddress; segment: StoredSegment },
  live: LiveBranch,
  through: number,
): { records: readonly JournalRecord[]; hashes: ReadonlyMap<number, Buffer> } {
  const { firstSeq, lastSeq } = segment;
  const { head } = live.state;
  if (firstSeq > head + 1 || lastSeq <= head) {
    throw new JournalFault(address, `operation ${head + 1} is missing before ${firstSeq}`);
  }
  const stops = [head, Math.min(through, lastSeq)];
  for (let seq = head + stepOperations; seq < lastSeq; seq += stepOperations) stops.push(seq);
  const hashes = new Map<number, Buffer>([[firstSeq - 1, segment.previousHash]]);
  const { records, recordCount, hash } = readSegment(segment.body, segment.previousHash, {
    firstSeq,
    after: head,
    through,
    stops,
    note: (seq, noted) => hashes.set(seq, noted),
  });
  if (hashes.get(head)?.equals(live.hash) !== true) {
    throw new JournalFault(address, `the hash chain breaks before operation ${head + 1}`);
  }
  if (!hash.equals(segment.hash)) {
    throw new JournalFault(
      address,
      `operations ${firstSeq} to ${lastSeq} are not what was written`,
    );
  }
  const isOrdered = records.every(({ seq }, index) => seq === head + 1 + index);
  if (!isOrdered || recordCount !== lastSeq - firstSeq + 1) {
    throw new JournalFault(address, `operations ${firstSeq} to ${lastSeq} are out of order`);
  }
  return { records, hashes };
}

function* applyRecords(
  records: readonly JournalRecord[],
  live: LiveBranch,
): Generator<void, Mutation[]> {
  const mutations: Mutation[] = [];
  const { dictionary } = live.state.coding;
  let { sheets } = live.state.structure;
  for (const record of records) {
    // An operation in the journal was validated at admission.
    const operation = { kind: record.kind, payload: record.payload } as Operation;
    const done = yield* replay(live.state, operation, record.resolved);
    if (live.state.structure.sheets !== sheets) {
      ({ sheets } = live.state.structure);
      // The key is unique, because a durable operation is never replaced.
      dictionary.nameStructure(live.state.structure, `${live.state.branchNo}@${record.seq}`);
    }
    for (const mutation of done) mutations.push(mutation);
    live.noteId(record);
    yield;
  }
  const last = records.at(-1);
  if (last) live.ids.segmentWritten(last.seq, last.at);
  return mutations;
}
