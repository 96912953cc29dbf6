import { columnName } from '../../server/model/address.ts';
import { writeStyle, type CellStyle } from '../../server/model/cell-style.ts';
import type { Operation, Payload } from '../../server/model/operation.ts';
import { isSettingPath } from '../../server/model/settings.ts';
import { sheetPropertyKeys } from '../../server/model/sheet-properties.ts';
import type { LineValue } from '../../server/state/structure/line-value.ts';
import type { LineRun, SheetLook, WorkbookLook } from './sheet-look.ts';

type Axis = 'rows' | 'cols';
type StylePartial = Payload<'format.set'>['style'];

/** Spans of one operation; operations take up to 10,000. */
const spansMost = 5_000;
/** Characters of one range argument; operations take up to 2,048. */
const rangeCharacters = 2_000;

/** Yields operations for the settings and named styles of the workbook. */
export function* workbookOperations({ settings, styles }: WorkbookLook): Generator<Operation> {
  const properties: Payload<'props.set'> = {};
  for (const [path, value] of Object.entries(settings)) {
    if (typeof value === 'object') properties.labels = [...value];
    else if (path === 'title' || path === 'description') properties[path] = String(value);
    else if (isSettingPath(path)) yield { kind: 'settings.set', payload: { path, value } };
  }
  if (Object.keys(properties).length > 0) yield { kind: 'props.set', payload: properties };
  for (const { id, style } of styles) {
    const { named: _named, ...own } = wireOf(style);
    yield { kind: 'style.define', payload: { id, style: own } };
  }
}

/**
 * Yields operations for a sheet's properties and the styles of whole rows and columns, which come
 * before cells.
 */
export function* sheetLookOperations(sheet: string, look: SheetLook): Generator<Operation> {
  const { properties } = look;
  if (sheetPropertyKeys.some((key) => properties[key] !== undefined)) {
    yield { kind: 'sheet.props', payload: { sheet, ...properties } };
  }
  for (const axis of ['cols', 'rows'] as const) {
    const runs = axis === 'rows' ? look.rows : look.columns;
    for (const { style, range } of styledRanges(axis, runs)) {
      // At a crossing the style of the row wins over that of the column.
      yield { kind: 'format.set', payload: { sheet, range, style: wireOf(style), replace: true } };
    }
  }
  yield* lineOperations(sheet, 'cols', look.columns);
  yield* lineOperations(sheet, 'rows', look.rows);
}

/** Returns a style as format.set takes it. */
export function wireOf(style: CellStyle): StylePartial {
  // The words of a style were checked when it was read.
  return writeStyle(style) as StylePartial;
}

function* styledRanges(
  axis: Axis,
  runs: readonly LineRun[],
): Generator<{ style: CellStyle; range: string }> {
  for (const [value, spans] of grouped(runs, ({ style }) => (style ? { style } : undefined))) {
    let range = '';
    for (const { from, to } of spans) {
      const name = `${lineName(axis, from)}:${lineName(axis, to)}`;
      if (range.length + name.length > rangeCharacters && value.style) {
        yield { style: value.style, range };
        range = '';
      }
      range += range === '' ? name : `,${name}`;
    }
    if (value.style) yield { style: value.style, range };
  }
}

function lineName(axis: Axis, line: number): string {
  return axis === 'rows' ? String(line + 1) : columnName(line);
}

function* lineOperations(
  sheet: string,
  axis: Axis,
  runs: readonly LineRun[],
): Generator<Operation> {
  for (const [value, spans] of grouped(runs, sizeOf)) {
    for (const lines of chunks(axis, spans)) {
      yield operation(`${axis}.size`, { sheet, ...lines, ...value });
    }
  }
  for (const [value, spans] of grouped(runs, groupOf)) {
    for (const lines of chunks(axis, spans)) {
      yield operation(`${axis}.group`, { sheet, ...lines, ...value });
    }
  }
  for (const [value, spans] of grouped(runs, hiddenOf)) {
    for (const lines of chunks(axis, spans)) {
      yield operation(`${axis}.hide`, { sheet, ...lines, ...value });
    }
  }
}

function sizeOf({ px }: LineValue): LineValue | undefined {
  return px === undefined ? undefined : { px };
}

function groupOf({ level, collapsed }: LineValue): LineValue | undefined {
  if (level === undefined && !collapsed) return undefined;
  return { ...(collapsed && { collapsed }), ...(level !== undefined && { level }) };
}

/** Returns the hidden property of lines; collapsed lines are hidden by that alone. */
function hiddenOf({ hidden, collapsed }: LineValue): LineValue | undefined {
  return hidden && !collapsed ? { hidden } : undefined;
}

type LineKind = `${Axis}.${'size' | 'group' | 'hide'}`;

function operation(kind: LineKind, payload: object): Operation {
  // Rows and columns are both named by number.
  return { kind, payload } as Operation;
}

type Group = readonly [value: LineValue, spans: { from: number; to: number }[]];

/** Groups runs by what `look` returns of them; adjacent runs with an equal result become one. */
function grouped(
  runs: readonly LineRun[],
  look: (value: LineValue) => LineValue | undefined,
): Group[] {
  const groups = new Map<string, Group>();
  for (const { from, to, value } of runs) {
    const seen = look(value);
    if (seen === undefined) continue;
    const key = JSON.stringify(seen);
    const group: Group = groups.get(key) ?? [seen, []];
    groups.set(key, group);
    const [, spans] = group;
    const last = spans.at(-1);
    if (last?.to === from - 1) last.to = to;
    else spans.push({ from, to });
  }
  return [...groups.values()];
}

function* chunks(axis: Axis, spans: readonly { from: number; to: number }[]) {
  for (let at = 0; at < spans.length; at += spansMost) {
    const part = spans.slice(at, at + spansMost).map(({ from, to }) => ({
      from: axis === 'rows' ? from + 1 : columnName(from),
      count: to - from + 1,
    }));
    const [first] = part;
    yield part.length === 1 && first ? first : { spans: part };
  }
}
