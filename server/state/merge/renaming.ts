import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import type { Sides } from '../compare/merged-members.ts';
import type { Contest } from './judge.ts';
import { partsOn, type AlignedSides, type OperationPart } from './parts.ts';

/** A defined name, table or column that all three states have, under any name. */
export interface Named {
  readonly names: Sides<string>;
  readonly contest: Contest;
  readonly renaming: (from: string, to: string) => OperationPart;
  /**
   * True when no other defined name has the new name. A rename can fail all the same, because a
   * formula already uses the name for something else.
   */
  readonly isFree?: boolean;
  /** Names what may have the name instead; left out for a defined name. */
  readonly clash?: Clash;
}

/** Something that is to have a name, and what else has that in a state. */
export interface Clash {
  readonly own: Holder;
  readonly otherIn: (state: BranchState, name: string) => Holder | undefined;
}

/** Something with a name. */
export interface Holder {
  /** Its name in a state; undefined where it is not. */
  readonly nameIn: (state: BranchState) => string | undefined;
  readonly renaming: Named['renaming'];
  /** Returns whether anything in a state has a name that it could have. */
  readonly isTaken: (state: BranchState, name: string) => boolean;
  /** Returns a name with a number behind it that it could have. */
  readonly numbered: (name: string, count: number) => string;
}

export interface Renamed extends Named {
  readonly to: string;
}

/**
 * Renames in all three states; undefined when the name is taken, or formulas use it for something
 * else.
 */
export function* rename(
  { names, renaming, to }: Pick<Renamed, 'names' | 'renaming' | 'to'>,
  { base, ours, theirs }: AlignedSides,
): Generator<void, AlignedSides | undefined> {
  const sides = { base: partsOn(base.state), theirs: partsOn(theirs.state), ours };
  try {
    // Ours comes last: base and theirs are copies that a failure throws away, ours is not.
    for (const side of ['base', 'theirs', 'ours'] as const) {
      if (names[side] !== to) yield* sides[side].add(renaming(names[side], to));
    }
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
  return sides;
}
