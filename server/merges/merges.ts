import type { Branches } from '../branches/branches.ts';
import type { Place } from '../branches/place.ts';
import type { Policies } from '../branches/policies.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { Policy } from '../model/policy.ts';
import type { Positions, Preview } from '../values/positions.ts';
import { archivedMeanwhile, type WorkbookFacts } from '../workbooks/registry.ts';
import { BranchNames } from './branch-names.ts';
import { MergeComputer, mergeInput, type ComputerOptions } from './merge-computer.ts';
import type { EffectParts } from './findings/effects.ts';
import type { Findings } from './findings/findings.ts';
import { sourceOf, targetOf } from './source-and-target.ts';
import { Graph } from './graph.ts';
import { closed, mergeNotFound, notApplied, nothingToMerge } from './merge-failures.ts';
import type { MergeRecord } from './merge-record.ts';
import { MergeRecords } from './merge-records.ts';
import type { Look, OpenLook, Waiting } from './look.ts';
import { MergeOutcomes } from './outcomes.ts';
import { newMerge, sameEachTry, untriedRecord } from './proposal.ts';
import type { ProposalRequest, ProposalWishes } from './proposal.ts';
import { carryDeferred, hasDeferred, type DeferralParts } from './units/deferral.ts';
import { unpackChoices, withoutRepeated } from './stored-choices.ts';
import { UnitChanges } from './units/unit-changes.ts';
import type { MergeTable } from './sql.ts';

export interface MergeParts {
  readonly table: MergeTable;
  readonly branches: Branches;
  readonly journal: ComputerOptions['journal'];
  readonly policies: Policies;
  readonly forks: DeferralParts['forks'];
  readonly models: EffectParts['models'];
  readonly positions: Pick<Positions, 'keep'>;
  readonly environment: Environment;
  readonly mergePool: ComputerOptions['mergePool'];
}

/** The target position of a merge, and the place of the merged state. */
export interface MergeEffect {
  readonly from: Place;
  readonly to: Place;
}

interface Following extends Waiting {
  /** Tells when a merge is computed again whose branches moved on. */
  readonly follows?: 'by policy' | 'always';
}

/** Proposed merges of one branch into another, and their outcomes. */
export class Merges {
  /** The stored merges. */
  readonly records: MergeRecords;
  /** The changes of their sources, by unit. */
  readonly unitChanges: UnitChanges;
  readonly #parts: MergeParts;
  readonly #computer: MergeComputer;
  readonly #outcomes: MergeOutcomes;

  constructor(parts: MergeParts) {
    this.#parts = parts;
    this.records = new MergeRecords(parts);
    this.#computer = new MergeComputer(parts);
    this.unitChanges = new UnitChanges({ ...parts, computer: this.#computer });
    this.#outcomes = new MergeOutcomes({ ...parts, computer: this.#computer });
  }

  /**
   * Proposes a merge; `isTrial` stores nothing. If the comparison takes longer than the wait, the
   * merge is returned without its outcome, and read again later.
   */
  async create(
    { id: workbookId }: WorkbookFacts,
    request: ProposalRequest,
    { principal, isTrial, keyed, ...waiting }: ProposalWishes,
  ): Promise<Look | OpenLook> {
    const { table } = this.#parts;
    const environment = keyed
      ? sameEachTry(this.#parts.environment, keyed)
      : this.#parts.environment;
    const earlier = keyed && (await table.find(workbookId, makeId('mrg_', environment)));
    if (earlier) return this.get(workbookId, earlier.id, waiting);
    const [ends, choices] = await Promise.all([
      this.#endsOf(workbookId, request),
      this.#remembered(workbookId),
    ]);
    const { from, to, graph, names } = ends;
    if (!ends.reverts && graph.hasAll(to, from)) throw nothingToMerge(names, from, to);
    const made = { workbookId, choices, createdBy: principal.userId };
    const merge = newMerge(request, { ...made, ...ends }, environment);
    const found = { record: untriedRecord(merge), names, graph };
    const { signal } = waiting;
    const look = await this.#tried(found, isTrial ? { signal } : waiting);
    signal?.throwIfAborted();
    if (isTrial) return look;
    const record = await table.insert({ ...merge, choices: look.record.choices });
    if (!record) throw archivedMeanwhile(workbookId);
    return { ...look, record };
  }

  async #endsOf(workbookId: string, { source = '', target, revertOf }: ProposalRequest) {
    if (revertOf !== undefined) {
      const found = await this.#graph(workbookId);
      return { ...found, ...(await this.#reverted(workbookId, revertOf, found.names)) };
    }
    // The reference is read before the branches, because it may name a new one.
    const from = await sourceOf(workbookId, source, this.#parts.branches);
    const found = await this.#graph(workbookId);
    return { ...found, from, to: targetOf(found.names, target), reverts: undefined };
  }

  /** Computes a merge with earlier choices, or without them if they cannot be carried out. */
  async #tried(found: Omit<Look, 'policy'>, waiting: Waiting): Promise<Look | OpenLook> {
    const look = await this.#opened(found, waiting);
    if (!('outcome' in look) || !look.outcome.refusal) return look;
    const record = { ...found.record, choices: new Map() };
    return this.#opened({ ...found, record }, waiting);
  }

  /** Returns an open merge with its outcome, or without if that takes longer than the wait. */
  async #opened(found: Omit<Look, 'policy'>, waiting?: Waiting): Promise<Look | OpenLook> {
    return (await this.#outcomes.of(found, waiting)) ?? this.#closed(found);
  }

  /**
   * Reads a merge; fails with `merge_not_found`. An open one is without its outcome if that takes
   * longer than the wait, which has no end by default. One that was proposed without a wait has
   * choices of earlier merges until it is known that they cannot be carried out in it.
   */
  async get(workbookId: string, id: string, waiting?: Waiting): Promise<Look | OpenLook> {
    const look = await this.#current(await this.#found(workbookId, id), waiting);
    const { record, names, graph } = look;
    const isUntouched = record.timeline.every(({ event }) => event === 'created');
    if (!isUntouched || !('outcome' in look) || !look.outcome.refusal) return look;
    return this.#current(
      { record: await this.records.forgetChoices(record), names, graph },
      waiting,
    );
  }

  /** Reads an open merge without its outcome, which may not be computable. Fails as `open` does. */
  async find(workbookId: string, id: string): Promise<Omit<Look, 'policy'>> {
    const found = await this.#found(workbookId, id);
    const [look = found] = await this.#settled(workbookId, [found]);
    if (look.record.state === 'open') return look;
    throw await this.records.refusal(look.record);
  }

  /**
   * Reads an open merge; fails with `merge_closed` for one that is applied or aborted, and with
   * `workbook_archived` where it was aborted by that.
   */
  async open(workbookId: string, id: string): Promise<OpenLook> {
    const look = await this.get(workbookId, id);
    if ('outcome' in look) return look;
    throw await this.records.refusal(look.record);
  }

  /** Returns an applied merge with its outcome, if its branches still exist. */
  async decided(workbookId: string, id: string, waiting?: Waiting): Promise<Look | OpenLook> {
    const look = await this.get(workbookId, id, waiting);
    const { record, names, graph } = look;
    const { result, sourceNo, targetNo } = record;
    if ('outcome' in look || !result) return look;
    if (!names.isThere(sourceNo) || !names.isThere(targetNo)) return look;
    // The merge was decided at the position before it.
    const before = { ...record, targetSeq: result.seq - 1 };
    return this.#opened({ record: before, names, graph }, waiting);
  }

  /** Returns the state that a merge makes, or made, of its target. */
  async effectOf(workbookId: string, id: string, waiting?: Waiting): Promise<MergeEffect> {
    const look = await this.get(workbookId, id, waiting);
    if ('outcome' in look) {
      const preview = this.#previewOf(look);
      return { from: preview.onto, to: this.#parts.positions.keep(workbookId, id, preview) };
    }
    const { result } = look.record;
    if (!result) throw closed(look.record);
    return { from: targetAt(look, result.seq - 1), to: targetAt(look, result.seq) };
  }

  /** Returns the outcome of an open merge; undefined if none has the id. */
  async previewOf(workbookId: string, id: string): Promise<Preview | undefined> {
    const record = await this.#parts.table.find(workbookId, id);
    if (record?.state !== 'open') return undefined;
    const look = await this.get(workbookId, id);
    return 'outcome' in look ? this.#previewOf(look) : undefined;
  }

  #previewOf(look: OpenLook): Preview {
    const { merged: state, stateHash } = look.outcome;
    const onto = targetAt(look, look.record.targetSeq);
    return { state, stateHash, onto, at: this.#parts.environment.now() };
  }

  async list(
    workbookId: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ total: number; looks: readonly Omit<Look, 'policy'>[] }> {
    const { table } = this.#parts;
    const [records, total, { graph, names }] = await Promise.all([
      table.list(workbookId, page),
      table.count(workbookId),
      this.#graph(workbookId),
    ]);
    const found = records.map((record) => ({ record, names, graph }));
    const looks = await this.#settled(workbookId, found);
    const applied = looks.flatMap(({ record: { id, state } }) => (state === 'merged' ? [id] : []));
    const logged = await table.loggedAmong(workbookId, applied);
    return { total, looks: looks.map((look) => ({ ...look, logged: logged.get(look.record.id) })) };
  }

  /** Returns merges after recording those that ended: applied, without a branch, or expired. */
  async #settled(
    workbookId: string,
    looks: readonly Omit<Look, 'policy'>[],
  ): Promise<readonly Omit<Look, 'policy'>[]> {
    const open = looks.flatMap(({ record: { id, state } }) => (state === 'open' ? [id] : []));
    if (open.length === 0) return looks;
    const [applied, { merge: policy }] = await Promise.all([
      this.#parts.table.appliedAmong(workbookId, open),
      this.#parts.policies.policyOf(workbookId),
    ]);
    return Promise.all(
      looks.map(async (look) => {
        if (look.record.state !== 'open') return look;
        const record = await this.#settledRecord(look, policy, applied.get(look.record.id));
        return { ...look, record };
      }),
    );
  }

  /** Puts the deferred changes of a merge, applied by operation `seq`, on a new branch. */
  async defer(look: Look, seq: number, userId: string): Promise<void> {
    if (!hasDeferred(look.record)) return;
    const { record, names, policy } = look;
    const applied = { record, names, input: mergeInput(look, policy), seq };
    await carryDeferred(applied, userId, { ...this.#parts, computer: this.#computer });
  }

  /** Computes a merge again if the policy left it where it was while its branches moved on. */
  async refreshed({ record, names, graph }: OpenLook): Promise<OpenLook> {
    const look = await this.#current({ record, names, graph }, { follows: 'always' });
    if ('outcome' in look) return look;
    throw await this.records.refusal(look.record);
  }

  /** Computes a merge again from the current heads of its branches, regardless of the policy. */
  async again({ record: { workbookId, id } }: OpenLook): Promise<Look | OpenLook> {
    return this.#current(await this.#found(workbookId, id), { follows: 'always' });
  }

  /** Returns a changed merge with its outcome. */
  look({ names, graph }: Omit<Look, 'policy'>, record: MergeRecord): Promise<Look | OpenLook> {
    return this.#current({ record, names, graph });
  }

  /** Returns the findings; undefined if they take longer than the wait. */
  soon({ findings }: OpenLook, waitSeconds: number): Promise<Findings | undefined> {
    const { environment } = this.#parts;
    return new Promise((resolve, reject) => {
      const stopWaiting = environment.after(waitSeconds * 1000, () => {
        resolve(undefined);
      });
      findings.then(resolve, reject).finally(stopWaiting);
    });
  }

  async #found(workbookId: string, id: string): Promise<Omit<Look, 'policy'>> {
    const record = await this.#parts.table.find(workbookId, id);
    if (!record) throw mergeNotFound(workbookId, id);
    return { record, ...(await this.#graph(workbookId)) };
  }

  async #graph(workbookId: string): Promise<{ graph: Graph; names: BranchNames }> {
    const { table } = this.#parts;
    const [branches, applied] = await Promise.all([
      table.branches(workbookId),
      table.applied(workbookId),
    ]);
    return { graph: new Graph(branches, applied), names: new BranchNames(branches) };
  }

  /** Finds source and target of a revert: the source is the target before the merge. */
  async #reverted(workbookId: string, mergeId: string, names: BranchNames) {
    const { record } = await this.get(workbookId, mergeId);
    const { result, targetNo: no } = record;
    if (!result) throw notApplied(record);
    const to = targetOf(names, names.nameOf(no));
    const from = { no, seq: result.seq - 1, isPinned: true };
    return { from, to, reverts: { mergeId, seq: result.seq } };
  }

  /**
   * Reads earlier choices of the workbook; each applies to a conflict with the same three sides.
   */
  async #remembered(workbookId: string): Promise<MergeRecord['choices']> {
    const earlier = await this.#parts.table.latestChoices(workbookId, rememberedMerges);
    const choices = [...unpackChoices(withoutRepeated(earlier))];
    // Inputs that were written into one merge do not belong into another.
    return new Map(choices.filter(([, { choice, place }]) => !place || typeof choice !== 'object'));
  }

  /** Updates a merge to what its branches are now, as the policy says. */
  async #current(
    found: Omit<Look, 'policy'>,
    { follows = 'by policy', ...waiting }: Following = {},
  ): Promise<Look | OpenLook> {
    if (found.record.state !== 'open') return this.#closed(found);
    const { merge: policy } = await this.#parts.policies.policyOf(found.record.workbookId);
    const appliedAt = await this.#parts.table.appliedAs(found.record);
    const record = await this.#settledRecord(found, policy, appliedAt);
    if (record.state !== 'open') return this.#closed({ ...found, record });
    const { names } = found;
    const { sourceNo, sourcePinned, targetNo } = record;
    const sourceSeq = sourcePinned ? record.sourceSeq : names.headOf(sourceNo);
    const targetSeq = names.headOf(targetNo);
    const hasMoved = sourceSeq !== record.sourceSeq || targetSeq !== record.targetSeq;
    if (!hasMoved) return this.#opened(found, waiting);
    if (!policy.autoRefresh && follows !== 'always') {
      return { ...(await this.#opened(found, waiting)), isOutdated: true };
    }
    const detail = `${names.nameOf(sourceNo)}@${sourceSeq} into ${names.nameOf(targetNo)}@${targetSeq}`;
    const change = { sourceSeq, targetSeq };
    const entry = { actor: 'quire', event: 'refreshed', detail } as const;
    const refreshed = await this.records.tryChange(record, change, entry);
    return this.#opened({ ...found, record: refreshed }, waiting);
  }

  /**
   * Returns a merge after recording its end, if there is one: it was applied, a branch is gone, or
   * it expired.
   */
  async #settledRecord(
    found: Omit<Look, 'policy'>,
    { maxOpenDays }: Policy['merge'],
    appliedAt: number | undefined,
  ): Promise<MergeRecord> {
    const { record, names } = found;
    if (appliedAt !== undefined) return this.#noteApplied(found, appliedAt);
    const openDays = (this.#parts.environment.now() - record.createdAt.getTime()) / dayMilliseconds;
    const isThere = names.isThere(record.sourceNo) && names.isThere(record.targetNo);
    if (isThere && openDays <= maxOpenDays) return record;
    const detail = isThere ? `open for more than ${maxOpenDays} days` : 'a branch was deleted';
    const entry = { actor: 'quire', event: 'aborted', detail } as const;
    return this.records.tryChange(record, { state: 'aborted' }, entry);
  }

  async #closed(found: Omit<Look, 'policy'>): Promise<Look> {
    const { workbookId, id } = found.record;
    const policy = await this.#parts.policies.policyOf(workbookId);
    const logged = await this.#parts.table.loggedAmong(workbookId, [id]);
    return { ...found, policy, logged: logged.get(id) };
  }

  /** Records that a merge was applied, if its process died right after writing the journal. */
  async #noteApplied(found: Omit<Look, 'policy'>, seq: number): Promise<MergeRecord> {
    const { branches, table, environment } = this.#parts;
    const { record } = found;
    const { workbookId, id, revision, targetNo } = record;
    const address = { workbookId, branchNo: targetNo };
    const { records } = await branches.history(address, { after: seq - 1, limit: 1 });
    const payload = records[0]?.payload as { stateHash: string; vector: Record<string, number> };
    const { stateHash, vector } = payload;
    await this.defer(await this.#closed(found), seq, records[0]?.principalId ?? record.createdBy);
    const entry = { at: records[0]?.at ?? environment.now(), event: 'applied' } as const;
    const timeline = [...record.timeline, { ...entry, actor: records[0]?.principalId ?? 'quire' }];
    const result = { seq, stateHash, vector };
    const change = { workbookId, id, revision, state: 'merged', timeline, result } as const;
    return (await table.update(change)) ?? { ...record, state: 'merged', timeline, result };
  }
}

function targetAt({ record, names }: Pick<Look, 'record' | 'names'>, seq: number): Place {
  const { workbookId, targetNo: branchNo } = record;
  return { address: { workbookId, branchNo }, branch: names.nameOf(branchNo), seq, isPinned: true };
}

const dayMilliseconds = 86_400_000;
/** Number of latest merges whose choices are taken over. */
const rememberedMerges = 20;
