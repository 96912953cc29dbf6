import type { LineSpan } from './pointer.ts';

/** Consecutive lines of one level in the outline, from 1. */
export interface LevelRun extends LineSpan {
  readonly level: number;
  /** True when the lines are folded away. */
  readonly isFolded: boolean;
}

/** Lines that are folded together, and the line that has their sign. */
export interface LineGroup extends LevelRun {
  readonly at: number;
}

const levelMost = 7;

/** Returns the groups of an outline, those of outer levels first. */
export function groupsOf(runs: readonly LevelRun[], isSummaryAfter: boolean): readonly LineGroup[] {
  const sorted = runs.toSorted((one, other) => one.first - other.first);
  const groups = Array.from({ length: levelMost }, (_, index) => joinedFrom(sorted, index + 1));
  return groups
    .flat()
    .map((group) => ({ ...group, at: isSummaryAfter ? group.last + 1 : group.first - 1 }))
    .filter(({ at }) => at >= 0);
}

/** Joins consecutive lines from a level on. */
function joinedFrom(runs: readonly LevelRun[], level: number): readonly LevelRun[] {
  const joined: LevelRun[] = [];
  for (const run of runs) {
    if (run.level < level) continue;
    const before = joined.at(-1);
    if (before?.last !== run.first - 1) joined.push({ ...run, level });
    else {
      const isFolded = before.isFolded && run.isFolded;
      joined[joined.length - 1] = { ...before, last: run.last, isFolded };
    }
  }
  return joined;
}

/** Returns the group whose sign a line has: the outermost folded one, else the innermost. */
export function groupAt(groups: readonly LineGroup[], line: number): LineGroup | undefined {
  const here = groups.filter(({ at }) => at === line);
  return here.find(({ isFolded }) => isFolded) ?? here.at(-1);
}
