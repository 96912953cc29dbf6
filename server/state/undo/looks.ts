import { columnName } from '../../model/address.ts';
import { settingDefaults, settingPaths } from '../../model/settings.ts';
import { sheetPropertyDefaults, sheetPropertyKeys } from '../../model/sheet-properties.ts';
import type { BranchState } from '../branch-state.ts';
import { sameLine, type LineProperties, type LineValue } from '../line-properties.ts';
import { runKey, type IdSpan } from '../order.ts';
import type { LineChange, LineSpan } from '../plan.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure.ts';
import { isSame, mergeLines, verdictOn, type Sides } from './merged-members.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';

/** Sizes and styles of rows and columns, properties of sheets, settings and named styles. */
export function* undoLooks(undo: SpanUndo): Generator<void, void> {
  for (const { id } of undo.before.structure.sheets) {
    if (!stateOf(undo).structure.withId(id)) continue;
    for (const axis of ['row', 'column'] as const) yield* undoLineProperties(undo, id, axis);
    yield* undoSheetProperties(undo, id);
  }
  yield* undoSettings(undo);
  yield* undoStyles(undo);
}

interface AxisLooks {
  readonly undo: SpanUndo;
  readonly axis: Axis;
  /** Before, and in what is undone so far. */
  readonly was: SheetOutline;
  readonly sheet: SheetOutline;
}

function* undoLineProperties(undo: SpanUndo, id: string, axis: Axis): Generator<void, void> {
  const of = ({ looks }: BranchState): LineProperties => looks.lines.of(id, axis);
  const [before, after, ours] = [of(undo.before), of(undo.after), of(undo.ours)];
  const was = undo.before.structure.withId(id);
  const sheet = stateOf(undo).structure.withId(id);
  if (before.equals(after) || !was || !sheet) return;
  const groups = new Map<string, { change: LineChange; spans: LineSpan[] }>();
  for (const { span, sides } of changedLines({ before, after, ours })) {
    const { change, isSkipped } = mergeLines(sides);
    const places = placesOf({ undo, axis, was, sheet }, span);
    if (isSkipped) skip(undo, { sheet, axis, places });
    if (!change || places.length === 0) continue;
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, spans: [] };
    group.spans.push(...places);
    groups.set(key, group);
  }
  for (const group of groups.values()) {
    const payload = { sheet: id, axis, ...group };
    yield* undo.parts.add({ kind: 'restore.lineProperties', payload });
  }
}

/** Lines that the span changed, those with the same values together. */
function* changedLines({
  before,
  after,
  ours,
}: Sides<LineProperties>): Generator<{ span: IdSpan; sides: Sides<LineValue> }> {
  for (const wanted of before.stretches(united([...before.intervals(), ...after.intervals()]))) {
    for (const then of after.stretches([wanted])) {
      if (sameLine(wanted.value, then.value)) continue;
      for (const span of ours.stretches([then])) {
        yield { span, sides: { before: wanted.value, after: then.value, ours: span.value } };
      }
    }
  }
}

/** Where the lines of a span stand that were there before. */
function placesOf({ axis, was, sheet }: AxisLooks, span: IdSpan): LineSpan[] {
  const order = orderOf(sheet, axis);
  return orderOf(was, axis)
    .piecesOf(span)
    .flatMap(({ skipped, length }) =>
      order.piecesOf({ ...span, offset: span.offset + skipped, length }),
    )
    .map(({ position, length }) => ({ from: position, count: length }));
}

function skip(
  undo: SpanUndo,
  { sheet, axis, places }: { sheet: SheetOutline; axis: Axis; places: readonly LineSpan[] },
): void {
  const name = (line: number) => (axis === 'row' ? String(line + 1) : columnName(line));
  for (const { from, count } of places) {
    undo.skipped.add(`${sheet.name}!${name(from)}:${name(from + count - 1)}`);
  }
}

/** The same lines, each once. */
function united(spans: readonly IdSpan[]): IdSpan[] {
  const sorted = spans.toSorted(
    (a, b) => runKey(a.branch, a.sequence) - runKey(b.branch, b.sequence) || a.offset - b.offset,
  );
  const found: IdSpan[] = [];
  for (const { branch, sequence, offset, length } of sorted) {
    const last = found.at(-1);
    const isNear =
      last?.branch === branch && last.sequence === sequence && offset <= last.offset + last.length;
    if (!isNear) found.push({ branch, sequence, offset, length });
    else {
      const end = Math.max(last.offset + last.length, offset + length);
      found[found.length - 1] = { ...last, length: end - last.offset };
    }
  }
  return found;
}

function* undoSheetProperties(undo: SpanUndo, id: string): Generator<void, void> {
  const { before, after, ours, skipped } = undo;
  const payload: Record<string, unknown> = {};
  for (const key of sheetPropertyKeys) {
    const of = ({ looks }: BranchState) => looks.properties.get(id, key);
    const wanted = of(before);
    const verdict = verdictOn({ before: wanted, after: of(after), ours: of(ours) });
    if (verdict === 'set') {
      payload[key] = isSame(wanted, sheetPropertyDefaults[key]) ? null : wanted;
    } else if (verdict === 'skip') {
      skipped.add(`${key} of the sheet ${ours.structure.withId(id)?.name ?? id}`);
    }
  }
  if (Object.keys(payload).length === 0) return;
  yield* undo.parts.add({ kind: 'sheet.props', payload: { sheet: id, ...payload } });
}

function* undoSettings({ before, after, ours, parts, skipped }: SpanUndo): Generator<void, void> {
  for (const path of settingPaths) {
    const of = ({ settings }: BranchState) => settings.get(path);
    const wanted = of(before);
    const verdict = verdictOn({ before: wanted, after: of(after), ours: of(ours) });
    if (verdict === 'skip') skipped.add(`the setting ${path}`);
    if (verdict !== 'set') continue;
    if (Array.isArray(wanted)) {
      yield* parts.add({ kind: 'props.set', payload: { labels: [...(wanted as string[])] } });
    } else {
      const value = isSame(wanted, settingDefaults[path]) ? null : (wanted as string | number);
      yield* parts.add({ kind: 'settings.set', payload: { path, value } });
    }
  }
}

function* undoStyles({ before, after, ours, parts, skipped }: SpanUndo): Generator<void, void> {
  const keys = [before, after].flatMap(({ looks }) => [...looks.styles.entries()]);
  for (const key of new Set(keys.map(([name]) => name))) {
    const of = ({ looks }: BranchState) => looks.styles.get(key);
    const [to, held] = [of(before), of(ours)];
    const verdict = verdictOn({ before: to, after: of(after), ours: held });
    const id = to?.id ?? held?.id ?? key;
    if (verdict === 'skip') skipped.add(`the style ${id}`);
    if (verdict !== 'set') continue;
    const payload = { id, style: to?.style ?? null };
    yield* parts.add({ kind: 'restore.style', payload });
  }
}
