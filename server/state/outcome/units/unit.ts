import type { BranchState } from '../../branch-state.ts';
import type { ContestPlace } from '../../merge/judge.ts';
import type { SourceAuthors } from './change-authors.ts';

/** Rules that make units where nobody makes any. */
export const groupings = ['auto', 'sheet', 'table', 'writer', 'op-group'] as const;
export type Grouping = (typeof groupings)[number];

/** The facts that decide which unit a change is in. */
export interface UnitSides {
  readonly base: BranchState;
  readonly theirs: BranchState;
  readonly authors: SourceAuthors;
}

export const unitDecisions = ['pending', 'accept', 'reject', 'defer'] as const;

/** The decision on a unit; a pending one is shown as accepted, and keeps the merge open. */
export type UnitDecision = (typeof unitDecisions)[number];

/** Selects changes as members: a change has to fit every part that is given. */
export interface Selector {
  /** May have `*` in it: `format.*`. */
  readonly kind?: string | undefined;
  /** Id or name. */
  readonly sheet?: string | undefined;
  /** In the addresses of the source. */
  readonly range?: string | undefined;
  /** Id or name. */
  readonly table?: string | undefined;
  readonly keys?: readonly (string | number)[] | undefined;
  /** Name of a column of the table. */
  readonly column?: string | undefined;
  /** Author of the change. */
  readonly writer?: string | undefined;
  /** Group that the change was submitted with. */
  readonly group?: string | undefined;
  /** The place of a conflict. */
  readonly place?: ContestPlace | undefined;
  /** Set for changes that were moved here from other units: the later one wins. */
  readonly moved?: number | undefined;
}

/** `*` is what no other unit has. */
export type Member = '*' | Selector;

/** Changes that are taken or left together. */
export interface UnitGroup {
  readonly id: string;
  readonly title: string;
  readonly members: readonly Member[];
  readonly decision: UnitDecision;
  readonly reason?: string;
  /** Units without which it is not taken. */
  readonly requires: readonly string[];
}

/** The unit of all changes that are in no other. */
export const restId = 'rest';

/** Units by id, as they are decided: without what it requires none is taken. */
export function decidedUnits(groups: readonly UnitGroup[]): ReadonlyMap<string, UnitDecision> {
  const decided = new Map<string, UnitDecision>(groups.map(({ id, decision }) => [id, decision]));
  if (!decided.has(restId)) decided.set(restId, groups.length === 0 ? 'accept' : 'pending');
  for (let isNew = true; isNew;) {
    isNew = false;
    for (const { id, requires } of groups) {
      const left = requires.map((other) => decided.get(other)).find(isLeftOut);
      if (left === undefined || isLeftOut(decided.get(id))) continue;
      decided.set(id, left);
      isNew = true;
    }
  }
  return decided;
}

export function isLeftOut(decision: UnitDecision | undefined): decision is 'reject' | 'defer' {
  return decision === 'reject' || decision === 'defer';
}

/** Returns whether the author of a change decides which unit it is in. */
export function asksForAuthors(groups: readonly UnitGroup[], grouping: Grouping): boolean {
  if (groups.length === 0) return grouping === 'writer' || grouping === 'op-group';
  return groups.some(({ members }) =>
    members.some(
      (member) => member !== '*' && (member.writer !== undefined || member.group !== undefined),
    ),
  );
}
