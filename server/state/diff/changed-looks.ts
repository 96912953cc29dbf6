import { settingPaths, type SettingPath, type SettingValue } from '../../model/settings.ts';
import {
  sheetPropertyKeys,
  type SheetPropertyKey,
  type SheetPropertyValue,
} from '../../model/sheet-properties.ts';
import type { LineProperties } from '../structure/line-properties.ts';
import { sameLine, type LineValue } from '../structure/line-value.ts';
import type { NamedStyle } from '../structure/looks.ts';
import type { IdSpan } from '../ids/order.ts';
import { limitOf, orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { united } from '../ids/id-span.ts';
import { isSame } from '../compare/merged-members.ts';
import type { SheetPair, Sides } from './sides.ts';

/** Rows or columns of the later state whose size, level or style changed. */
export interface ChangedLines {
  readonly axis: Axis;
  readonly position: number;
  readonly count: number;
  readonly was: LineValue;
  readonly is: LineValue;
}

export interface ChangedProperty {
  readonly key: SheetPropertyKey;
  readonly was: SheetPropertyValue;
  readonly is: SheetPropertyValue;
}

export interface ChangedSetting {
  readonly path: SettingPath;
  readonly was: SettingValue;
  readonly is: SettingValue;
}

export interface ChangedStyle {
  readonly id: string;
  readonly was: NamedStyle['style'] | undefined;
  readonly is: NamedStyle['style'] | undefined;
}

/** A changed member of the policy, which only branch 0 has. */
export interface ChangedMember {
  readonly path: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** Compares sizes, levels and styles of lines; sorted by axis and position. */
export function changedLines(sides: Sides, { id, is }: SheetPair): ChangedLines[] {
  return (['row', 'column'] as const).flatMap((axis) => {
    const [was, now] = [sides.from, sides.to].map(({ looks }) => looks.lines.of(id, axis));
    if (!is || !was || !now || was.equals(now)) return [];
    const lines = [...differingSpans(was, now)].flatMap((span) => placed(span, is, axis));
    return joined(lines.sort((a, b) => a.position - b.position));
  });
}

interface DifferingSpan {
  readonly span: IdSpan;
  readonly was: LineValue;
  readonly is: LineValue;
}

function* differingSpans(was: LineProperties, is: LineProperties): Generator<DifferingSpan> {
  for (const before of was.stretches(united([...was.intervals(), ...is.intervals()]))) {
    for (const after of is.stretches([before])) {
      if (sameLine(before.value, after.value)) continue;
      yield { span: after, was: before.value, is: after.value };
    }
  }
}

/** Returns the positions of differing lines in the later state; deleted lines have none. */
function placed({ span, was, is }: DifferingSpan, sheet: SheetOutline, axis: Axis): ChangedLines[] {
  const limit = limitOf(axis);
  const lines = orderOf(sheet, axis)
    .piecesOf(span)
    .map(({ position, length }) => {
      return { axis, position, count: Math.min(length, limit - position), was, is };
    });
  return lines.filter(({ count }) => count > 0);
}

/** Joins neighbours with the same change. */
function joined(lines: readonly ChangedLines[]): ChangedLines[] {
  const found: ChangedLines[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    const isNext =
      last?.position !== undefined &&
      last.position + last.count === line.position &&
      sameLine(last.was, line.was) &&
      sameLine(last.is, line.is);
    if (isNext) found[found.length - 1] = { ...last, count: last.count + line.count };
    else found.push(line);
  }
  return found;
}

export function changedProperties({ from, to }: Sides, { id, is }: SheetPair): ChangedProperty[] {
  if (!is) return [];
  return sheetPropertyKeys.flatMap((key) => {
    const [was, now] = [from, to].map(({ looks }) => looks.properties.get(id, key));
    if (was === undefined || now === undefined || isSame(was, now)) return [];
    return [{ key, was, is: now }];
  });
}

export function changedSettings({ from, to }: Sides): ChangedSetting[] {
  return settingPaths.toSorted().flatMap((path) => {
    const [was, is] = [from.settings.get(path), to.settings.get(path)];
    return isSame(was, is) ? [] : [{ path, was, is }];
  });
}

export function changedStyles({ from, to }: Sides): ChangedStyle[] {
  const keys = [from, to].flatMap(({ looks }) => [...looks.styles.entries()].map(([key]) => key));
  return [...new Set(keys)].sort().flatMap((key) => {
    const [was, is] = [from.looks.styles.get(key), to.looks.styles.get(key)];
    if (was === is || isSame(was, is)) return [];
    return [{ id: is?.id ?? was?.id ?? key, was: was?.style, is: is?.style }];
  });
}

export function changedPolicy({ from, to }: Sides): ChangedMember[] {
  const [was, is] = [new Map(from.policy.entries()), new Map(to.policy.entries())];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((path) => {
    const [before, after] = [was.get(path), is.get(path)];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    return [{ path, was: before, is: after }];
  });
}
