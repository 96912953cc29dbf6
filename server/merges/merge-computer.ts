import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { Branches } from '../branches/branches.ts';
import { Pace } from '../branches/pace.ts';
import type { DiffSummary } from '../state/diff/summary.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Policy, ProtectedBranch } from '../model/policy.ts';
import { protectionOf } from '../model/protection.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { OperationPart } from '../state/merge/parts.ts';
import { countedSource, type CountedSource } from '../state/outcome/counted-source.ts';
import type { MergedSides, MergeQuestion } from '../state/outcome/merge-question.ts';
import {
  carriedOut,
  conflictsOf,
  judgedState,
  mergedInto,
  type Conflicts,
  type MergedState,
} from '../state/outcome/merged-state.ts';
import type { OwnedPart } from '../state/outcome/owners.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import { noAuthors, type SourceAuthors } from '../state/outcome/units/change-authors.ts';
import { unitReports, type UnitReport } from '../state/outcome/units/report.ts';
import { asksForAuthors, decidedUnits, type UnitGroup } from '../state/outcome/units/unit.ts';
import { ownedParts } from '../state/outcome/whole-outcome.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { BranchNames } from './branch-names.ts';
import type { Graph, Position } from './graph.ts';
import { journalSince } from './journal-since.ts';
import type { MergeRecord, MergeRequest } from './merge-record.ts';
import type { MergePool } from './merge-pool.ts';
import { movesOf } from './moves.ts';
import { readAuthors } from './units/source-authors.ts';
import { BaseFinder, type MergeBase } from './virtual-base.ts';

export interface ComputerOptions {
  readonly branches: Pick<Branches, 'stateAt'>;
  readonly journal: Pick<BackwardJournal, 'steps'>;
  readonly environment: Environment;
  /** Computes large merges. */
  readonly mergePool: MergePool;
}

export interface MergeInput {
  readonly workbookId: string;
  readonly graph: Graph;
  /**
   * Common ancestors of the two positions; for a revert, the position of the merge that it reverts.
   */
  readonly bases: readonly Position[];
  readonly target: Position;
  readonly source: Position;
  readonly request: Pick<MergeRequest, 'strategy' | 'granularity' | 'grouping'>;
  readonly choices: Choices;
  readonly units: readonly UnitGroup[];
  readonly policy: Policy['merge'];
  /** Parts of the target whose owners must approve changes. */
  readonly owners: ProtectedBranch['owners'];
}

interface Proposed {
  readonly record: MergeRecord;
  readonly graph: Graph;
  readonly names: BranchNames;
}

/** Makes the input for computing a proposed merge. */
export function mergeInput({ record, graph, names }: Proposed, policy: Policy): MergeInput {
  const target = { no: record.targetNo, seq: record.targetSeq };
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  const { workbookId, request, choices, units } = record;
  const owners = protectionOf(policy, names.nameOf(target.no))?.owners ?? [];
  const asked = { request, choices, units, policy: policy.merge, owners };
  return { workbookId, graph, bases: basesOf(record, graph), target, source, ...asked };
}

/** Finds the positions with which a merge compares its two sides. */
export function basesOf(record: MergeRecord, graph: Graph): readonly Position[] {
  const { request, sourceNo, sourceSeq, targetNo, targetSeq } = record;
  // A revert is a merge from the result of the reverted one to the state before it.
  if (request.reverts) return [{ no: targetNo, seq: request.reverts.seq }];
  return graph.bases({ no: targetNo, seq: targetSeq }, { no: sourceNo, seq: sourceSeq });
}

/** The outcome of merging two positions. */
export interface MergeOutcome extends MergedSides {
  /** Common ancestors; several after crossing merges. */
  readonly bases: readonly Position[];
  readonly merged: BranchState;
  /** Parts of the operation that turns ours into the merged state. */
  readonly parts: readonly OperationPart[];
  /** Mutations that do the same to a kernel model of ours. */
  readonly mutations: readonly Mutation[];
  readonly conflicts: Conflicts;
  readonly units: readonly UnitReport[];
  /** Changes of the source since the base. */
  readonly changes: DiffSummary;
  /** Owned parts of the workbook that the merge changes. */
  readonly owned: readonly OwnedPart[];
  readonly stateHash: string;
  /** Digest of the outcome and of its input; an approval names it. */
  readonly digest: string;
  /** Failure of choices that cannot be carried out together, in which case none of them counts. */
  readonly refusal?: Failure;
}

/** The states of a merge, which are known before its findings and counts. */
export type MergedStates = Pick<MergeOutcome, 'ours' | 'theirs' | 'merged' | 'mutations'>;

interface Computing {
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal;
  /** Called with the merged state as soon as it is known. */
  readonly whenMerged?: (states: MergedStates) => void;
}

/** A merge with all that was read to compute it. */
interface AskedMerge {
  readonly input: MergeInput;
  readonly sides: MergedSides;
  readonly question: MergeQuestion;
  readonly authors: SourceAuthors;
}

/** Most sources whose changes are counted at once, because each holds states. */
const countedMost = 8;

/** Computes merges of positions of branches, without writing anything. */
export class MergeComputer {
  readonly #options: ComputerOptions;
  readonly #units = new LRUCache<string, Promise<CountedSource>>({ max: countedMost });

  constructor(options: ComputerOptions) {
    this.#options = options;
  }

  /**
   * Computes a merge. Choices that cannot be carried out, such as a name that is taken by now,
   * leave their conflicts open.
   */
  async compute(input: MergeInput, computing: Computing = {}): Promise<MergeOutcome> {
    const asked = await this.#asked(input);
    computing.signal?.throwIfAborted();
    try {
      return await this.#outcome(asked, input.choices, computing);
    } catch (error) {
      if (input.choices.size === 0 || !isImpossible(error)) throw error;
      return { ...(await this.#outcome(asked, new Map(), computing)), refusal: error };
    }
  }

  /** Reads the states of a merge, and meanwhile what is needed from the journals. */
  async #asked(input: MergeInput): Promise<AskedMerge> {
    const { request: wishes, graph, bases, choices, units, policy, owners } = input;
    const [{ sides, terms }, authors, moves] = await Promise.all([
      this.#sidesOf(input),
      this.authorsFor(input),
      movesOf({ ...input, heldOf: graph.heldBy(bases) }, this.#options.journal),
    ]);
    const held = graph.heldVector(bases);
    const question = { wishes, choices, units, policy, owners, terms, held, moves };
    return { input, sides, question, authors };
  }

  async #sidesOf(input: MergeInput): Promise<{ sides: MergedSides } & Pick<MergeBase, 'terms'>> {
    const { workbookId, target, source } = input;
    const { state: base, terms } = await this.#baseOf(input);
    const ours = await this.#stateAt(workbookId, target);
    const theirs = await this.#stateAt(workbookId, source);
    return { sides: { base, ours, theirs }, terms };
  }

  async #outcome(
    { input, sides, question, authors }: AskedMerge,
    choices: Choices,
    computing: Computing,
  ): Promise<MergeOutcome> {
    const { mergePool } = this.#options;
    if (authors === noAuthors && (await mergePool.takes(sides))) {
      return this.#fromPool({ input, sides, question, authors }, choices, computing);
    }
    const { bases } = input;
    const { ours, theirs } = sides;
    const steps = judgedState(sides, question, { choices, authors });
    const { state: merged, parts, mutations, judge } = await this.#merged(steps);
    computing.whenMerged?.({ ours, theirs, merged, mutations });
    const conflicts = await this.#run(conflictsOf(judge, question, choices));
    const stateHash = await this.#run(merged.stateHash());
    const digest = outcomeDigest(input, stateHash, conflicts);
    const counted = await this.#counted(input, sides, authors);
    const units = await this.#run(unitReports(counted, conflicts.values()));
    const owned = await this.#run(ownedParts(question, { from: ours, to: merged }));
    const told = { conflicts, units, changes: counted.summary, owned };
    return { bases, ...sides, merged, parts, mutations, ...told, stateHash, digest };
  }

  /** Has another thread compute it, and does here what came of it. */
  async #fromPool(
    { input, sides, question }: AskedMerge,
    choices: Choices,
    { signal, whenMerged }: Computing,
  ): Promise<MergeOutcome> {
    const { bases, workbookId } = input;
    const { ours, theirs } = sides;
    const { mergePool } = this.#options;
    const running = mergePool.compute(workbookId, sides, { question, choices, signal });
    const whole = await running.catch((error: unknown) => {
      throw error instanceof Rejection ? cannotMerge(error) : error;
    });
    signal?.throwIfAborted();
    const { parts, judged, units, changes, owned, stateHash } = whole;
    const { state: merged, mutations } = await this.#merged(carriedOut(parts, ours));
    whenMerged?.({ ours, theirs, merged, mutations });
    const conflicts = await this.#run(conflictsOf({ judged }, question, choices));
    const digest = outcomeDigest(input, stateHash, conflicts);
    const told = { conflicts, units, changes, owned };
    return { bases, ...sides, merged, parts, mutations, ...told, stateHash, digest };
  }

  /** Reads who changed the source, if the grouping into units needs it. */
  async authorsFor(input: MergeInput): Promise<SourceAuthors> {
    const { workbookId, graph, bases, source: position, units, request } = input;
    if (!asksForAuthors(units, request.grouping ?? 'auto')) return noAuthors;
    const stretch = { workbookId, position, heldOf: graph.heldBy(bases) };
    return readAuthors(journalSince(stretch, this.#options.journal));
  }

  /** Counts the changes of the source, once for all merges with the same question. */
  #counted(
    { workbookId, bases, source, units, request }: MergeInput,
    sides: MergedSides,
    authors: SourceAuthors,
  ): Promise<CountedSource> {
    const { grouping = 'auto' } = request;
    const key = digestOf([workbookId, bases, source, units, grouping]);
    const known = this.#units.get(key);
    if (known) return known;
    const counted = this.#run(countedSource(sides, { units, wishes: request }, authors));
    this.#units.set(key, counted);
    // A failure reaches those who wait; the next request tries again.
    counted.catch(() => this.#units.delete(key));
    return counted;
  }

  #baseOf({ workbookId, graph, bases }: MergeInput): Promise<MergeBase> {
    const finder = new BaseFinder(graph, {
      stateAt: (position) => this.#stateAt(workbookId, position),
      merge: (change, into) => this.#merged(mergedInto(change, into)),
      movesOf: (target, source, heldOf) =>
        movesOf({ workbookId, graph, target, source, heldOf }, this.#options.journal),
    });
    return finder.find(bases);
  }

  /** Runs the steps of a merge; fails with `cannot_merge` if they are rejected. */
  async #merged<State extends MergedState>(steps: Generator<void, State>): Promise<State> {
    try {
      return await this.#run(steps);
    } catch (error) {
      if (error instanceof Rejection) throw cannotMerge(error);
      throw error;
    }
  }

  #stateAt(workbookId: string, { no, seq }: Position): Promise<BranchState> {
    return this.#options.branches.stateAt({ workbookId, branchNo: no }, seq);
  }

  #run<Result>(steps: Generator<void, Result>): Promise<Result> {
    return new Pace(this.#options.environment).run(steps);
  }
}

/** Computes the digest of an outcome and of its input. */
function outcomeDigest(
  { bases, target, source, units }: MergeInput,
  stateHash: string,
  conflicts: Conflicts,
): string {
  const decided = [...decidedUnits(units)];
  return digestOf([bases, target, source, stateHash, openMark(conflicts), decided]);
}

/** Digest of the open conflicts. */
function openMark(conflicts: Conflicts): string {
  const hash = createHash('sha256');
  for (const { id, isSettled } of conflicts.values()) if (!isSettled) hash.update(id);
  return hash.digest('hex');
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function isImpossible(error: unknown): error is Failure {
  return error instanceof Failure && error.key === 'cannotMerge';
}

function cannotMerge(rejection: Rejection): Failure {
  return new Failure('cannotMerge', {
    detail: `${rejection.message}.`,
    hint: 'Change what is in the way on either branch, then propose the merge again.',
    extra: { rejection: rejection.code },
    cause: rejection,
  });
}
