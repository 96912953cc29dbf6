import { orderedStyle, plainStyle, type CellStyle } from '../../model/cell-style.ts';
import type { LineValue } from '../structure/line-value.ts';
import type { LineChange } from '../plan/plan.ts';

/** The three sides of a register (one value that a merge decides as a whole). */
export interface Sides<Value> {
  readonly theirs: Value;
  readonly base: Value;
  readonly ours: Value;
}

/**
 * Returns whether a merge takes the value of theirs ('set'), leaves that of ours ('leave'), or has
 * a conflict because both changed it ('contest').
 */
export function verdictOn({ theirs, base, ours }: Sides<unknown>): 'set' | 'leave' | 'contest' {
  if (isSame(theirs, base) || isSame(theirs, ours)) return 'leave';
  return isSame(base, ours) ? 'set' : 'contest';
}

/** The side that wins a value which both sides changed. */
export type Preference = 'ours' | 'theirs';

interface Merged<Value> {
  readonly value: Value;
  /** Names of members that both sides changed, each in its way. */
  readonly contested: readonly string[];
}

/** Merges styles member by member. */
export function mergeStyles(
  sides: Sides<CellStyle>,
  preference: Preference = 'ours',
): Merged<CellStyle> {
  const { values, contested } = mergeMembers(sides, preference);
  return { value: orderedStyle(values), contested };
}

/**
 * Returns the change that a merge makes to a row or column, undefined when there is none, and the
 * names of members that both sides changed.
 */
export function mergeLineValues(
  sides: Sides<LineValue>,
  preference: Preference = 'ours',
): { readonly change: LineChange | undefined; readonly contested: readonly string[] } {
  const withoutStyle = {
    theirs: bare(sides.theirs),
    base: bare(sides.base),
    ours: bare(sides.ours),
  };
  const { values, contested } = mergeMembers(withoutStyle, preference);
  const change: Record<string, unknown> = {};
  for (const key of Object.keys({ ...withoutStyle.ours, ...values })) {
    const held: unknown = withoutStyle.ours[key as keyof LineValue];
    if (held !== values[key]) change[key] = values[key] ?? null;
  }
  const styles = mergeStyles(
    {
      theirs: sides.theirs.style ?? plainStyle,
      base: sides.base.style ?? plainStyle,
      ours: sides.ours.style ?? plainStyle,
    },
    preference,
  );
  if (!isSame(styles.value, sides.ours.style ?? plainStyle)) {
    change['style'] = Object.keys(styles.value).length === 0 ? null : styles.value;
  }
  return {
    change: Object.keys(change).length > 0 ? change : undefined,
    contested: [...contested, ...styles.contested.map((key) => `style.${key}`)],
  };
}

function bare({ style: _style, ...rest }: LineValue): LineValue {
  return rest;
}

function mergeMembers(
  { theirs, base, ours }: Sides<object>,
  preference: Preference,
): { readonly values: Record<string, unknown>; readonly contested: string[] } {
  const [wanted, then, now] = [theirs, base, ours] as Record<string, unknown>[];
  const values: Record<string, unknown> = { ...now };
  const contested: string[] = [];
  for (const key of Object.keys({ ...wanted, ...then })) {
    const to = wanted?.[key];
    const verdict = verdictOn({ theirs: to, base: then?.[key], ours: now?.[key] });
    if (verdict === 'contest') contested.push(key);
    if (verdict === 'leave' || (verdict === 'contest' && preference === 'ours')) continue;
    if (to === undefined) delete values[key];
    else values[key] = to;
  }
  return { values, contested };
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
