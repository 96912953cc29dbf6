import { LRUCache } from 'lru-cache';

import { boundedTo } from '../model/cache-bounds.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import {
  defaultPolicy,
  policySchema,
  settingsBranch,
  settingsBranchNo,
  type Policy,
} from '../model/policy.ts';
import { isAmong, protectionOf, takesWritesOf, type Actor } from '../model/protection.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import { roleIn } from '../workbooks/workbook.ts';
import type { Branches } from './branches.ts';
import type { BranchAddress } from './journal-store.ts';
import type { JournalRecord } from './record.ts';
import { writtenSeq } from './written-seq.ts';

export interface PolicyVersion {
  /** Sequence on the reserved branch; 0 for the defaults. */
  readonly version: number;
  readonly policy: Policy;
}

export interface PolicyChange {
  readonly policy: Policy;
  /** Version that it was based on; undefined for any. */
  readonly expectVersion: number | undefined;
  readonly byteCount: number;
  /** Id of a request, which makes a repetition harmless. */
  readonly runId?: string | undefined;
}

/** Versions read at a time. */
const pageMost = 500;

const remembered = { count: 50_000, lifeMilliseconds: 5_000 };
const none: PolicyVersion = { version: 0, policy: defaultPolicy };

/** The policies of workbooks and their checks. Each version is an operation of `$settings`. */
export class Policies {
  readonly #branches: Branches;
  /** Policies as of the last commit of this node, and of other nodes a moment ago. */
  readonly #known: LRUCache<string, PolicyVersion>;
  /** Number of commits: a look-up that began before one must not fill the cache. */
  #commitCount = 0;

  constructor(branches: Branches, environment: Environment) {
    this.#branches = branches;
    const clock = { perf: { now: () => environment.elapsed() }, ttlResolution: 0 };
    const { count, lifeMilliseconds: ttl } = remembered;
    this.#known = new LRUCache({ ...boundedTo(count), ttl, ...clock });
    branches.subscribe(({ workbookId, branchNo }) => {
      if (branchNo !== settingsBranchNo) return;
      this.#commitCount++;
      this.#known.delete(workbookId);
    });
  }

  /** Returns the policy as of a moment ago, to check requests. */
  async policyOf(workbookId: string): Promise<Policy> {
    const known = this.#known.get(workbookId);
    if (known) return known.policy;
    const commitCount = this.#commitCount;
    const found = await this.current(workbookId);
    if (commitCount === this.#commitCount) this.#known.set(workbookId, found);
    return found.policy;
  }

  /** Reads the current policy from the journal. */
  async current(workbookId: string): Promise<PolicyVersion> {
    return versionOf(await this.#branches.latest(addressOf(workbookId)));
  }

  /** Replaces the policy; one without change makes no version. */
  async replace(
    workbookId: string,
    { policy, expectVersion, byteCount, runId }: PolicyChange,
    { userId }: Pick<Principal, 'userId'>,
  ): Promise<PolicyVersion> {
    const before = await this.current(workbookId);
    const isStale = expectVersion !== undefined && expectVersion !== before.version;
    if (isStale && !(await this.hasRun(workbookId, runId))) {
      throw staleVersion(before.version, expectVersion);
    }
    if (JSON.stringify(before.policy) === JSON.stringify(policy)) return before;
    const answer = await this.#submit(addressOf(workbookId), {
      principalId: userId,
      writer: userId,
      ops: [{ ...(runId !== undefined && { id: runId }), kind: 'policy.set', payload: { policy } }],
      byteCount,
      expectedHead: expectVersion,
    });
    return { version: writtenSeq(answer), policy };
  }

  /** Returns whether an earlier attempt of a request has written its version. */
  async hasRun(workbookId: string, runId: string | undefined): Promise<boolean> {
    if (runId === undefined) return false;
    const address = addressOf(workbookId);
    for (let after = 0; ;) {
      const { records, next } = await this.#branches.history(address, { after, limit: pageMost });
      if (records.some(({ id }) => id === runId)) return true;
      if (next === null) return false;
      after = next;
    }
  }

  async #submit(
    address: BranchAddress,
    request: Parameters<Branches['submit']>[1],
  ): ReturnType<Branches['submit']> {
    try {
      return await this.#branches.submit(address, request);
    } catch (error) {
      if (!(error instanceof Failure) || error.key !== 'headMoved') throw error;
      const { version } = await this.current(address.workbookId);
      throw staleVersion(version, request.expectedHead ?? version);
    }
  }

  /** Fails unless the principal may write to a branch without a merge. */
  async checkDirectWrite(
    facts: WorkbookFacts,
    branch: string,
    principal: Principal,
  ): Promise<void> {
    const { id } = facts;
    if (branch === settingsBranch) throw reserved(id);
    const protection = protectionOf(await this.policyOf(id), branch);
    if (!protection || takesWritesOf(actorIn(facts, principal), protection)) return;
    throw new Failure('policy', {
      detail: `The branch ${branch} takes no direct writes: the policy protects ${protection.pattern}.`,
      hint: `Write to a branch of your own, then merge it: POST /v1/workbooks/${id}/branches, POST /v1/workbooks/${id}/merges {"source","target":"${branch}"}.`,
    });
  }

  /** Protects a branch by an entry of the policy, unless one prevents direct writes already. */
  async protect(
    workbookId: string,
    branch: string,
    principal: Pick<Principal, 'userId'>,
  ): Promise<void> {
    const { policy: before, version } = await this.current(workbookId);
    if (protectionOf(before, branch)?.directWrites === 'deny') return;
    // The first matching entry counts.
    const protectedBranches = [{ pattern: branch }, ...before.protectedBranches];
    const read = policySchema.safeParse({ ...before, protectedBranches });
    if (!read.success) throw tooManyProtections(workbookId);
    const policy = read.data;
    const { length: byteCount } = JSON.stringify(policy);
    await this.replace(workbookId, { policy, expectVersion: version, byteCount }, principal);
  }

  /** Fails for the reserved branch, which only the settings write to. */
  checkReserved({ id }: WorkbookFacts, branch: string): void {
    if (branch === settingsBranch) throw reserved(id);
  }

  /** Fails for a merge that is squashed, or not, against the policy. */
  checkSquash({ merge }: Policy, isSquashed: boolean): void {
    const isRefused = isSquashed ? merge.squash === 'forbidden' : merge.squash === 'required';
    if (!isRefused) return;
    throw new Failure('policy', {
      detail: `The policy of the workbook says that squashing is ${merge.squash}.`,
      hint: `Send "squash": ${String(!isSquashed)}.`,
    });
  }

  /** Returns the most branches of the workbook. */
  async branchesMost(workbookId: string): Promise<number> {
    return (await this.policyOf(workbookId)).branch.maxBranches;
  }

  async tooManyBranches(workbookId: string): Promise<Failure> {
    const most = await this.branchesMost(workbookId);
    return new Failure('policy', {
      detail: `The workbook has as many branches as its policy allows: ${most}.`,
      hint: `Delete a branch first, or raise branch.maxBranches: PUT /v1/workbooks/${workbookId}/settings.`,
    });
  }

  async checkBranchDeletion(
    facts: WorkbookFacts,
    branch: string,
    principal: Principal,
  ): Promise<void> {
    const { id } = facts;
    if (branch === settingsBranch) throw reserved(id);
    const protection = protectionOf(await this.policyOf(id), branch);
    if (!protection || protection.allowDelete) return;
    if (isAmong(protection.bypass, actorIn(facts, principal))) return;
    throw new Failure('policy', {
      detail: `The branch ${branch} cannot be deleted: the policy protects ${protection.pattern}.`,
      hint: `Set allowDelete for it first: PUT /v1/workbooks/${id}/settings.`,
    });
  }

  forget(workbookId: string): void {
    this.#known.delete(workbookId);
  }
}

function addressOf(workbookId: string): BranchAddress {
  return { workbookId, branchNo: settingsBranchNo };
}

/** Reads a version; members that are newer than the operation get their defaults. */
function versionOf(record: JournalRecord | undefined): PolicyVersion {
  if (!record) return none;
  const { policy } = record.payload as { policy: unknown };
  return { version: record.seq, policy: policySchema.parse(policy) };
}

/** Returns the role of a principal in a workbook, as policies use it. */
export function actorIn(facts: WorkbookFacts, { userId }: Principal): Actor {
  return { userId, role: roleIn(facts, userId) };
}

function reserved(workbookId: string): Failure {
  return new Failure('branchReserved', {
    detail: `The branch ${settingsBranch} holds the policy of the workbook.`,
    hint: `PUT /v1/workbooks/${workbookId}/settings {"policy","expectVersion"} writes to it.`,
  });
}

function tooManyProtections(workbookId: string): Failure {
  return new Failure('policy', {
    detail: 'The policy has as many entries in protectedBranches as it may have.',
    hint: `Protect several branches by one pattern: PUT /v1/workbooks/${workbookId}/settings.`,
  });
}

function staleVersion(version: number, expected: number): Failure {
  return new Failure('staleVersion', {
    detail: `The settings have version ${version}, and expectVersion says ${expected}.`,
    hint: 'GET the settings, decide anew, and send their version as expectVersion.',
    extra: { version },
  });
}
