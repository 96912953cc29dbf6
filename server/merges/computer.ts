import { createHash } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import type { Branches } from '../branches/branches.ts';
import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import type { Mutation } from '../model/mutation.ts';
import { Failure } from '../model/failure.ts';
import { protectionOf, type Policy, type ProtectedBranch } from '../model/policy.ts';
import { Rejection } from '../model/rejection.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Contest, Judge } from '../state/merge/judge.ts';
import { MergeJudge, type Chosen, type Judged } from '../state/merge/merge-judge.ts';
import { mergeChange } from '../state/merge/merge.ts';
import type { Change } from '../state/merge/merging.ts';
import { OperationParts, type OperationPart } from '../state/merge/parts.ts';
import type { BranchNames } from './branch-names.ts';
import type { Graph, Position } from './graph.ts';
import { keptBy } from './findings/kept.ts';
import type { Choices, MergeRecord, MergeRequest, StoredChoice } from './merge-record.ts';
import { summaryOf, type DiffSummary } from '../diffs/summary.ts';
import { diffStates } from '../state/diff/diff.ts';
import type { Sides } from '../state/diff/sides.ts';
import { contestedChange, type Scope } from '../state/merge/scope.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import { journalSince } from './journal-since.ts';
import { movesOf } from './moves.ts';
import { changedParts, type OwnedPart } from './owners.ts';
import { settledByPolicy } from './settled.ts';
import { scopeOf } from './units/membership.ts';
import { countedUnits, unitReports, type CountedUnits, type UnitReport } from './units/report.ts';
import { noAuthors, readAuthors, type SourceAuthors } from './units/source-authors.ts';
import { asksForAuthors, decidedUnits, type UnitGroup, type UnitSides } from './units/unit.ts';
import { BaseFinder, type MergeBase } from './virtual-base.ts';
import { writeInputs, writtenInputs, type WrittenInput } from './written-inputs.ts';

export interface ComputerOptions {
  readonly branches: Pick<Branches, 'stateAt'>;
  readonly journal: Pick<BackwardJournal, 'steps'>;
  readonly environment: Environment;
}

export interface MergeInput {
  readonly workbookId: string;
  readonly graph: Graph;
  /** Common ancestors of the two positions; for a revert, the merge that it takes back. */
  readonly bases: readonly Position[];
  readonly target: Position;
  readonly source: Position;
  readonly request: Pick<MergeRequest, 'strategy' | 'granularity' | 'grouping'>;
  readonly choices: Choices;
  readonly units: readonly UnitGroup[];
  readonly policy: Policy['merge'];
  /** Parts of the target whose changes need the approval of somebody. */
  readonly owners: ProtectedBranch['owners'];
}

interface Proposed {
  readonly record: MergeRecord;
  readonly graph: Graph;
  readonly names: BranchNames;
}

/** The input of a proposed merge. */
export function mergeInput({ record, graph, names }: Proposed, policy: Policy): MergeInput {
  const target = { no: record.targetNo, seq: record.targetSeq };
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  const { workbookId, request, choices, units } = record;
  const owners = protectionOf(policy, names.nameOf(target.no))?.owners ?? [];
  const asked = { request, choices, units, policy: policy.merge, owners };
  return { workbookId, graph, bases: basesOf(record, graph), target, source, ...asked };
}

/** Positions that a merge compares its two sides with. */
export function basesOf(record: MergeRecord, graph: Graph): readonly Position[] {
  const { request, sourceNo, sourceSeq, targetNo, targetSeq } = record;
  // A revert leads from the result of the merge back to the state before it.
  if (request.reverts) return [{ no: targetNo, seq: request.reverts.seq }];
  return graph.bases({ no: targetNo, seq: targetSeq }, { no: sourceNo, seq: sourceSeq });
}

/** A conflict with its choice, if anybody made one. */
export interface Conflict extends Judged {
  readonly stored: StoredChoice | undefined;
  /** True when nobody has to choose any more. */
  readonly isSettled: boolean;
}

/** The outcome of merging two positions. */
export interface MergeOutcome {
  /** Common ancestors; more than one after merges that crossed. */
  readonly bases: readonly Position[];
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
  readonly merged: BranchState;
  /** Parts that turn ours into the merged state. */
  readonly parts: readonly OperationPart[];
  /** Mutations that do so to a kernel model of ours. */
  readonly mutations: readonly Mutation[];
  /** By id, in the order in which they were met. */
  readonly conflicts: ReadonlyMap<string, Conflict>;
  readonly units: readonly UnitReport[];
  /** Changes of the source since the base. */
  readonly changes: DiffSummary;
  /** Owned parts of the workbook that the merge changes. */
  readonly owned: readonly OwnedPart[];
  readonly stateHash: string;
  /** Digest of all that approving it would write, and of its inputs. */
  readonly digest: string;
  /**
   * The failure when the choices cannot be carried out together; none of them counts in that case.
   */
  readonly refusal?: Failure;
}

/** An outcome that is held, and what it was made for. */
export interface KeptOutcome {
  readonly key: string;
  /** Choices of the input; the same object as long as nobody chose anything. */
  readonly choices: MergeInput['choices'];
  readonly outcome: Promise<MergeOutcome>;
}

interface CountedSource extends CountedUnits {
  readonly summary: DiffSummary;
}

/** The states of a merge, before anything is told of it. */
export type MergedStates = Pick<MergeOutcome, 'ours' | 'theirs' | 'merged' | 'mutations'>;

/** Hears of the merged state as soon as it is there. */
type WhenMerged = (states: MergedStates) => void;

interface MergedState extends Pick<MergeOutcome, 'parts' | 'mutations'> {
  readonly state: BranchState;
}

interface MergedInto {
  readonly ours: BranchState;
  readonly judge: Judge;
  readonly written: readonly WrittenInput[];
  readonly scope?: Scope | undefined;
}

/** Sources whose changes are counted at a time: they hold states. */
const countedMost = 8;

/** Merges positions of branches. Nothing is written. */
export class MergeComputer {
  readonly #options: ComputerOptions;
  readonly #units = new LRUCache<string, Promise<CountedSource>>({ max: countedMost });

  constructor(options: ComputerOptions) {
    this.#options = options;
  }

  /** Choices that cannot be done, as a name that is taken by now, leave their conflicts open. */
  async compute(input: MergeInput, whenMerged?: WhenMerged): Promise<MergeOutcome> {
    try {
      return await this.#compute(input, input.choices, whenMerged);
    } catch (error) {
      if (input.choices.size === 0 || !isImpossible(error)) throw error;
      return { ...(await this.#compute(input, new Map(), whenMerged)), refusal: error };
    }
  }

  async #compute(
    input: MergeInput,
    choices: Choices,
    whenMerged: WhenMerged | undefined,
  ): Promise<MergeOutcome> {
    const { workbookId, bases, target, source } = input;
    const { state: base, terms, heldOf } = await this.#baseOf(input);
    const ours = await this.#stateAt(workbookId, target);
    const theirs = await this.#stateAt(workbookId, source);
    const { strategy } = input.request;
    const authors = await this.authorsFor(input);
    const scope = scopeOf(input.units, { base, theirs, authors });
    const judge = new MergeJudge({
      chosenFor: (id) => chosenFor(choices.get(id)),
      otherwise: strategy === 'theirs' ? 'theirs' : 'ours',
      terms,
      settle: (contest) =>
        scope?.(contestedChange(contest)) === false
          ? 'ours'
          : settledByPolicy(contest, input.policy),
      asksAgreed: input.policy.insertInsertSameKey === 'conflict',
    });
    const written = writtenInputs(choices, { ours, theirs });
    const moves = await movesOf({ ...input, heldOf }, this.#options.journal);
    const kept = keptBy(choices, { base, ours, theirs, scope });
    const conflictGranularity = input.request.granularity ?? input.policy.conflictGranularity;
    const policy = { ...input.policy, conflictGranularity };
    const change = { base, theirs, heldOf, moves, kept, policy };
    const into = { ours, judge, written, scope };
    const { state: merged, parts, mutations } = await this.#merge(change, into);
    whenMerged?.({ ours, theirs, merged, mutations });
    const conflicts = await this.#run(conflictsOf(judge, input, choices));
    const stateHash = await this.#run(merged.stateHash());
    const decided = [...decidedUnits(input.units)];
    const digest = digestOf([bases, target, source, stateHash, openMark(conflicts), decided]);
    const counted = await this.#counted(input, { bases, base, theirs, authors });
    const units = await this.#run(unitReports(counted, conflicts.values()));
    const owned = await this.#owned(input, { from: ours, to: merged });
    const states = { base, ours, theirs, merged };
    const told = { conflicts, units, changes: counted.summary, owned };
    return { bases, ...states, parts, mutations, ...told, stateHash, digest };
  }

  async #owned({ owners }: MergeInput, sides: Sides): Promise<readonly OwnedPart[]> {
    if (owners.length === 0) return [];
    return this.#run(changedParts(owners, await this.#run(diffStates(sides))));
  }

  /** Reads who changed the source, where units ask for it. */
  async authorsFor(input: MergeInput): Promise<SourceAuthors> {
    const { workbookId, graph, bases, source: position, units, request } = input;
    if (!asksForAuthors(units, request.grouping ?? 'auto')) return noAuthors;
    const stretch = { workbookId, position, heldOf: graph.heldBy(bases) };
    return readAuthors(journalSince(stretch, this.#options.journal));
  }

  /** Counts the changes of the source by unit; the result does not depend on choices. */
  #counted(
    { workbookId, source, units, request: { grouping = 'auto' } }: MergeInput,
    { bases, ...sides }: Pick<MergeOutcome, 'bases'> & UnitSides,
  ): Promise<CountedSource> {
    const key = digestOf([workbookId, bases, source, units, grouping]);
    const known = this.#units.get(key);
    if (known) return known;
    const count = async (): Promise<CountedSource> => {
      const diff = await this.#run(diffStates({ from: sides.base, to: sides.theirs }));
      const counted = await this.#run(countedUnits({ groups: units, grouping, diff }, sides));
      return { ...counted, summary: summaryOf(diff) };
    };
    const counted = count();
    this.#units.set(key, counted);
    // Whoever waits for it hears of it; the next one shall try again.
    counted.catch(() => this.#units.delete(key));
    return counted;
  }

  #baseOf({ workbookId, graph, bases }: MergeInput): Promise<MergeBase> {
    const finder = new BaseFinder(graph, {
      stateAt: (position) => this.#stateAt(workbookId, position),
      merge: (change, into) => this.#merge(change, { ...into, written: [] }),
    });
    return finder.find(bases);
  }

  async #merge(change: Change, { ours, judge, written, scope }: MergedInto): Promise<MergedState> {
    const state = ours.fork();
    state.begin();
    const parts = new OperationParts(state);
    try {
      await this.#run(mergeChange(change, parts, judge, scope));
      await this.#run(writeInputs(written, parts));
    } catch (error) {
      if (error instanceof Rejection) throw cannotMerge(error);
      throw error;
    }
    return { state, parts: parts.parts, mutations: parts.mutations };
  }

  #stateAt(workbookId: string, { no, seq }: Position): Promise<BranchState> {
    return this.#options.branches.stateAt({ workbookId, branchNo: no }, seq);
  }

  #run<Result>(steps: Generator<void, Result>): Promise<Result> {
    return new Pace(this.#options.environment).run(steps);
  }
}

function chosenFor(stored: StoredChoice | undefined): Chosen | undefined {
  if (!stored || stored.choice === 'accept' || stored.choice === 'keep') return undefined;
  return { choice: stored.choice, sides: stored.sides };
}

/** Conflicts between two pauses: their sides are read. */
const conflictsBetweenPauses = 64;

function* conflictsOf(
  { judged }: MergeJudge,
  { choices, request }: MergeInput,
  counted: Choices,
): Generator<void, ReadonlyMap<string, Conflict>> {
  const conflicts = new Map<string, Conflict>();
  for (const [id, one] of judged) {
    const { contest, sides, choice } = one;
    const stored = choices.get(id);
    const isAnswered = stored !== undefined && choice !== undefined;
    const isLost = stored !== undefined && !counted.has(id);
    const isUsual = request.strategy !== 'none' || isWarning(contest);
    const isSettled = isAnswered || (isUsual && !isLost);
    conflicts.set(id, { id, contest, sides, choice, stored, isSettled });
    if (conflicts.size % conflictsBetweenPauses === 0) yield;
  }
  return conflicts;
}

/** Rows that both sides moved: ours stay where ours put them unless somebody minds. */
export function isWarning({ kind, usual }: Contest): boolean {
  if (usual !== undefined) return true;
  return kind === 'row.order' || kind === 'col.order' || kind === 'sheet.order';
}

/** Digest of the open conflicts: another one when others are open. */
function openMark(conflicts: ReadonlyMap<string, Conflict>): string {
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
