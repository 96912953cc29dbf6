import type { Branches } from '../branches/branches.ts';
import type { Place } from '../branches/place.ts';
import type { Policies } from '../branches/policies.ts';
import { inTime } from '../model/deadline.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { Positions, Preview } from '../values/positions.ts';
import type { WorkbookFacts } from '../workbooks/registry.ts';
import { EndedMerges } from './ended-merges.ts';
import { MergeComputer, type ComputerOptions } from './merge-computer.ts';
import type { EffectParts } from './findings/effects.ts';
import type { Findings } from './findings/findings.ts';
import { closed } from './merge-failures.ts';
import { MergeFinder } from './merge-finder.ts';
import type { MergeRecord } from './merge-record.ts';
import { MergeRecords } from './merge-records.ts';
import type { FoundMerge, Look, OpenLook, Waiting } from './look.ts';
import { MergeOutcomes } from './outcomes.ts';
import { Proposals } from './proposals.ts';
import { sameEachTry } from './proposal.ts';
import type { ProposalRequest, ProposalWishes } from './proposal.ts';
import type { DeferralParts } from './units/deferral.ts';
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
  readonly #finder: MergeFinder;
  readonly #ended: EndedMerges;
  readonly #outcomes: MergeOutcomes;
  readonly #proposals: Proposals;

  constructor(parts: MergeParts) {
    this.#parts = parts;
    const computer = new MergeComputer(parts);
    const records = new MergeRecords(parts);
    const finder = new MergeFinder(parts);
    const ended = new EndedMerges({ ...parts, computer, records, finder });
    const outcomes = new MergeOutcomes({ ...parts, computer, finder });
    this.records = records;
    this.unitChanges = new UnitChanges({ ...parts, computer });
    this.#finder = finder;
    this.#ended = ended;
    this.#outcomes = outcomes;
    this.#proposals = new Proposals({ ...parts, finder, ended, outcomes });
  }

  /**
   * Proposes a merge, as `Proposals.create` says. A repeated request gets the merge that it made
   * before.
   */
  async create(
    { id: workbookId }: WorkbookFacts,
    request: ProposalRequest,
    wishes: ProposalWishes,
  ): Promise<Look | OpenLook> {
    const { keyed, waitSeconds, signal } = wishes;
    const { table, environment: now } = this.#parts;
    const environment = keyed ? sameEachTry(now, keyed) : now;
    const earlier = keyed && (await table.find(workbookId, makeId('mrg_', environment)));
    if (earlier) return this.get(workbookId, earlier.id, { waitSeconds, signal });
    return this.#proposals.create({ workbookId, request }, wishes, environment);
  }

  /**
   * Reads a merge; fails with `merge_not_found`. An open one is without its outcome if that takes
   * longer than the wait, which has no end by default. One that was proposed without a wait has
   * choices of earlier merges until it is known that they cannot be carried out in it.
   */
  async get(workbookId: string, id: string, waiting?: Waiting): Promise<Look | OpenLook> {
    const look = await this.#current(await this.#finder.find(workbookId, id), waiting);
    const { record, names, graph } = look;
    const isUntouched = record.timeline.every(({ event }) => event === 'created');
    if (!isUntouched || !('outcome' in look) || !look.outcome.refusal) return look;
    return this.#current(
      { record: await this.records.forgetChoices(record), names, graph },
      waiting,
    );
  }

  /** Reads an open merge without its outcome, which may not be computable. Fails as `open` does. */
  async find(workbookId: string, id: string): Promise<FoundMerge> {
    const found = await this.#finder.find(workbookId, id);
    const [look = found] = await this.#ended.noted(workbookId, [found]);
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
    return this.#outcomes.look({ record: before, names, graph }, waiting);
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
  ): Promise<{ total: number; looks: readonly FoundMerge[] }> {
    const { table } = this.#parts;
    const [records, total, { graph, names }] = await Promise.all([
      table.list(workbookId, page),
      table.count(workbookId),
      this.#finder.graph(workbookId),
    ]);
    const found = records.map((record) => ({ record, names, graph }));
    const looks = await this.#ended.noted(workbookId, found);
    const applied = looks.flatMap(({ record: { id, state } }) => (state === 'merged' ? [id] : []));
    const logged = await table.loggedAmong(workbookId, applied);
    return { total, looks: looks.map((look) => ({ ...look, logged: logged.get(look.record.id) })) };
  }

  /** Puts the deferred changes of a merge, applied by operation `seq`, on a new branch. */
  defer(look: Look, seq: number, userId: string): Promise<void> {
    return this.#ended.defer(look, seq, userId);
  }

  /** Computes a merge again if the policy left it where it was while its branches moved on. */
  async refreshed({ record, names, graph }: OpenLook): Promise<OpenLook> {
    const look = await this.#current({ record, names, graph }, { follows: 'always' });
    if ('outcome' in look) return look;
    throw await this.records.refusal(look.record);
  }

  /** Computes a merge again from the current heads of its branches, regardless of the policy. */
  async again({ record: { workbookId, id } }: OpenLook): Promise<Look | OpenLook> {
    return this.#current(await this.#finder.find(workbookId, id), { follows: 'always' });
  }

  /** Returns a changed merge with its outcome. */
  look({ names, graph }: FoundMerge, record: MergeRecord): Promise<Look | OpenLook> {
    return this.#current({ record, names, graph });
  }

  /** Returns the findings; undefined if they take longer than the wait. */
  soon({ findings }: OpenLook, waitSeconds: number): Promise<Findings | undefined> {
    const { environment } = this.#parts;
    return inTime(findings, { environment, milliseconds: waitSeconds * 1000 });
  }

  /** Updates a merge to what its branches are now, as the policy says. */
  async #current(
    found: FoundMerge,
    { follows = 'by policy', ...waiting }: Following = {},
  ): Promise<Look | OpenLook> {
    if (found.record.state !== 'open') return this.#finder.closed(found);
    const { merge: policy } = await this.#parts.policies.policyOf(found.record.workbookId);
    const appliedAt = await this.#parts.table.appliedAs(found.record);
    const record = await this.#ended.note(found, policy, appliedAt);
    if (record.state !== 'open') return this.#finder.closed({ ...found, record });
    const { names } = found;
    const { sourceNo, sourcePinned, targetNo } = record;
    const sourceSeq = sourcePinned ? record.sourceSeq : names.headOf(sourceNo);
    const targetSeq = names.headOf(targetNo);
    const hasMoved = sourceSeq !== record.sourceSeq || targetSeq !== record.targetSeq;
    if (!hasMoved) return this.#outcomes.look(found, waiting);
    if (!policy.autoRefresh && follows !== 'always') {
      return { ...(await this.#outcomes.look(found, waiting)), isOutdated: true };
    }
    const detail = `${names.nameOf(sourceNo)}@${sourceSeq} into ${names.nameOf(targetNo)}@${targetSeq}`;
    const change = { sourceSeq, targetSeq };
    const entry = { actor: 'quire', event: 'refreshed', detail } as const;
    const refreshed = await this.records.tryChange(record, change, entry);
    return this.#outcomes.look({ ...found, record: refreshed }, waiting);
  }
}

function targetAt({ record, names }: Pick<Look, 'record' | 'names'>, seq: number): Place {
  const { workbookId, targetNo: branchNo } = record;
  return { address: { workbookId, branchNo }, branch: names.nameOf(branchNo), seq, isPinned: true };
}
