import { operationKey, OperationIds } from '../../branches/operation-ids.ts';
import type { JournalRecord } from '../../branches/record.ts';
import { Failure } from '../../model/failure.ts';
import type { Operation } from '../../model/operation.ts';
import { replay } from '../../state/admission.ts';
import { BranchState } from '../../state/branch-state.ts';
import type { CellCoding } from '../../state/cells/cell-coding.ts';
import type { CheckedSegment } from './chain.ts';
import { CommitCheck } from './commit-check.ts';
import { rowPlace, VerifyFault } from './fault.ts';
import { JournalCheck, type JournalParts } from './journal-check.ts';
import {
  LogCheck,
  nothingLogged,
  type LogCheckParts,
  type LogCounts,
  type LogEvidence,
} from './log-check.ts';
import { headFault } from './sealed-parts.ts';
import {
  listedSnapshots,
  snapshotBeyond,
  type ListedSnapshot,
  type SnapshotCheck,
} from './snapshot-check.ts';
import type { StoredBranch } from './sql.ts';
import { StateHashes } from './state-hashes.ts';

export interface BranchCheckParts extends JournalParts {
  readonly snapshots: SnapshotCheck;
  readonly coding: CellCoding;
  readonly signal: AbortSignal | undefined;
  /** The transparency log; undefined where there is none. */
  readonly evidence: LogEvidence | undefined;
  readonly readAgain: LogCheckParts['readAgain'];
}

/** A position that other branches begin at. */
export interface ForkPoint {
  readonly state: BranchState;
  readonly chainHash: Buffer;
}

export interface CheckedBranch {
  readonly stateHash: string;
  readonly checked: {
    readonly segments: number;
    readonly ops: number;
    readonly sealed: number;
    readonly snapshots: number;
    readonly commits: number;
  };
  readonly logged: LogCounts;
  /** Fork points by position. */
  readonly forkPoints: ReadonlyMap<number, ForkPoint>;
}

/** Tolerance of the time at which ids are forgotten, as segments of one minute count as one. */
const slackMilliseconds = 120_000;

/** Rebuilds one branch from stored data, and compares everything stored about it. */
export class BranchCheck {
  readonly #branch: StoredBranch;
  readonly #parts: BranchCheckParts;
  readonly #state: BranchState;
  readonly #journal: JournalCheck;
  readonly #commits: CommitCheck;
  readonly #log: LogCheck | undefined;
  readonly #snapshots: ReadonlyMap<number, ListedSnapshot>;
  readonly #ids = new OperationIds();
  readonly #forkPoints = new Map<number, ForkPoint>();
  readonly #forkSeqs: ReadonlySet<number>;
  /** Positions at which there is something to compare the state with. */
  readonly #stops: ReadonlySet<number>;

  /** `parent` is where the branch begins; `forkSeqs` are positions that others begin at. */
  constructor(
    branch: StoredBranch,
    parts: BranchCheckParts,
    { parent, forkSeqs }: { parent: ForkPoint | undefined; forkSeqs: readonly number[] },
  ) {
    const { branchNo } = branch;
    this.#branch = branch;
    this.#parts = parts;
    this.#state = parent?.state.branchOff(branchNo) ?? new BranchState(branchNo, parts.coding);
    this.#journal = new JournalCheck(branch, parts);
    this.#commits = new CommitCheck(branch);
    const { evidence, workbookId, readAgain } = parts;
    this.#log = evidence && new LogCheck(branch, { workbookId, evidence, readAgain });
    const snapshots = listedSnapshots(parts.workbookId, branch, parts.objects);
    this.#snapshots = new Map(snapshots.map((snapshot) => [snapshot.seq, snapshot]));
    this.#forkSeqs = new Set(forkSeqs);
    const { hashedSeqs } = this.#commits;
    this.#stops = new Set([...this.#snapshots.keys(), ...hashedSeqs, ...forkSeqs]);
    if (parent && !parent.chainHash.equals(branch.baseHash)) throw forkFault(branch);
  }

  async check(): Promise<CheckedBranch> {
    const { pace } = this.#parts;
    await this.#stopAt(0, this.#branch.baseHash);
    await this.#log?.start();
    for await (const segment of this.#journal.segments()) {
      if (this.#parts.signal?.aborted === true) throw abandoned();
      await this.#replay(segment);
      await this.#log?.follow(segment);
    }
    await this.#log?.finish();
    this.#commits.checkRest();
    this.#checkSnapshotSeqs();
    const stateHash = await pace.run(this.#state.stateHash());
    const { segmentCount: segments, sealedCount: sealed } = this.#journal;
    const { size: snapshots } = this.#snapshots;
    const { count: commits } = this.#commits;
    const checked = { segments, ops: this.#state.head, sealed, snapshots, commits };
    const logged = this.#log?.counts ?? nothingLogged;
    return { stateHash, checked, logged, forkPoints: this.#forkPoints };
  }

  async #replay(segment: CheckedSegment): Promise<void> {
    const { pace } = this.#parts;
    for (const [index, record] of segment.records.entries()) {
      const hash = segment.hashes[index];
      if (!hash) throw new Error('a record has no hash');
      this.#checkId(record, segment.where);
      this.#commits.checkRecord(record, hash);
      await this.#apply(record, segment.where);
      await this.#stopAt(record.seq, hash);
      if (pace.isDue) await pace.rest();
    }
    const last = segment.records.at(-1);
    if (last) this.#ids.segmentWritten(last.seq, last.at);
  }

  /** Checks that no operation occurs twice within the window of its id. */
  #checkId({ seq, id, principalId, writer, at }: JournalRecord, where: string): void {
    if (id === null) return;
    this.#ids.forget(at + slackMilliseconds);
    const key = operationKey(principalId, writer, id);
    const first = this.#ids.get(key);
    if (first !== undefined) {
      const hint = `Its id ${id} was written by operation ${first} already.`;
      const { branchNo } = this.#branch;
      throw new VerifyFault({ branchNo, seq, what: 'duplicate_id', where, hint });
    }
    this.#ids.set(key, seq);
  }

  async #apply({ seq, kind, payload, resolved }: JournalRecord, where: string): Promise<void> {
    try {
      // An operation in the journal was valid when it was admitted.
      const operation = { kind, payload } as Operation;
      await this.#parts.pace.run(replay(this.#state, operation, resolved));
    } catch (error) {
      const { branchNo } = this.#branch;
      const why = error instanceof Error ? error.message : String(error);
      const hint = `The operation is as it was written, but cannot be applied: ${why}.`;
      throw new VerifyFault({ branchNo, seq, what: 'unplayable', where, hint });
    }
  }

  async #stopAt(seq: number, chainHash: Buffer): Promise<void> {
    if (!this.#stops.has(seq)) return;
    const state = this.#state;
    if (this.#forkSeqs.has(seq)) this.#forkPoints.set(seq, { state: state.fork(), chainHash });
    const hashes = new StateHashes(state, this.#parts.pace);
    const said = this.#commits.saidState(seq);
    if (said !== undefined) this.#commits.checkState(seq, (await hashes.like(said)).hash);
    const snapshot = this.#snapshots.get(seq);
    if (!snapshot) return;
    const replayed = { state, chainHash, hashes };
    await this.#parts.snapshots.check(this.#branch.branchNo, snapshot, replayed);
  }

  #checkSnapshotSeqs(): void {
    const { branchNo, head } = this.#branch;
    const beyond = snapshotBeyond(this.#branch, this.#parts.objects);
    if (beyond !== undefined) {
      throw headFault(this.#branch, head + 1, `there is a state after it in ${beyond}`);
    }
    for (const { seq, place, entry } of this.#snapshots.values()) {
      if (seq <= head) continue;
      const where = entry ? rowPlace('snapshot', branchNo, seq) : place;
      const hint = `The branch ends at ${head}: delete what says that there is a state after it.`;
      throw new VerifyFault({ branchNo, seq, what: 'wrong_snapshot', where, hint });
    }
  }
}

function abandoned(): Failure {
  return new Failure('unavailable', { detail: 'Nobody waits for the verification any more.' });
}

export function forkFault({ branchNo, parentNo, forkSeq }: StoredBranch): VerifyFault {
  const where = rowPlace('branch', branchNo);
  const hint = `Operation ${forkSeq ?? 0} of branch ${parentNo ?? 0} is not what it begins with. Restore the row from a backup.`;
  return new VerifyFault({ branchNo, seq: 0, what: 'wrong_fork', where, hint });
}
