import { createHash } from 'node:crypto';

import type { Choice, Contest, Judge } from './judge.ts';

export interface Judged {
  /** `c_` and 12 hex digits: the same whenever the same register is contested. */
  readonly id: string;
  readonly contest: Contest;
  readonly sides: SidesDigest;
  /** The choice that was made; undefined while nobody made one. */
  readonly choice: Choice | undefined;
}

/** Digest of the three sides of a conflict, computed at its first use: equal for equal sides. */
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

/**
 * A choice with the digest of the sides it was made for; it counts for any sides where that is left
 * out.
 */
export interface Chosen {
  readonly choice: Choice;
  readonly sides?: string;
}

interface MergeJudgeOptions {
  /** Returns the choice made for the conflict with an id; no conflict has one when left out. */
  readonly chosenFor?: (id: string) => Chosen | undefined;
  /** The side that wins where no choice was made. */
  readonly otherwise: 'ours' | 'theirs';
  /** The values of a register in a base of several positions, where these do not agree. */
  readonly terms?: ReadonlyMap<string, readonly string[]>;
  /** Decides conflicts that nobody is asked about. */
  readonly settle?: (contest: Contest) => Choice | undefined;
  /** True to ask also where both sides can have what they want. */
  readonly asksAgreed?: boolean;
}

/** Resolver of a branch merge: looks up the choices that were made, and collects the conflicts. */
export class MergeJudge implements Judge {
  readonly isBetweenBranches = true;
  readonly judged = new Map<string, Judged>();
  readonly #options: MergeJudgeOptions;

  constructor(options: MergeJudgeOptions) {
    this.#options = options;
  }

  decide(met: Contest): Choice {
    const contest = this.#withTerms(met);
    const { chosenFor, otherwise, settle, asksAgreed = false } = this.#options;
    const id = conflictId(contest.register);
    const settled = this.#settledByTerms(contest) ?? settle?.(contest);
    if (settled) return settled;
    if (contest.agreed !== undefined && !asksAgreed) return contest.agreed;
    const sides = new SidesDigest(contest);
    const chosen = choiceFor(sides, chosenFor?.(id));
    const choice = chosen === 'base' && contest.terms ? undefined : chosen;
    this.judged.set(id, { id, contest, sides, choice });
    return choice ?? contest.usual ?? otherwise;
  }

  #withTerms(contest: Contest): Contest {
    const terms = this.#options.terms?.get(contest.register);
    return terms ? { ...contest, terms: terms.map(sideOf) } : contest;
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

/** Returns the choice if it was made for just these sides, else undefined. */
function choiceFor(sides: SidesDigest, chosen: Chosen | undefined): Choice | undefined {
  const isMeant = chosen?.sides === undefined || chosen.sides === sides.read();
  return isMeant ? chosen?.choice : undefined;
}

function sidesDigest({ sides, terms }: Contest): string {
  const { base, ours, theirs } = sides();
  const then = terms ? { terms } : base;
  const text = JSON.stringify([then ?? null, ours ?? null, theirs ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function conflictId(register: string): string {
  return `c_${createHash('sha256').update(register).digest('hex').slice(0, 12)}`;
}

export function termOf(side: unknown): string {
  return JSON.stringify([side]);
}

/** Returns the side that `termOf` wrote; null for none. */
function sideOf(term: string): unknown {
  return (JSON.parse(term) as [unknown])[0];
}
