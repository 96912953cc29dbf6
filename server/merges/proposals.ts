import type { Branches } from '../branches/branches.ts';
import type { Environment } from '../model/environment.ts';
import { archivedMeanwhile } from '../workbooks/registry.ts';
import type { BranchNames } from './branch-names.ts';
import type { EndedMerges } from './ended-merges.ts';
import type { FoundMerge, Look, OpenLook, Waiting } from './look.ts';
import { nothingToMerge, notApplied } from './merge-failures.ts';
import type { MergeFinder } from './merge-finder.ts';
import type { MergeRecord } from './merge-record.ts';
import type { MergeOutcomes } from './outcomes.ts';
import { newMerge, untriedRecord, type ProposalRequest, type ProposalWishes } from './proposal.ts';
import { sourceOf, targetOf } from './source-and-target.ts';
import type { MergeTable } from './sql.ts';
import { unpackChoices, withoutRepeated } from './stored-choices.ts';

export interface ProposalParts {
  readonly table: MergeTable;
  readonly branches: Pick<Branches, 'locate'>;
  readonly finder: MergeFinder;
  readonly ended: EndedMerges;
  readonly outcomes: MergeOutcomes;
}

/** Number of latest merges whose choices are taken over. */
const rememberedMerges = 20;

/** Makes merges from proposals, with the choices that earlier merges of the workbook have. */
export class Proposals {
  readonly #parts: ProposalParts;

  constructor(parts: ProposalParts) {
    this.#parts = parts;
  }

  /**
   * Proposes a merge; `isTrial` stores nothing. If the comparison takes longer than the wait, the
   * merge is returned without its outcome, and read again later.
   */
  async create(
    { workbookId, request }: { readonly workbookId: string; readonly request: ProposalRequest },
    { principal, isTrial, keyed: _keyed, ...waiting }: ProposalWishes,
    environment: Environment,
  ): Promise<Look | OpenLook> {
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
    const record = await this.#parts.table.insert({ ...merge, choices: look.record.choices });
    if (!record) throw archivedMeanwhile(workbookId);
    return { ...look, record };
  }

  async #endsOf(workbookId: string, { source = '', target, revertOf }: ProposalRequest) {
    const { branches, finder } = this.#parts;
    if (revertOf !== undefined) {
      const found = await finder.graph(workbookId);
      return { ...found, ...(await this.#reverted(workbookId, revertOf, found.names)) };
    }
    // The reference is read before the branches, because it may name a new one.
    const from = await sourceOf(workbookId, source, branches);
    const found = await finder.graph(workbookId);
    return { ...found, from, to: targetOf(found.names, target), reverts: undefined };
  }

  /** Finds source and target of a revert: the source is the target before the merge. */
  async #reverted(workbookId: string, mergeId: string, names: BranchNames) {
    const found = await this.#parts.finder.find(workbookId, mergeId);
    const [{ record } = found] = await this.#parts.ended.noted(workbookId, [found]);
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

  /** Computes a merge with earlier choices, or without them if they cannot be carried out. */
  async #tried(found: FoundMerge, waiting: Waiting): Promise<Look | OpenLook> {
    const { outcomes } = this.#parts;
    const look = await outcomes.look(found, waiting);
    if (!('outcome' in look) || !look.outcome.refusal) return look;
    const record = { ...found.record, choices: new Map() };
    return outcomes.look({ ...found, record }, waiting);
  }
}
