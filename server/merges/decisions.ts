import type { Branches } from '../branches/branches.ts';
import { actorIn } from '../branches/policies.ts';
import { Pace } from '../branches/pace.ts';
import type { SubmissionRequest } from '../branches/submission.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Actor } from '../model/policy.ts';
import type { Principal } from '../model/scope.ts';
import type { Origins } from '../diffs/origins.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import { approvalState, approverFault, isMerger, protectionFor, sourceFaults } from './approval.ts';
import { selectConflicts } from './authors.ts';
import { isBlocking, noFindings, type Finding, type Findings } from './findings/findings.ts';
import type { Approval, MergeRecord } from './merge-record.ts';
import { closed, staleRevision } from './merge-failures.ts';
import type { RecordEntry } from './merge-records.ts';
import { type Look, type Merges, type OpenLook } from './merges.ts';
import { checkDone, resolved, type ResolutionRequest } from './resolution.ts';
import { readGroups, unitDependency, type SentGroup } from './units/regrouping.ts';
import type { UnitReport } from './units/report.ts';
import { decidedUnits, isLeftOut } from './units/unit.ts';

export interface DecisionParts {
  readonly merges: Merges;
  readonly branches: Branches;
  readonly environment: Environment;
  readonly origins: Pick<Origins, 'ofCells'>;
}

export interface ApprovalRequest {
  readonly digest?: string | undefined;
  readonly comment?: string | undefined;
  readonly event: Approval['event'];
  /** Null for all of them. */
  readonly units?: readonly string[] | null;
  readonly apply: boolean;
}

interface Who {
  readonly facts: WorkbookFacts;
  readonly id: string;
  readonly principal: Principal;
}

/** What people and agents decide of proposed merges. */
export class Decisions {
  readonly #parts: DecisionParts;

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Settles conflicts; answers how many choices changed. */
  async resolve(
    { facts, id, principal }: Who,
    {
      revision,
      comment,
      refresh,
      ...request
    }: ResolutionRequest & {
      readonly revision?: number | undefined;
      readonly comment?: string | undefined;
      readonly refresh: boolean;
    },
  ): Promise<{ before: OpenLook; look: OpenLook; count: number }> {
    const { environment, origins } = this.#parts;
    const seen = await this.#openAt(revision, facts.id, id);
    const before = refresh ? await this.#parts.merges.refreshed(seen) : seen;
    const author = { by: principal.userId, at: environment.now() };
    const { outcome, record } = before;
    const findings = isAboutFindings(request) ? await before.findings : noFindings;
    const selecting = request.bulk.map(async (one) => {
      const { isMeant } = await selectConflicts(before, one.where, origins);
      return { ...one, isMeant };
    });
    const resolving = { outcome, findings, bulk: await Promise.all(selecting), author };
    const pace = new Pace(environment);
    const { choices, count } = await pace.run(resolved(record.choices, request, resolving));
    if (count === 0) return { before, look: before, count };
    const detail = `${count} ${count === 1 ? 'choice' : 'choices'}${comment ? `: ${comment}` : ''}`;
    const entry = { actor: principal.userId, event: 'resolved', detail } as const;
    return { before, look: await this.#changed(before, { choices }, entry), count };
  }

  /** Notes what somebody thinks of a merge, and applies it once the policy is met. */
  async approve(who: Who, request: ApprovalRequest): Promise<Look | OpenLook> {
    const { facts, id } = who;
    const look = await this.#parts.merges.open(facts.id, id);
    const { digest } = look.outcome;
    if (request.digest !== undefined && request.digest !== `sha256:${digest}`) {
      throw new Failure('digestMismatch', {
        detail: `What the merge would write is sha256:${digest} now.`,
        hint: `GET /v1/workbooks/${facts.id}/merges/${id}, look at its diff, and send its digest.`,
        extra: { digest: `sha256:${digest}` },
      });
    }
    checkUnits(look, request.units ?? []);
    if (request.event === 'approve') {
      await checkReady(look);
      const fault = await this.#approverFault(look, who);
      // Who may apply what others have approved need not approve it too.
      if (fault && request.apply && (await canApply(look, who))) return this.apply(look, who);
      if (fault) throw fault;
    }
    const noted = await this.#note(look, request, who);
    const isMeant = request.event === 'approve' && request.apply;
    return isMeant && (await canApply(noted, who)) ? this.apply(noted, who) : noted;
  }

  /** Says which changes are taken or left together, and what becomes of them. */
  async regroup(
    { facts, id, principal }: Who,
    {
      revision,
      groups: sent,
    }: { readonly revision?: number | undefined; readonly groups: readonly SentGroup[] },
  ): Promise<OpenLook> {
    const { merges } = this.#parts;
    const before = await this.#openAt(revision, facts.id, id);
    const units = readGroups(sent, before.outcome);
    const missing = await merges.missingRequirements(before, units);
    if (missing.length > 0) throw unitDependency(missing);
    const detail = `${units.length} units`;
    const entry = { actor: principal.userId, event: 'regrouped', detail } as const;
    return this.#changed(before, { units }, entry);
  }

  async abort({ facts, id, principal }: Who, reason: string): Promise<Look> {
    const { merges } = this.#parts;
    const found = await merges.find(facts.id, id);
    const entry = { actor: principal.userId, event: 'aborted', detail: reason } as const;
    const record = await merges.records.change(found.record, { state: 'aborted' }, entry);
    return merges.look(found, record);
  }

  /** Writes the merge to its target, all of it or nothing. */
  async apply(look: OpenLook, { facts, principal }: Omit<Who, 'id'>): Promise<Look> {
    const { merges, branches, environment } = this.#parts;
    const { record } = look;
    const address = { workbookId: facts.id, branchNo: record.targetNo };
    await environment.checkpoint?.('merge.begin');
    const request = requestOf(look, principal);
    const { lastSeq } = await branches.submit(address, request).catch((error: unknown) => {
      throw error instanceof Failure && error.key === 'headMoved' ? targetMoved(look) : error;
    });
    if (lastSeq === undefined) throw new Error('a merge was not applied');
    await environment.checkpoint?.('merge.appended');
    const result = { seq: lastSeq, stateHash: look.outcome.stateHash, vector: vectorOf(look) };
    await merges.defer(look, lastSeq, principal.userId);
    await environment.checkpoint?.('merge.deferred');
    const entry = { actor: principal.userId, event: 'applied' } as const;
    const applied = await merges.records.change(look.record, { state: 'merged', result }, entry);
    await environment.checkpoint?.('merge.closed');
    return merges.look(look, applied);
  }

  /** Fails with `stale_revision` where the merge is not at the revision that the client saw. */
  async #openAt(revision: number | undefined, workbookId: string, id: string): Promise<OpenLook> {
    const look = await this.#parts.merges.open(workbookId, id);
    if (revision === undefined || revision === look.record.revision) return look;
    throw staleRevision(look.record, revision);
  }

  /**
   * Fails with `bad_choice` or `cannot_merge`, and keeps nothing, where what it comes to cannot be
   * done, and with `merge_closed` where somebody else closed it meanwhile.
   */
  async #changed(
    before: OpenLook,
    change: Partial<Pick<MergeRecord, 'choices' | 'units'>>,
    entry: RecordEntry,
  ): Promise<OpenLook> {
    const { merges } = this.#parts;
    const tried = await merges.look(before, { ...before.record, ...change });
    if (change.choices && 'outcome' in tried) checkDone(tried.outcome);
    const changed = await merges.records.change(before.record, change, entry);
    const look = await merges.look(before, changed);
    if ('outcome' in look) return look;
    throw closed(look.record);
  }

  async #approverFault(look: OpenLook, { facts, principal }: Who): Promise<Failure | undefined> {
    const { record, outcome } = look;
    const source = { workbookId: facts.id, branchNo: record.sourceNo };
    const last = await this.#parts.branches.latest(source);
    const { createdBy } = record;
    const proposal = { createdBy, lastWriterId: last?.principalId, owned: outcome.owned };
    const actor = actorIn(facts, principal);
    const approver = { ...actor, kind: principal.kind };
    return approverFault(approver, proposal, protectionFor(look, actor));
  }

  async #note(
    look: OpenLook,
    { event, comment, units }: ApprovalRequest,
    { facts, principal }: Who,
  ): Promise<OpenLook> {
    const { merges, environment } = this.#parts;
    const { digest } = look.outcome;
    const { userId, role } = actorIn(facts, principal);
    const said = { ...(comment !== undefined && { comment }), ...(units && { units }) };
    const by = { by: userId, ...(role && { role }) };
    const approval: Approval = { ...by, at: environment.now(), digest, event, ...said };
    const entry = {
      actor: userId,
      event: timelineEvents[event],
      ...(comment && { detail: comment }),
    };
    const record =
      event === 'approve'
        ? await merges.records.approve(look.record, approval, entry)
        : await merges.records.change(
            look.record,
            { approvals: [...look.record.approvals, approval] },
            entry,
          );
    return { ...look, record };
  }
}

const timelineEvents = {
  approve: 'approved',
  request_changes: 'changes_requested',
  comment: 'commented',
} as const;

/** Whether nothing stands against applying a merge; for whom the policy binds, or for one of them. */
export function isApplicable(look: OpenLook, findings: Findings, actor?: Actor): boolean {
  const { record, outcome, isOutdated } = look;
  const isSettled = [...outcome.conflicts.values()].every((conflict) => conflict.isSettled);
  const protection = protectionFor(look, actor);
  const { isSatisfied } = approvalState(record.approvals, protection, outcome);
  const isOpen = findings.list.some(isBlocking) || undecided({ outcome }).length > 0;
  const isReady = sourceFaults(look, protection).length === 0;
  return isSettled && isSatisfied && !isOutdated && !isOpen && isReady;
}

/** Whether somebody may apply a merge as it is now. */
export async function canApply(
  look: OpenLook,
  { facts, principal }: Omit<Who, 'id'>,
): Promise<boolean> {
  const actor = actorIn(facts, principal);
  if (!isMerger(protectionFor(look, actor), actor)) return false;
  return isApplicable(look, await look.findings, actor);
}

/** Fails where somebody looked at units that the merge has not. */
function checkUnits({ outcome, record }: OpenLook, ids: readonly string[]): void {
  const known = new Set(outcome.units.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const { workbookId, id } = record;
  throw new Failure('badUnit', {
    detail: `The merge has no unit ${unknown.join(', ')}.`,
    hint: `GET /v1/workbooks/${workbookId}/merges/${id} has its units.`,
  });
}

/** Fails where something is open that nobody can approve. */
async function checkReady(look: OpenLook): Promise<void> {
  const { record, outcome, isOutdated } = look;
  const open = [...outcome.conflicts.values()].filter(({ isSettled }) => !isSettled);
  if (open.length > 0) throw conflictsOpen(record, open);
  const pending = undecided(look);
  if (pending.length > 0) throw unitsPending(record, pending);
  const blocking = (await look.findings).list.filter(isBlocking);
  if (blocking.length > 0) throw findingsOpen(record, blocking);
  if (isOutdated) throw outdated(look);
}

/** Units that hold something and that nobody has decided on. */
export function undecided({ outcome }: Pick<OpenLook, 'outcome'>): readonly UnitReport[] {
  return outcome.units.filter(({ decision, changes }) => decision === 'pending' && changes > 0);
}

function requestOf(look: OpenLook, { userId }: Principal): SubmissionRequest {
  const { record, outcome, names } = look;
  const { sourceNo, sourceSeq, targetSeq } = record;
  const payload = {
    mid: record.id,
    source: { branch: names.nameOf(sourceNo), no: sourceNo, seq: sourceSeq },
    base: outcome.bases.map(({ no, seq }) => ({ branch: names.nameOf(no), no, seq })),
    vector: vectorOf(look),
    stateHash: outcome.stateHash,
    rejectedUnits: leftOut(record),
    ops: [...outcome.parts],
  };
  return {
    principalId: userId,
    writer: 'merge',
    ops: [{ kind: 'merge', payload }],
    byteCount: JSON.stringify(payload.ops).length,
    expectedHead: targetSeq,
  };
}

function leftOut({ units }: MergeRecord): string[] {
  return [...decidedUnits(units)].flatMap(([id, decision]) => (isLeftOut(decision) ? [id] : []));
}

/** What the target holds once the merge is applied; nothing is told of one that is squashed. */
function vectorOf({ record, graph }: OpenLook): Record<string, number> {
  if (record.request.squash) return {};
  const target = { no: record.targetNo, seq: record.targetSeq };
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  const joined = new Map(graph.joined(target, source)).set(target.no, target.seq + 1);
  return Object.fromEntries([...joined].map(([no, seq]) => [String(no), seq]));
}

function targetMoved({ record, names }: Look): Failure {
  return new Failure('digestMismatch', {
    detail: `The merge was made for ${names.nameOf(record.targetNo)}@${record.targetSeq}, and its branches went on.`,
    hint: `GET /v1/workbooks/${record.workbookId}/merges/${record.id}: it is made anew from their heads.`,
  });
}

function outdated({ record }: Pick<Look, 'record'>): Failure {
  const { workbookId, id } = record;
  return new Failure('digestMismatch', {
    detail: `The branches of the merge ${id} went on, and the policy leaves it where it was.`,
    hint: `POST /v1/workbooks/${workbookId}/merges/${id}/resolve {"refresh": true} makes it anew.`,
  });
}

function unitsPending({ workbookId, id }: MergeRecord, pending: readonly UnitReport[]): Failure {
  return new Failure('unitsPending', {
    detail: `Nobody has decided on ${pending.map((unit) => unit.id).join(', ')}.`,
    hint: `PUT /v1/workbooks/${workbookId}/merges/${id}/units with accept, reject or defer for each.`,
    extra: { units: pending.map((unit) => unit.id) },
  });
}

function isAboutFindings({ resolutions, bulk }: ResolutionRequest): boolean {
  return (
    bulk.some(({ choice }) => choice === 'accept') ||
    resolutions.some(({ id }) => /^[ev]_/u.test(id))
  );
}

function findingsOpen({ workbookId, id }: MergeRecord, blocking: readonly Finding[]): Failure {
  const [first] = blocking;
  return new Failure('conflictsOpen', {
    detail: `The policy blocks ${blocking.length} things that only merging brings about, the first of them ${first?.kind ?? ''} at ${first?.text ?? ''}.`,
    hint: `GET /v1/workbooks/${workbookId}/merges/${id}/conflicts?status=open, then POST …/resolve with one of its choices.`,
    extra: { open: blocking.length, conflicts: blocking.slice(0, 100).map((one) => one.id) },
  });
}

function conflictsOpen(
  { workbookId, id }: MergeRecord,
  open: readonly { readonly id: string; readonly contest: { readonly text: string } }[],
): Failure {
  const listed = open.slice(0, 100).map((conflict) => conflict.id);
  return new Failure('conflictsOpen', {
    detail: `${open.length} conflicts are open, the first of them at ${open[0]?.contest.text ?? ''}.`,
    hint: `GET /v1/workbooks/${workbookId}/merges/${id}/conflicts?status=open, then POST …/resolve.`,
    extra: { open: open.length, conflicts: listed },
  });
}
