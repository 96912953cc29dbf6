import { isFormulaInput } from '../model/cell-value.ts';
import { Failure, type FieldError } from '../model/failure.ts';
import { readInput, type WireInput } from '../model/input.ts';
import { sheetNameFault } from '../model/names.ts';
import { Rejection } from '../model/rejection.ts';
import type { Contest } from '../state/merge/judge.ts';
import type { MergeOutcome } from './merge-computer.ts';
import type { Conflict } from '../state/outcome/merged-state.ts';
import { choicesFor, moreChoices, unknownNames, type ConflictFilter } from './conflict-view.ts';
import { choicesOfFinding, findingFilter, keptForFinding } from './findings/finding-view.ts';
import type { Finding, Findings } from './findings/findings.ts';
import type { Choices, StoredChoice } from '../state/outcome/stored-choice.ts';
import { cellSides } from '../state/outcome/written-inputs.ts';

export interface ResolutionRequest {
  readonly resolutions: readonly {
    readonly id: string;
    /** The choice; null withdraws it. */
    readonly choice: string | null;
    readonly input?: WireInput | undefined;
    readonly side?: 'ours' | 'theirs' | undefined;
    readonly newKey?: WireInput | undefined;
    readonly prefer?: 'ours' | 'theirs' | undefined;
  }[];
  readonly bulk: readonly BulkRequest[];
}

interface BulkRequest {
  readonly where: ConflictFilter;
  readonly choice: string | null;
  readonly prefer?: 'ours' | 'theirs' | undefined;
}

/** A bulk request with its conflicts. */
interface SelectedInBulk extends BulkRequest {
  readonly isMeant: (conflict: Conflict) => boolean;
}

interface Author {
  readonly by: string;
  readonly at: number;
}

/** Conflicts between two pauses. */
const conflictsBetweenPauses = 64;

/** Applies a request to the choices of a merge; returns them and how many changed. */
export function* resolved(
  before: Choices,
  { resolutions }: Pick<ResolutionRequest, 'resolutions'>,
  resolving: Resolving,
): Generator<void, { readonly choices: Choices; readonly count: number }> {
  const choosing = new Choosing(before, resolving);
  const { outcome, findings } = resolving;
  const byId = new Map(findings.list.map((finding) => [finding.id, finding]));
  for (const [index, selected] of resolving.bulk.entries()) {
    choosing.check(selected, `/bulk/${index}`);
    for (const member of unknownNames(selected.where, outcome)) {
      const message = `the merge has no ${member} ${selected.where[member] ?? ''}`;
      choosing.refuse(`/bulk/${index}/where/${member}`, message);
    }
    yield* settleInBulk(choosing, selected, resolving, `/bulk/${index}/choice`);
  }
  const seen = new Set<string>();
  for (const [index, resolution] of resolutions.entries()) {
    const conflict = outcome.conflicts.get(resolution.id);
    const finding = byId.get(resolution.id);
    const pointer = `/resolutions/${index}`;
    choosing.check(resolution, pointer);
    choosing.checkFormula(resolution, `${pointer}/input`);
    if (seen.has(resolution.id)) choosing.refuse(`${pointer}/id`, `${resolution.id} stands twice`);
    seen.add(resolution.id);
    if (conflict) choosing.settle(conflict, resolution, `${pointer}/choice`);
    else if (finding) choosing.note({ finding, outcome }, resolution, `${pointer}/choice`);
    else choosing.takeBack(resolution, `${pointer}/id`);
  }
  if (choosing.errors.length > 0) throw badChoice(choosing.errors);
  return choosing;
}

function* settleInBulk(
  choosing: Choosing,
  { where, choice, prefer, isMeant }: SelectedInBulk,
  { outcome, findings }: Resolving,
  pointer: string,
): Generator<void, void> {
  if (choice === 'accept') {
    const isMeantFinding = findingFilter(where, outcome);
    for (const finding of findings.list) {
      if (isMeantFinding(finding)) choosing.note({ finding, outcome }, { choice }, pointer);
    }
    return;
  }
  let seen = 0;
  for (const conflict of outcome.conflicts.values()) {
    if (isMeant(conflict)) choosing.settle(conflict, { choice, prefer }, pointer);
    if (++seen % conflictsBetweenPauses === 0) yield;
  }
}

interface Resolving {
  readonly outcome: MergeOutcome;
  readonly findings: Findings;
  readonly bulk: readonly SelectedInBulk[];
  readonly author: Author;
}

interface NotedFinding {
  readonly finding: Finding;
  readonly outcome: MergeOutcome;
}

type Wanted = Omit<ResolutionRequest['resolutions'][number], 'id'>;

/** Members that only one choice uses. */
const choiceMembers = [
  ['input', 'custom'],
  ['prefer', 'combine'],
  ['side', 'rekey'],
  ['newKey', 'rekey'],
] as const;

class Choosing {
  readonly choices: Map<string, StoredChoice>;
  readonly errors: FieldError[] = [];
  count = 0;
  readonly #author: Author;
  readonly #coding: MergeOutcome['merged']['coding'];

  constructor(before: Choices, { author, outcome }: Resolving) {
    this.choices = new Map(before);
    this.#author = author;
    this.#coding = outcome.merged.coding;
  }

  /** Fails for members that the choice does not use, which would silently have no effect. */
  check(wanted: Wanted, pointer: string): void {
    const { choice } = wanted;
    for (const [member, owner] of choiceMembers) {
      if (wanted[member] === undefined || choice === owner) continue;
      this.refuse(`${pointer}/${member}`, `${member} goes with the choice ${owner}`);
    }
  }

  /** Checks a formula that is entered here; those of the two sides were checked when written. */
  checkFormula({ input }: Wanted, pointer: string): void {
    const own = input === undefined ? null : readInput(input, {});
    if (!isFormulaInput(own)) return;
    try {
      this.#coding.checkFormula(own.formula, 'person');
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      this.refuse(pointer, error.message);
    }
  }

  settle(conflict: Conflict, wanted: Wanted, pointer: string): void {
    const { contest, id, sides } = conflict;
    const choice = wanted.choice === null ? null : choiceOf(conflict, wanted);
    if (choice === undefined) {
      const taken = [...Object.keys(choicesFor(contest)), ...moreChoices(contest)].map(spelled);
      this.refuse(pointer, `${contest.text} (${contest.kind}) takes ${taken.join(', ')}`);
      return;
    }
    this.#put(id, choice === null ? undefined : { choice, sides: sides.read() });
  }

  note({ finding, outcome }: NotedFinding, { choice, input }: Wanted, pointer: string): void {
    const { id, sides, place, text, kind } = finding;
    const kept = choice === 'keep' ? keptForFinding(finding, outcome) : undefined;
    if (choice === null) this.#put(id, undefined);
    else if (choice === 'accept') this.#put(id, { choice, sides });
    else if (choice === 'custom' && input !== undefined && place.column) {
      this.#put(id, { choice: { input }, sides: cellSides(place, outcome), place });
    } else if (kept !== undefined) {
      this.#put(id, { choice: 'keep', sides: kept, place });
    } else {
      const taken = choicesOfFinding(finding, outcome).join(', ');
      this.refuse(pointer, `${text} (${kind}) takes ${taken}`);
    }
  }

  /**
   * Withdraws the choice for a conflict or finding that is gone, such as an error whose formula was
   * corrected.
   */
  takeBack({ id, choice }: ResolutionRequest['resolutions'][number], pointer: string): void {
    if (choice === null && this.choices.has(id)) this.#put(id, undefined);
    else this.refuse(pointer, `the merge has no conflict ${id}`);
  }

  #put(id: string, chosen: Omit<StoredChoice, keyof Author> | undefined): void {
    this.count++;
    if (chosen === undefined) this.choices.delete(id);
    else this.choices.set(id, { ...chosen, ...this.#author });
  }

  refuse(pointer: string, message: string): void {
    this.errors.push({ pointer, code: 'bad_choice', message });
  }
}

function choiceOf({ contest }: Conflict, wanted: Wanted): StoredChoice['choice'] | undefined {
  const { choice } = wanted;
  if (choice === null) return undefined;
  return ownChoice(contest, wanted) ?? choicesFor(contest)[choice];
}

/**
 * Returns a choice other than a side; undefined for a side, or for a choice that the conflict
 * lacks.
 */
function ownChoice(contest: Contest, wanted: Wanted): StoredChoice['choice'] | undefined {
  const { kind } = contest;
  const { choice, input, prefer = 'ours' } = wanted;
  if (kind === 'tablerow.insert_insert') return choiceOfRows(wanted);
  if (choice === null || !moreChoices(contest).includes(choice)) return undefined;
  if (choice === 'combine') return { combine: prefer };
  if (choice === 'base' || choice === 'both') return choice;
  const isTaken = input !== undefined && (kind !== 'sheet.rename' || isSheetName(input));
  return isTaken ? { input } : undefined;
}

function isSheetName(input: unknown): boolean {
  return typeof input === 'string' && sheetNameFault(input) === undefined;
}

/** The choice for two rows under one key. */
function choiceOfRows({
  choice,
  side,
  newKey = null,
  prefer = 'ours',
}: Wanted): StoredChoice['choice'] | undefined {
  if (choice === 'combine') return { combine: prefer };
  if (choice !== 'rekey' || side === undefined || newKey === null) return undefined;
  return { rekey: side, newKey };
}

/** Spells a choice with the members that it requires. */
function spelled(choice: string): string {
  if (choice === 'custom') return 'custom with an input';
  return choice === 'rekey' ? 'rekey with a side and a newKey' : choice;
}

/** Fails with `bad_choice` if the choices cannot be carried out together. */
export function checkDone({ refusal }: Pick<MergeOutcome, 'refusal'>): void {
  if (!refusal) return;
  const message = refusal.detail.replace(/\.$/u, '');
  throw badChoice([{ pointer: '/resolutions', code: 'bad_choice', message }]);
}

function badChoice(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure('badChoice', {
    ...(first && { detail: `${first.message}.` }),
    hint: 'GET the conflicts of the merge: each lists its choices.',
    errors: errors.slice(0, 100),
  });
}
