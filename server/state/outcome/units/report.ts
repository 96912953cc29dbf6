import type { StateDiff } from '../../diff/diff.ts';
import { contestedChange, type ScopedChange } from '../../merge/scope.ts';
import type { Contest } from '../../merge/judge.ts';
import { neededChanges } from './dependencies.ts';
import { Membership } from './membership.ts';
import { sourceChanges } from './source-changes.ts';
import { ownGroups } from './grouping.ts';
import {
  restId,
  type Grouping,
  type UnitDecision,
  type UnitGroup,
  type UnitSides,
} from './unit.ts';

/** A unit with what is in it. */
export interface UnitReport {
  readonly id: string;
  readonly title: string;
  /** True for a unit that the service made, and no user. */
  readonly auto: boolean;
  readonly decision: UnitDecision;
  readonly reason?: string;
  readonly requires: readonly string[];
  /** Cells, and other things one by one. */
  readonly changes: number;
  /** Their ids. */
  readonly conflicts: readonly string[];
  readonly members: UnitGroup['members'];
}

/** Units, and how many changes of the source are in each. */
export interface CountedUnits {
  readonly units: readonly Omit<UnitReport, 'conflicts'>[];
  readonly membership: Membership;
}

const changesBetweenPauses = 256;

interface CountedChange {
  readonly groups: readonly UnitGroup[];
  /** Rule for units where there are none. */
  readonly grouping: Grouping;
  readonly diff: StateDiff;
}

/** Counts what the source changed: `diff` leads to it from the base. */
export function* countedUnits(
  { groups, grouping, diff }: CountedChange,
  sides: UnitSides,
): Generator<void, CountedUnits> {
  const isAuto = groups.length === 0;
  const all = isAuto ? yield* ownGroups({ grouping, diff }, sides) : withRest(groups);
  const membership = new Membership(all, sides);
  const counts = new Map<string, number>();
  let seen = 0;
  for (const change of sourceChanges(diff)) {
    const unit = membership.unitOf(change);
    counts.set(unit, (counts.get(unit) ?? 0) + change.count);
    if (++seen % changesBetweenPauses === 0) yield;
  }
  const units = all.map((group) => ({
    ...group,
    auto: isAuto || (group.id === restId && !groups.some(({ id }) => id === restId)),
    changes: counts.get(group.id) ?? 0,
  }));
  return { units, membership };
}

/** Units with the conflicts that are in each. */
export function* unitReports(
  { units, membership }: CountedUnits,
  conflicts: Iterable<{ readonly id: string; readonly contest: Contest }>,
): Generator<void, UnitReport[]> {
  const contested = new Map<string, string[]>();
  let seen = 0;
  for (const { id, contest } of conflicts) {
    const unit = membership.unitOf(contestedChange(contest));
    const ids = contested.get(unit);
    if (ids) ids.push(id);
    else contested.set(unit, [id]);
    if (++seen % changesBetweenPauses === 0) yield;
  }
  return units.map((unit) => ({ ...unit, conflicts: contested.get(unit.id) ?? [] }));
}

function withRest(groups: readonly UnitGroup[]): readonly UnitGroup[] {
  if (groups.some(({ members }) => members.includes('*'))) return groups;
  const rest: UnitGroup = {
    id: restId,
    title: 'Everything else',
    members: ['*'],
    decision: 'pending',
    requires: [],
  };
  return [...groups, rest];
}

/** A unit that cannot be without another one that it does not require. */
export interface MissingRequirement {
  readonly unit: string;
  readonly requires: string;
  /** Place of a change of the unit that needs one of the other. */
  readonly change: ScopedChange;
}

const missingMost = 100;

/** Dependences that a grouping splits, one for each two units. */
export function* missingRequirements(
  groups: readonly UnitGroup[],
  diff: StateDiff,
  sides: UnitSides,
): Generator<void, MissingRequirement[]> {
  const membership = new Membership(groups, sides);
  const requires = new Map(groups.map((group) => [group.id, group.requires]));
  const missing = new Map<string, MissingRequirement>();
  let seen = 0;
  for (const change of sourceChanges(diff)) {
    const unit = membership.unitOf(change);
    for (const needed of neededChanges(change, sides)) {
      const other = membership.unitOf(needed);
      const key = `${unit}\n${other}`;
      if (other === unit || missing.has(key) || isRequired(requires, unit, other)) continue;
      missing.set(key, { unit, requires: other, change });
      if (missing.size >= missingMost) return [...missing.values()];
    }
    if (++seen % changesBetweenPauses === 0) yield;
  }
  return [...missing.values()];
}

function isRequired(
  requires: ReadonlyMap<string, readonly string[]>,
  unit: string,
  wanted: string,
): boolean {
  const seen = new Set([unit]);
  for (const known of seen) {
    for (const other of requires.get(known) ?? []) seen.add(other);
  }
  return seen.has(wanted);
}
