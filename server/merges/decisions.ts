import type { Branches } from '../branches/branches.ts';
import { actorIn } from '../branches/policies.ts';
import { Pace } from '../branches/pace.ts';
import type { Turn } from '../branches/turns.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Principal } from '../model/scope.ts';
import type { Origins } from '../diffs/origins.ts';
import type { WorkbookFacts, WorkbookRegistry } from '../workbooks/registry.ts';
import { approverFault, protectionFor } from './approval.ts';
import { selectConflicts } from './authors.ts';
import { isBlocking, noFindings, type Finding } from './findings/findings.ts';
import type { Approval, MergeRecord } from './merge-record.ts';
import { staleRevision } from './merge-failures.ts';
import type { RecordEntry } from './merge-records.ts';
import type { Look, OpenLook } from './look.ts';
import type { Merges } from './merges.ts';
import { requestOf, vectorOf } from './application.ts';
import { TargetMoved, whileMoved } from './moving-target.ts';
import { checkDone, resolved, type ResolutionRequest } from './resolution.ts';
import { canApply, undecided } from './readiness.ts';
import { readGroups, unitDependency, type SentGroup } from './units/regrouping.ts';
import type { UnitReport } from '../state/outcome/units/report.ts';
import type { Grouping } from '../state/outcome/units/unit.ts';
import { writtenSeq } from '../branches/written-seq.ts';

export interface DecisionParts {
  readonly merges: Merges;
  readonly branches: Branches;
  readonly registry: Pick<WorkbookRegistry, 'check'>;
  readonly environment: Environment;
  readonly origins: Pick<Origins, 'ofCells'>;
}

export interface ApprovalRequest {
  readonly digest?: string | undefined;
  readonly comment?: string | undefined;
  readonly event: Approval['event'];
  /** Approved units; null for all. */
  readonly units?: readonly string[] | null;
  readonly apply: boolean;
}

/** Groups of changes, or the rule that makes them; the rule of the proposal if left out. */
interface Regrouping {
  readonly revision?: number | undefined;
  readonly groups?: readonly SentGroup[] | undefined;
  readonly grouping?: Grouping | undefined;
}

interface Who {
  readonly facts: WorkbookFacts;
  readonly id: string;
  readonly principal: Principal;
  /** Key of a request, by which a repetition after a crash has no second effect. */
  readonly run?: string | undefined;
  /** The turn at the target, where other writers wait for it. */
  readonly turn?: Turn | undefined;
}

/** Carries out decisions on proposed merges: choices, approvals, units and applying. */
export class Decisions {
  readonly #parts: DecisionParts;

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** Settles conflicts; returns how many choices changed. */
  async resolve(
    who: Who,
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
    const { facts, id, principal } = who;
    const earlier = await this.#earlier(who);
    if (earlier && 'outcome' in earlier.look) {
      const { look, entry } = earlier;
      return { before: look, look, count: Number.parseInt(entry?.detail ?? '0') };
    }
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
    const entry = { ...actorOf(who), event: 'resolved', detail } as const;
    return { before, look: await this.#changed(before, { choices }, entry), count };
  }

  /** Records an approval or a rejection of a merge; applies it if asked and the policy is met. */
  async approve(who: Who, request: ApprovalRequest): Promise<Look | OpenLook> {
    const earlier = await this.#earlier(who);
    if (earlier) return this.#applyIfMeant(earlier.look, request, who);
    // An approval without a digest is for the outcome at the time it is recorded, whatever is
    // written meanwhile.
    const approveNow = (turn?: Turn) => this.#approveNow({ ...who, turn }, request);
    return request.digest === undefined ? whileMoved(this.#parts, approveNow) : approveNow();
  }

  async #approveNow(who: Who, request: ApprovalRequest): Promise<Look | OpenLook> {
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
      // An actor who may apply an approved merge need not approve it too.
      if (fault && request.apply && (await canApply(look, who))) return this.apply(look, who);
      if (fault) throw fault;
    }
    return this.#applyIfMeant(await this.#note(look, request, who), request, who);
  }

  async #applyIfMeant(
    look: Look | OpenLook,
    { event, apply }: ApprovalRequest,
    who: Who,
  ): Promise<Look | OpenLook> {
    const isMeant = event === 'approve' && apply && 'outcome' in look;
    return isMeant && (await canApply(look, who)) ? this.apply(look, who) : look;
  }

  /** Regroups changes into units, and decides what becomes of each. */
  async regroup(
    who: Who,
    { revision, groups: sent = [], grouping }: Regrouping,
  ): Promise<OpenLook> {
    const { merges } = this.#parts;
    const earlier = await this.#earlier(who);
    if (earlier && 'outcome' in earlier.look) return earlier.look;
    const before = await this.#openAt(revision, who.facts.id, who.id);
    const units = readGroups(sent, before.outcome);
    const missing = await merges.unitChanges.missing(before, units);
    if (missing.length > 0) throw unitDependency(missing);
    const detail =
      units.length === 0
        ? `by ${grouping ?? before.record.request.grouping ?? 'auto'}`
        : `${units.length} units`;
    const entry = { ...actorOf(who), event: 'regrouped', detail } as const;
    const { request } = before.record;
    const change = grouping ? { units, request: { ...request, grouping } } : { units };
    return this.#changed(before, change, entry);
  }

  async abort(who: Who, reason: string): Promise<Look> {
    const { merges } = this.#parts;
    const earlier = await this.#earlier(who);
    if (earlier) return earlier.look;
    const found = await merges.find(who.facts.id, who.id);
    const entry = { ...actorOf(who), event: 'aborted', detail: reason } as const;
    const record = await merges.records.change(found.record, { state: 'aborted' }, entry);
    return merges.look(found, record);
  }

  /**
   * Applies a merge that is ready. If others write to the target meanwhile, computes it again and
   * retries; a merge that has conflicts by then stays open. Fails with `digest_mismatch` if it
   * takes so long that others are not kept waiting for it.
   */
  async applyReady(ready: OpenLook, who: Omit<Who, 'id'>): Promise<Look | OpenLook> {
    let look: Look | OpenLook = ready;
    let isFirst = true;
    return whileMoved(this.#parts, async (turn) => {
      if (!isFirst && 'outcome' in look) look = await this.#parts.merges.again(look);
      isFirst = false;
      if (!('outcome' in look) || !(await canApply(look, who))) return look;
      return this.apply(look, { ...who, turn });
    });
  }

  /** Writes the merge to its target, atomically. */
  async apply(look: OpenLook, { facts, principal, run, turn }: Omit<Who, 'id'>): Promise<Look> {
    const { merges, branches, registry, environment } = this.#parts;
    const { record } = look;
    const address = { workbookId: facts.id, branchNo: record.targetNo };
    await environment.checkpoint?.('merge.begin');
    // A right may have ended while both sides were compared.
    await registry.check(facts.id, 'approve', principal);
    const request = requestOf(look, principal, run);
    const answer = await branches.submit(address, request, turn).catch((error: unknown) => {
      throw error instanceof Failure && error.key === 'headMoved' ? new TargetMoved(look) : error;
    });
    const seq = writtenSeq(answer);
    await environment.checkpoint?.('merge.appended');
    const result = { seq, stateHash: look.outcome.stateHash, vector: vectorOf(look) };
    await merges.defer(look, seq, principal.userId);
    await environment.checkpoint?.('merge.deferred');
    const entry = { actor: principal.userId, event: 'applied' } as const;
    // A concurrent reader may have recorded the same already.
    const applied = await merges.records.tryChange(look.record, { state: 'merged', result }, entry);
    await environment.checkpoint?.('merge.closed');
    if (applied.state === 'merged') return merges.look(look, applied);
    return merges.get(facts.id, record.id);
  }

  /** Finds the effect of an earlier attempt of the same request, and the current merge. */
  async #earlier({ facts, id, run }: Who) {
    if (run === undefined) return undefined;
    const { merges, branches } = this.#parts;
    const look = await merges.get(facts.id, id);
    const { timeline, result, targetNo } = look.record;
    const entry = timeline.find((one) => one.run === run);
    if (entry) return { look, entry };
    if (!result) return undefined;
    const address = { workbookId: facts.id, branchNo: targetNo };
    const { records } = await branches.history(address, { after: result.seq - 1, limit: 1 });
    return records[0]?.id === run ? { look, entry: timeline.at(-1) } : undefined;
  }

  /**
   * Opens a merge; fails with `stale_revision` if it is not at the revision that the client saw.
   */
  async #openAt(revision: number | undefined, workbookId: string, id: string): Promise<OpenLook> {
    const look = await this.#parts.merges.open(workbookId, id);
    if (revision === undefined || revision === look.record.revision) return look;
    throw staleRevision(look.record, revision);
  }

  /**
   * Changes a merge. Fails without change: with `bad_choice` or `cannot_merge` if the outcome
   * cannot be computed, and with `merge_closed` if it was closed meanwhile.
   */
  async #changed(
    before: OpenLook,
    change: Partial<Pick<MergeRecord, 'choices' | 'units' | 'request'>>,
    entry: RecordEntry,
  ): Promise<OpenLook> {
    const { merges } = this.#parts;
    const tried = await merges.look(before, { ...before.record, ...change });
    if (change.choices && 'outcome' in tried) checkDone(tried.outcome);
    const changed = await merges.records.change(before.record, change, entry);
    const look = await merges.look(before, changed);
    if ('outcome' in look) return look;
    throw await merges.records.refusal(look.record);
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
    who: Who,
  ): Promise<OpenLook> {
    const { merges, registry, environment } = this.#parts;
    await registry.check(who.facts.id, 'approve', who.principal);
    const { digest } = look.outcome;
    const { userId, role } = actorIn(who.facts, who.principal);
    const said = { ...(comment !== undefined && { comment }), ...(units && { units }) };
    const by = { by: userId, ...(role && { role }) };
    const approval: Approval = { ...by, at: environment.now(), digest, event, ...said };
    const told = { ...actorOf(who), ...(comment && { detail: comment }) };
    const entry = { ...told, event: timelineEvents[event] };
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

function actorOf({ principal, run }: Who) {
  return { actor: principal.userId, ...(run !== undefined && { run }) };
}

const timelineEvents = {
  approve: 'approved',
  request_changes: 'changes_requested',
  comment: 'commented',
} as const;

/** Fails if the merge has no unit with one of the ids. */
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

/** Fails if something is open that no approval settles. */
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
