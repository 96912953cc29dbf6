import { createHash } from 'node:crypto';

import type { Choice, Contest, Judge } from './judge.ts';

export interface Judged {
  /** `c_` and 12 hex digits: the same whenever the same register is contested. */
  readonly id: string;
  readonly contest: Contest;
  readonly sides: SidesDigest;
  /** What was chosen; undefined while nobody has. */
  readonly choice: Choice | undefined;
}

/** The same text for the same three sides; they are read when it is asked for first. */
export class SidesDigest {
  readonly #contest: Contest;
  #text: string | undefined;

  constructor(contest: Contest) {
    this.#contest = contest;
  }

  read(): string {
    this.#text ??= sidesDigest(this.#contest);
    return this.#text;
  }
}

/** With the sides it was chosen for, as their digest; for any where that is left out. */
export interface Chosen {
  readonly choice: Choice;
  readonly sides?: string;
}

interface MergeJudgeOptions {
  /** What somebody chose, by the id of the conflict; nobody anything when left out. */
  readonly chosenFor?: (id: string) => Chosen | undefined;
  /** What becomes of the others. */
  readonly otherwise: 'ours' | 'theirs';
  /** What a base of several positions has of a register, where they do not agree. */
  readonly terms?: ReadonlyMap<string, readonly string[]>;
  /** What is not asked about. */
  readonly settle?: (contest: Contest) => Choice | undefined;
  /** Whether also that is asked about where both sides can have what they want. */
  readonly asksAgreed?: boolean;
}

/** Asks what was chosen, and remembers what was contested: those are the conflicts of a merge. */
export class MergeJudge implements Judge {
  readonly isBetweenBranches = true;
  readonly judged = new Map<string, Judged>();
  readonly #options: MergeJudgeOptions;

  constructor(options: MergeJudgeOptions) {
    this.#options = options;
  }

  decide(contest: Contest): Choice {
    const { chosenFor, otherwise, settle, asksAgreed = false } = this.#options;
    const id = conflictId(contest.register);
    const settled = this.#settledByTerms(contest) ?? settle?.(contest);
    if (settled) return settled;
    if (contest.agreed !== undefined && !asksAgreed) return contest.agreed;
    const sides = new SidesDigest(contest);
    const choice = choiceFor(sides, chosenFor?.(id));
    this.judged.set(id, { id, contest, sides, choice });
    return choice ?? contest.usual ?? otherwise;
  }

  /** A side that has what one of the bases has did not change it: the other one did. */
  #settledByTerms({ register, sides }: Contest): Choice | undefined {
    const terms = this.#options.terms?.get(register);
    if (!terms) return undefined;
    const { ours, theirs } = sides();
    const [isOurs, isTheirs] = [ours, theirs].map((side) => terms.includes(termOf(side)));
    if (isOurs === isTheirs) return undefined;
    return isOurs === true ? 'theirs' : 'ours';
  }
}

/** What was chosen counts for the sides that it was chosen for. */
function choiceFor(sides: SidesDigest, chosen: Chosen | undefined): Choice | undefined {
  const isMeant = chosen?.sides === undefined || chosen.sides === sides.read();
  return isMeant ? chosen?.choice : undefined;
}

function sidesDigest({ sides }: Contest): string {
  const { base, ours, theirs } = sides();
  const text = JSON.stringify([base ?? null, ours ?? null, theirs ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function conflictId(register: string): string {
  return `c_${createHash('sha256').update(register).digest('hex').slice(0, 12)}`;
}

export function termOf(side: unknown): string {
  return JSON.stringify([side]);
}
