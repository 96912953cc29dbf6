import { orderedStyle, plainStyle, type CellStyle } from '../../model/cell-style.ts';
import type { LineValue } from '../line-properties.ts';
import type { LineChange } from '../plan.ts';

/** The three sides of a register: what it shall be, what it became, and what it is. */
export interface Sides<Value> {
  readonly before: Value;
  readonly after: Value;
  readonly ours: Value;
}

/** Whether an undo sets a register back, or leaves it: perhaps because others changed it since. */
export function verdictOn({ before, after, ours }: Sides<unknown>): 'set' | 'leave' | 'skip' {
  if (isSame(before, after) || isSame(before, ours)) return 'leave';
  return isSame(after, ours) ? 'set' : 'skip';
}

interface Merged<Value> {
  readonly value: Value;
  /** Whether something stays as it is because others changed it since. */
  readonly isSkipped: boolean;
}

/** Members that the span changed as they were before, all others as they are. */
export function mergeStyles(sides: Sides<CellStyle>): Merged<CellStyle> {
  const { values, isSkipped } = mergeMembers(sides);
  return { value: orderedStyle(values), isSkipped };
}

/** What has to be set of a row or column; undefined when it is all so. */
export function mergeLines(sides: Sides<LineValue>): {
  readonly change: LineChange | undefined;
  readonly isSkipped: boolean;
} {
  const withoutStyle = {
    before: bare(sides.before),
    after: bare(sides.after),
    ours: bare(sides.ours),
  };
  const { values, isSkipped } = mergeMembers(withoutStyle);
  const change: Record<string, unknown> = {};
  for (const key of Object.keys({ ...withoutStyle.ours, ...values })) {
    const held: unknown = withoutStyle.ours[key as keyof LineValue];
    if (held !== values[key]) change[key] = values[key] ?? null;
  }
  const styles = mergeStyles({
    before: sides.before.style ?? plainStyle,
    after: sides.after.style ?? plainStyle,
    ours: sides.ours.style ?? plainStyle,
  });
  if (!isSame(styles.value, sides.ours.style ?? plainStyle)) {
    change['style'] = Object.keys(styles.value).length === 0 ? null : styles.value;
  }
  return {
    change: Object.keys(change).length > 0 ? change : undefined,
    isSkipped: isSkipped || styles.isSkipped,
  };
}

function bare({ style: _style, ...rest }: LineValue): LineValue {
  return rest;
}

function mergeMembers({ before, after, ours }: Sides<object>): {
  readonly values: Record<string, unknown>;
  readonly isSkipped: boolean;
} {
  const [wanted, then, now] = [before, after, ours] as Record<string, unknown>[];
  const values: Record<string, unknown> = { ...now };
  let isSkipped = false;
  for (const key of Object.keys({ ...wanted, ...then })) {
    const to = wanted?.[key];
    const verdict = verdictOn({ before: to, after: then?.[key], ours: now?.[key] });
    if (verdict === 'skip') isSkipped = true;
    if (verdict !== 'set') continue;
    if (to === undefined) delete values[key];
    else values[key] = to;
  }
  return { values, isSkipped };
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
