import { Pace } from '../../branches/pace.ts';
import type { DamageList } from '../../history/damage.ts';
import { workbookPrefix } from '../../history/keys.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { limitReached } from '../../model/limit-reached.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import { CellCoding } from '../../state/cells/cell-coding.ts';
import type { Objects } from '../../storage/objects.ts';
import type { LogDamage } from '../../tlog/service/damage.ts';
import { BranchCheck, forkFault, type CheckedBranch, type ForkPoint } from './branch-check.ts';
import { rowPlace, VerifyFault, type FoundFault } from './fault.ts';
import { addCounts, nothingLogged, type LogCounts, type LogEvidence } from './log-check.ts';
import { CheckedPacks } from './packs.ts';
import { SnapshotCheck } from './snapshot-check.ts';
import type { StoredBranch, VerifyTable } from './sql.ts';
import { StoredObjects } from './stored-objects.ts';

export interface VerifierParts {
  readonly table: Pick<VerifyTable, 'read' | 'hotSegments'>;
  readonly objects: Pick<Objects, 'get' | 'list' | 'check'>;
  readonly formulas: FormulaService;
  readonly environment: Environment;
  /** List of missing and damaged objects, which are then repaired. */
  readonly damage?: Pick<DamageList, 'note'>;
  /** Left out where there is no transparency log. */
  readonly evidence?: LogEvidence;
}

export interface VerifyRequest {
  readonly workbookId: string;
  /** Branch to verify with those it begins in; all branches if undefined. */
  readonly branch: string | undefined;
  readonly signal?: AbortSignal;
}

export interface VerifiedBranch extends Pick<CheckedBranch, 'checked'> {
  readonly branch: string;
  readonly deleted: boolean;
  readonly head: number;
  /** Hash in hexadecimal, as its row says. */
  readonly hash: string;
  /** Hash of the state by its journal, in hex; null after a fault. */
  readonly stateHash: string | null;
}

export interface Verification {
  readonly branches: readonly VerifiedBranch[];
  readonly packs: number;
  readonly nodes: number;
  /** Objects that nothing names; null unless all branches were looked at. */
  readonly unlisted: number | null;
  readonly logged: LogCounts;
  readonly firstBad: (FoundFault & { readonly branch: string | null }) | null;
}

/** Verifications that run at one time. */
const runningMost = 2;
const nothingChecked = { segments: 0, ops: 0, sealed: 0, snapshots: 0, commits: 0 };

/**
 * Rebuilds workbooks from PostgreSQL and object storage alone, without trust in memory. Concurrent
 * writes are left for the next time.
 */
export class Verifier {
  readonly #parts: VerifierParts;
  readonly #running = new Set<string>();

  constructor(parts: VerifierParts) {
    this.#parts = parts;
  }

  async verify(request: VerifyRequest): Promise<Verification> {
    const { workbookId } = request;
    if (this.#running.size >= runningMost || this.#running.has(workbookId))
      throw busy(this.#running.has(workbookId) ? 1 : runningMost);
    this.#running.add(workbookId);
    try {
      return await new Run(this.#parts, request).verify();
    } finally {
      this.#running.delete(workbookId);
    }
  }
}

function unknownBranch(name: string): Failure {
  return new Failure('branchNotFound', {
    detail: `The workbook has no branch called ${name}.`,
    hint: 'Leave "branch" out to verify all there are.',
  });
}

function busy(most: number): Failure {
  return limitReached('tooManyConcurrent', {
    detail: 'This workbook, or as many others as the service takes, is being verified.',
    hint: 'Send the request again when that is done.',
    quota: { name: 'verifications', most },
    waitSeconds: 5,
  });
}

/** Rows of a branch and all others, read before the check. */
interface Rows {
  readonly branches: readonly StoredBranch[];
  readonly branch: StoredBranch;
}

class Run {
  readonly #parts: VerifierParts;
  readonly #request: VerifyRequest;
  readonly #objects: StoredObjects;
  readonly #packs: CheckedPacks;
  readonly #snapshots: SnapshotCheck;
  readonly #coding: CellCoding;
  readonly #pace: Pace;
  /** Positions that other branches begin at, by branch and operation. */
  readonly #forkPoints = new Map<string, ForkPoint>();

  constructor(parts: VerifierParts, request: VerifyRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#pace = new Pace(parts.environment);
    this.#objects = new StoredObjects(parts.objects, request.workbookId);
    this.#packs = new CheckedPacks(this.#objects, this.#pace);
    this.#snapshots = new SnapshotCheck(this.#objects, this.#packs, this.#pace);
    this.#coding = new CellCoding(parts.formulas);
  }

  async verify(): Promise<Verification> {
    let branches = await this.#read();
    const wanted = this.#wanted(branches);
    const verified: VerifiedBranch[] = [];
    let logged = nothingLogged;
    let firstBad: FoundFault | undefined;
    for (const branchNo of wanted) {
      const { outcome, rows } = await this.#checkTwice(branches, branchNo);
      if (!rows) continue;
      branches = rows.branches;
      const isBad = outcome instanceof VerifyFault;
      if (isBad) firstBad ??= outcome.found;
      else if (outcome) logged = addCounts(logged, outcome.logged);
      verified.push(describe(rows.branch, isBad ? undefined : outcome));
    }
    firstBad ??= await this.#checkLog(branches);
    const { packCount: packs, nodeCount: nodes } = this.#packs;
    const isAll = this.#request.branch === undefined;
    return {
      branches: verified,
      packs,
      nodes,
      logged,
      unlisted: isAll && !firstBad ? this.#unlistedCount(branches) : null,
      firstBad: firstBad ? { branch: nameOf(branches, firstBad.branchNo), ...firstBad } : null,
    };
  }

  /** Checks that no single branch shows: objects of branches that are gone, and the log itself. */
  async #checkLog(branches: readonly StoredBranch[]): Promise<FoundFault | undefined> {
    const lost = this.#lostBranch(branches);
    if (lost) return lost;
    const { evidence } = this.#parts;
    const { workbookId } = this.#request;
    const key = await evidence?.statements.key(workbookId);
    if (!evidence || !key) return undefined;
    const isAll = this.#request.branch === undefined;
    const unstated = isAll ? await evidence.statements.unstated(workbookId, key) : undefined;
    if (unstated) return unstatedFault(unstated);
    const [damage] = await evidence.audit.check(key.tag);
    return damage && damageFault(damage);
  }

  #lostBranch(branches: readonly StoredBranch[]): FoundFault | undefined {
    const known = new Set(branches.map(({ branchNo }) => branchNo));
    for (const place of this.#objects.keys) {
      const [, no = ''] = /^(?:log|snapshot)\/(\d+)\//.exec(place) ?? [];
      const branchNo = Number(no);
      if (no === '' || known.has(branchNo)) continue;
      const hint = `${place} is of a branch that has no row. Restore the row from a backup.`;
      return { branchNo, seq: 0, what: 'missing', where: rowPlace('branch', branchNo), hint };
    }
    return undefined;
  }

  /** Reads the store first, because later objects are in no row yet. */
  async #read(): Promise<readonly StoredBranch[]> {
    await this.#objects.list();
    const branches = await this.#parts.table.read(this.#request.workbookId);
    if (branches.length === 0) throw new Failure('notFound');
    return branches;
  }

  /** Returns branches in the order of their making: each after those it begins in. */
  #wanted(branches: readonly StoredBranch[]): number[] {
    const { branch: name } = this.#request;
    if (name === undefined) return branches.map(({ branchNo }) => branchNo);
    const last = branches.find((branch) => branch.name === name && !branch.isDeleted);
    if (!last) throw unknownBranch(name);
    const parents = new Map(branches.map(({ branchNo, parentNo }) => [branchNo, parentNo]));
    const wanted: number[] = [];
    for (let no: number | null = last.branchNo; no !== null && !wanted.includes(no);) {
      wanted.unshift(no);
      no = parents.get(no) ?? null;
    }
    return wanted;
  }

  /** Checks twice, as rows may be deleted during a read: a fault counts if it is found again. */
  async #checkTwice(before: readonly StoredBranch[], branchNo: number) {
    const found = before.find((branch) => branch.branchNo === branchNo);
    if (!found) return { outcome: undefined, rows: undefined };
    let rows: Rows = { branches: before, branch: found };
    let outcome = await this.#attempt(rows);
    if (outcome instanceof VerifyFault) {
      const branches = await this.#read();
      const branch = branches.find((again) => again.branchNo === branchNo);
      if (!branch) return { outcome: undefined, rows: undefined };
      rows = { branches, branch };
      outcome = await this.#attempt(rows);
      if (outcome instanceof VerifyFault) this.#note(outcome.found);
    }
    return { outcome, rows };
  }

  #note({ branchNo, what, where }: FoundFault): void {
    const isStored = /^(?:log|pack|snapshot)\//.test(where);
    if (!isStored || branchNo === null || (what !== 'missing' && what !== 'damaged')) return;
    const { workbookId } = this.#request;
    const objectKey = workbookPrefix(workbookId) + where;
    this.#parts.damage?.note({ workbookId, branchNo, objectKey });
  }

  async #attempt(rows: Rows): Promise<CheckedBranch | VerifyFault | undefined> {
    try {
      return await this.#check(rows);
    } catch (error) {
      if (error instanceof VerifyFault) return error;
      throw error;
    }
  }

  /** Checks a branch; undefined if its parent has a fault. */
  async #check({ branches, branch }: Rows): Promise<CheckedBranch | undefined> {
    const { branchNo, parentNo, forkSeq } = branch;
    let parent: ForkPoint | undefined;
    if (parentNo !== null && forkSeq !== null) {
      const above = branches.find((other) => other.branchNo === parentNo);
      if (!above || parentNo >= branchNo || forkSeq > above.head) throw forkFault(branch);
      parent = this.#forkPoints.get(pointKey(parentNo, forkSeq));
      if (!parent) return undefined;
    }
    const forkSeqs = branches
      .filter((other) => other.parentNo === branchNo)
      .map((other) => other.forkSeq ?? 0);
    const parts = {
      workbookId: this.#request.workbookId,
      table: this.#parts.table,
      objects: this.#objects,
      snapshots: this.#snapshots,
      coding: this.#coding,
      pace: this.#pace,
      signal: this.#request.signal,
      evidence: this.#parts.evidence,
      readAgain: async () => {
        const now = await this.#parts.table.read(this.#request.workbookId);
        return now.find((one) => one.branchNo === branchNo);
      },
    };
    const checked = await new BranchCheck(branch, parts, { parent, forkSeqs }).check();
    for (const [seq, point] of checked.forkPoints) {
      this.#forkPoints.set(pointKey(branchNo, seq), point);
    }
    return checked;
  }

  #unlistedCount(branches: readonly StoredBranch[]): number {
    const listed = new Set(this.#packs.places);
    for (const { sealed, snapshots } of branches) {
      for (const { objectKey } of [...sealed, ...snapshots]) {
        listed.add(this.#objects.placeOf(objectKey) ?? objectKey);
      }
    }
    return [...this.#objects.keys].filter((key) => !listed.has(key)).length;
  }
}

function unstatedFault({ leafIndex }: { leafIndex: number | null }): FoundFault {
  const where = leafIndex === null ? rowPlace('tlog_pending') : rowPlace('tlog_entry', leafIndex);
  const hint =
    'The log has an entry about this workbook, and nothing is left of what it says: statements, or the end of a journal with them, were deleted. Restore the rows from a backup.';
  return { branchNo: null, seq: 0, what: 'missing', where, hint };
}

function damageFault({ where, what, isRepaired }: LogDamage): FoundFault {
  const hint = isRepaired
    ? 'It was not what the published checkpoint says, and was made anew from the database. Verify again, and look after the object store.'
    : 'It is not what the published checkpoint says. Restore it from a backup.';
  return { branchNo: null, seq: 0, what, where, hint };
}

function pointKey(branchNo: number, seq: number): string {
  return `${branchNo}@${seq}`;
}

function describe(branch: StoredBranch, found: CheckedBranch | undefined): VerifiedBranch {
  const { name, isDeleted, head, headHash } = branch;
  return {
    branch: name,
    deleted: isDeleted,
    head,
    hash: headHash.toString('hex'),
    stateHash: found?.stateHash ?? null,
    checked: found?.checked ?? nothingChecked,
  };
}

function nameOf(branches: readonly StoredBranch[], branchNo: number | null): string | null {
  if (branchNo === null) return null;
  return branches.find((branch) => branch.branchNo === branchNo)?.name ?? '';
}
