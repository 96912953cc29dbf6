import { createHash } from 'node:crypto';

import type { Choice, Contest, Judge, Side } from './judge.ts';

export interface Judged {
  /** `c_` and 12 hex digits: the same whenever the same register is contested. */
  readonly id: string;
  readonly contest: Contest;
  readonly sides: SidesDigest;
  /** The choice that was made; undefined while nobody made one. */
  readonly choice: Choice | undefined;
}

/** Digest of the three sides of a conflict, computed on first use; equal for equal sides. */
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
 * A choice, with the digest of the sides that it was made for; without a digest it holds for any
 * sides.
 */
export interface Chosen {
  readonly choice: Choice;
  readonly sides?: string;
}

interface MergeJudgeOptions {
  /** Looks up the choice for the conflict with an id; without it there are no choices. */
  readonly chosenFor?: (id: string) => Chosen | undefined;
  /** The side that wins where no choice was made. */
  readonly otherwise: Side;
  /** Values of registers on which several bases do not agree, by register. */
  readonly terms?: ReadonlyMap<string, readonly string[]>;
  /** Decides conflicts by policy, so that people are not asked. */
  readonly settle?: (contest: Contest) => Choice | undefined;
  /** True to ask also about conflicts that have an agreed choice. */
  readonly asksAgreed?: boolean;
}

/** The judge of a merge of branches: looks up choices, and collects the conflicts that it met. */
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

  /**
   * With several bases, a side that equals one of them did not change the register, so the other
   * side wins; undefined when both or neither do.
   */
  #settledByTerms({ register, sides }: Contest): Choice | undefined {
    const terms = this.#options.terms?.get(register);
    if (!terms) return undefined;
    const { ours, theirs } = sides();
    const [isOurs, isTheirs] = [ours, theirs].map((side) => terms.includes(termOf(side)));
    if (isOurs === isTheirs) return undefined;
    return isOurs === true ? 'theirs' : 'ours';
  }
}

/** Returns a choice if it was made for these sides, else undefined. */
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

/** Reverses `termOf`; null stands for none. */
function sideOf(term: string): unknown {
  return (JSON.parse(term) as [unknown])[0];
}
