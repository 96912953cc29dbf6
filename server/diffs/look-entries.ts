import type { CellStyle, StyleKey } from '../model/cell-style.ts';
import { cellCount, rangeName } from '../model/range.ts';
import type { ChangedFormat } from '../state/diff/changed-formats.ts';
import type { ChangedLines } from '../state/diff/changed-looks.ts';
import type { SheetDiff, StateDiff } from '../state/diff/diff.ts';
import type { DiffEntry } from './entry.ts';
import { linesName } from './line-names.ts';
import { sheetName } from './sheet-names.ts';

export function* formatEntries(diff: StateDiff, sheet: SheetDiff): Generator<DiffEntry> {
  const { pair, formats } = sheet;
  for (const format of formats) {
    const show = () => ({ sheet: sheetName(pair), ...shownFormat(diff, format) });
    yield { list: 'formats', pair, show };
  }
}

/** Returns the differing properties; null stands for the default. */
function shownFormat({ to }: StateDiff, { range, was, is }: ChangedFormat) {
  const { styles } = to.coding.dictionary;
  const sides = differing(styles.style(was), styles.style(is));
  return { range: rangeName(range), count: cellCount(range), ...sides };
}

function differing(was: CellStyle, is: CellStyle) {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort() as StyleKey[];
  const others = keys.filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]));
  const of = (style: CellStyle) =>
    Object.fromEntries(others.map((key) => [key, style[key] ?? null]));
  return { before: of(was), after: of(is) };
}

export function* propertyEntries({ pair, lines, properties }: SheetDiff): Generator<DiffEntry> {
  const sheet = sheetName(pair);
  for (const changed of lines) {
    yield { list: 'properties', pair, show: () => ({ sheet, ...shownLines(changed) }) };
  }
  for (const { key, was, is } of properties) {
    const show = () => ({ sheet, property: key, before: was, after: is });
    yield { list: 'properties', pair, show };
  }
}

function shownLines({ axis, position, count, was, is }: ChangedLines) {
  const lines = { axis: axis === 'row' ? 'rows' : 'cols', at: linesName(axis, position, count) };
  return { ...lines, before: was, after: is };
}

export function* workbookEntries({ settings, styles, policy }: StateDiff): Generator<DiffEntry> {
  const pair = undefined;
  for (const { path, was, is } of settings) {
    yield { list: 'settings', pair, show: () => ({ path, before: was, after: is }) };
  }
  for (const { id, was, is } of styles) {
    const show = () => ({ style: id, before: was ?? null, after: is ?? null });
    yield { list: 'styles', pair, show };
  }
  for (const { path, was, is } of policy) {
    yield { list: 'policy', pair, show: () => ({ path, before: was ?? null, after: is ?? null }) };
  }
}
