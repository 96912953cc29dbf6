import { columnName } from '../../model/address.ts';
import { settingDefaults, settingPaths } from '../../model/settings.ts';
import { sheetPropertyDefaults, sheetPropertyKeys } from '../../model/sheet-properties.ts';
import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineProperties } from '../structure/line-properties.ts';
import { sameLine, type LineValue } from '../structure/line-value.ts';
import { united, type IdSpan } from '../ids/id-span.ts';
import type { LineChange } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { isSame, mergeLineValues, type Sides } from '../compare/merged-members.ts';
import { isLeft, stateOf, takes, type Merging } from './merging.ts';
import { mergeTexts } from './record-members.ts';
import { contestedChange } from './scope.ts';

/** Merges sizes and styles of rows and columns, properties of sheets, settings and named styles. */
export function* mergeLooks(merging: Merging): Generator<void, void> {
  for (const { id } of merging.theirs.structure.sheets) {
    if (!stateOf(merging).structure.withId(id)) continue;
    for (const axis of ['row', 'column'] as const) yield* mergeLineProperties(merging, id, axis);
    yield* mergeSheetProperties(merging, id);
  }
  yield* mergeSettings(merging);
  yield* mergeStyles(merging);
}

interface AxisLooks {
  readonly merging: Merging;
  readonly axis: Axis;
  /** The sheet in theirs, and in the state merged so far. */
  readonly was: SheetOutline;
  readonly sheet: SheetOutline;
}

function* mergeLineProperties(merging: Merging, id: string, axis: Axis): Generator<void, void> {
  const of = ({ looks }: BranchState): LineProperties => looks.lines.of(id, axis);
  const [theirs, base, ours] = [of(merging.theirs), of(merging.base), of(merging.ours)];
  const was = merging.theirs.structure.withId(id);
  const sheet = stateOf(merging).structure.withId(id);
  if (theirs.equals(base) || !was || !sheet) return;
  const groups = new Map<string, { change: LineChange; spans: LineSpan[] }>();
  for (const { span, sides } of changedLines({ theirs, base, ours })) {
    const places = placesOf({ merging, axis, was, sheet }, span);
    const change = changeOf({ merging, axis, was, sheet }, { sides, span, places });
    if (!change || places.length === 0) continue;
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, spans: [] };
    for (const place of places) group.spans.push(place);
    groups.set(key, group);
  }
  for (const group of groups.values()) {
    const payload = { sheet: id, axis, ...group };
    yield* merging.parts.add({ kind: 'restore.lineProperties', payload });
  }
}

/**
 * Yields stretches of lines that theirs changed, cut so that each state has one value in a stretch.
 */
function* changedLines({
  theirs,
  base,
  ours,
}: Sides<LineProperties>): Generator<{ span: IdSpan; sides: Sides<LineValue> }> {
  for (const wanted of theirs.stretches(united([...theirs.intervals(), ...base.intervals()]))) {
    for (const then of base.stretches([wanted])) {
      if (sameLine(wanted.value, then.value)) continue;
      for (const span of ours.stretches([then])) {
        yield { span, sides: { theirs: wanted.value, base: then.value, ours: span.value } };
      }
    }
  }
}

/** Positions in the merged state of the lines of a span that theirs has. */
function placesOf({ axis, was, sheet }: AxisLooks, span: IdSpan): LineSpan[] {
  const order = orderOf(sheet, axis);
  return orderOf(was, axis)
    .piecesOf(span)
    .flatMap(({ skipped, length }) =>
      order.piecesOf({ ...span, offset: span.offset + skipped, length }),
    )
    .map(({ position, length }) => ({ from: position, count: length }));
}

interface ChangedSpan {
  readonly sides: Sides<LineValue>;
  readonly span: IdSpan;
  readonly places: readonly LineSpan[];
}

function changeOf(
  { merging, axis, sheet }: AxisLooks,
  { sides, span, places }: ChangedSpan,
): LineChange | undefined {
  const place = { sheetId: sheet.id, ...(axis === 'row' ? { row: span } : { column: span }) };
  if (isLeft(merging, { kind: 'format.lines', place })) return undefined;
  const { change, contested } = mergeLineValues(sides);
  if (contested.length === 0) return change;
  const name = (line: number) => (axis === 'row' ? String(line + 1) : columnName(line));
  const texts = places.map(({ from, count }) => `${name(from)}:${name(from + count - 1)}`);
  if (texts.length === 0) return change;
  const choice = merging.judge.decide({
    kind: axis === 'row' ? 'row.property' : 'col.property',
    register: `${axis} looks ${sheet.id} ${lineText(span)}+${span.length}`,
    text: texts.map((text) => `${sheet.name}!${text}`).join(', '),
    place,
    sides: () => sides,
  });
  return choice === 'theirs' ? mergeLineValues(sides, 'theirs').change : change;
}

function* mergeSheetProperties(merging: Merging, id: string): Generator<void, void> {
  const { theirs, base, ours } = merging;
  const payload: Record<string, unknown> = {};
  for (const key of sheetPropertyKeys) {
    const of = ({ looks }: BranchState) => looks.properties.get(id, key);
    const wanted = of(theirs);
    const sides = { theirs: wanted, base: of(base), ours: of(ours) };
    const isTaken = takes(merging, sides, {
      kind: 'sheet.property',
      register: `sheet property ${id} ${key}`,
      text: `${key} of the sheet ${ours.structure.withId(id)?.name ?? id}`,
      place: { sheetId: id, name: key },
    });
    if (isTaken) payload[key] = isSame(wanted, sheetPropertyDefaults[key]) ? null : wanted;
  }
  if (Object.keys(payload).length === 0) return;
  yield* merging.parts.add({ kind: 'sheet.props', payload: { sheet: id, ...payload } });
}

function* mergeSettings(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, parts } = merging;
  for (const path of settingPaths) {
    const of = ({ settings }: BranchState) => settings.get(path);
    const sides = { theirs: of(theirs), base: of(base), ours: of(ours) };
    const text = `the setting ${path}`;
    const register = `setting ${path}`;
    const contest = { kind: 'setting', register, text, place: { name: path } } as const;
    if (path === 'labels') {
      if (!isLeft(merging, contestedChange(contest))) yield* mergeLabels(merging, sides);
    } else if (takes(merging, sides, contest)) {
      const wanted = sides.theirs as string | number;
      const value = isSame(wanted, settingDefaults[path]) ? null : wanted;
      yield* parts.add({ kind: 'settings.set', payload: { path, value } });
    }
  }
}

/** Merges labels as a set: each side's additions and removals apply, without conflicts. */
function* mergeLabels({ parts }: Merging, sides: Sides<unknown>): Generator<void, void> {
  const { theirs, base, ours } = sides as Sides<readonly string[]>;
  const labels = mergeTexts({ theirs, base, ours }).toSorted();
  if (isSame(labels, ours)) return;
  yield* parts.add({ kind: 'props.set', payload: { labels } });
}

function* mergeStyles(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, parts } = merging;
  const keys = [theirs, base].flatMap(({ looks }) => [...looks.styles.entries()]);
  for (const key of new Set(keys.map(([name]) => name))) {
    const of = ({ looks }: BranchState) => looks.styles.get(key);
    const [to, held] = [of(theirs), of(ours)];
    const sides = { theirs: to, base: of(base), ours: held };
    const id = to?.id ?? held?.id ?? key;
    const text = `the style ${id}`;
    const contest = {
      kind: 'style.edit',
      register: `style ${key}`,
      text,
      place: { name: id },
    } as const;
    if (!takes(merging, sides, contest)) continue;
    const payload = { id, style: to?.style ?? null };
    yield* parts.add({ kind: 'restore.style', payload });
  }
}
