import { columnName } from '../../model/address.ts';
import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import { united } from '../ids/id-span.ts';
import type { IdSpan } from '../ids/order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import type { Contest, ContestSides, Judge, Side } from './judge.ts';
import { finiteSpans, missingFrom, presentIn, restOf } from './line-merging.ts';
import type { Change } from './merging.ts';
import type { DeletedPart } from './named-deletions.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { sameSheet } from './sheets.ts';
import { tablePlace } from './table-place.ts';
import { touchedLines, type Touch } from './touched-lines.ts';

/** The side that deleted something, and the side that may have written to it. */
export type Deleter = readonly [deleter: Side, writer: Side];

export const deleters: readonly Deleter[] = [
  ['ours', 'theirs'],
  ['theirs', 'ours'],
];

/**
 * Takes out of the base what is kept although one side deleted it. Then it comes with the side that
 * has it as anything new does, cells and rules and all, and what names it goes on naming it; the
 * same from both directions.
 */
export function* leaveKept(
  { base: parts, ours, theirs }: AlignedSides,
  { kept = [], heldOf, policy }: Pick<Change, 'kept' | 'heldOf' | 'policy'>,
  judge: Judge,
): Generator<void, void> {
  const common = parts.state;
  yield* leaveNamed(parts, kept, [ours.state, theirs.state]);
  const base = parts.state.fork();
  const states = { common, base, ours: ours.state, theirs: theirs.state, heldOf, policy };
  for (const sheet of base.structure.sheets) {
    for (const deleter of deleters) {
      yield* settleSheet({ ...states, sheet, deleter }, parts, judge);
    }
  }
}

interface SheetSides extends Pick<Change, 'heldOf' | 'policy'> {
  readonly common: BranchState;
  /** The base without what was kept for formulas. */
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
  /** The sheet as the base has it. */
  readonly sheet: SheetOutline;
  readonly deleter: Deleter;
}

function* settleSheet(
  sides: SheetSides,
  parts: OperationParts,
  judge: Judge,
): Generator<void, void> {
  const { sheet } = sides;
  if (sides[sides.deleter[0]].structure.withId(sheet.id)) {
    for (const axis of ['row', 'column'] as const) {
      const spans = keptLines({ ...sides, axis }, judge);
      yield* deleteLines(parts, { sheetId: sheet.id, axis, spans });
    }
  } else if (isKept(sides, judge)) {
    deleteSheet(parts, sheet);
  }
}

/** Takes out what was kept for formulas, but for lines that a side got back: both have these. */
function* leaveNamed(
  parts: OperationParts,
  kept: NonNullable<Change['kept']>,
  sides: readonly BranchState[],
): Generator<void, void> {
  for (const { sheetId, lines } of kept) {
    const sheet = parts.state.structure.withId(sheetId);
    if (sheet && lines) {
      const { axis } = lines;
      const spans = united(sides.flatMap((side) => missingOn(side, { sheetId, lines })));
      yield* deleteLines(parts, { sheetId, axis, spans });
    } else if (sheet) deleteSheet(parts, sheet);
  }
}

function missingOn(
  { structure }: BranchState,
  { sheetId, lines }: Required<DeletedPart>,
): readonly IdSpan[] {
  const sheet = structure.withId(sheetId);
  return sheet ? missingFrom(lines.spans, orderOf(sheet, lines.axis)) : lines.spans;
}

/**
 * Deletes a sheet directly: an operation refuses to delete the last visible one, though the other
 * side may have added sheets.
 */
function deleteSheet(parts: OperationParts, sheet: SheetOutline): void {
  parts.apply({ type: 'sheetDelete', sheet });
}

/** Deletes lines, as far as they are still there. */
export function* deleteLines(
  parts: OperationParts,
  { sheetId, axis, spans: ids }: NonNullable<DeletedPart['lines']> & { readonly sheetId: string },
): Generator<void, void> {
  const sheet = parts.state.structure.withId(sheetId);
  const spans = ids
    .flatMap((span) => (sheet ? orderOf(sheet, axis).piecesOf(span) : []))
    .map(({ position, length }) => ({ from: position + 1, count: length }))
    .toSorted((a, b) => a.from - b.from);
  if (spans.length === 0) return;
  const kind = axis === 'row' ? 'rows.delete' : 'cols.delete';
  yield* parts.add({ kind, payload: { sheet: sheetId, spans } });
}

/** Returns whether to keep a sheet that one side deleted and the other changed. */
function isKept({ base, sheet, deleter, ...sides }: SheetSides, judge: Judge): boolean {
  const [loser, winner] = deleter;
  const writer = sides[winner];
  const now = writer.structure.withId(sheet.id);
  if (!now || sameSheet({ state: base, sheet }, { state: writer, sheet: now })) return false;
  const choice = judge.decide({
    kind: 'sheet.edit_delete',
    register: `sheet edit_delete ${sheet.id}`,
    text: `the sheet ${now.name}`,
    place: { sheetId: sheet.id },
    sides: () => sidesOf(loser, 'modified'),
  });
  return choice === winner;
}

function sidesOf(deleter: Side, how: Touch): ContestSides {
  return deleter === 'ours'
    ? { base: 'there', ours: 'removed', theirs: how }
    : { base: 'there', ours: how, theirs: 'removed' };
}

export interface LineSides extends SheetSides {
  readonly axis: Axis;
}

/**
 * Lines to keep: those that one side deleted, the other changed, and the judge gives to the other.
 */
function keptLines(sides: LineSides, judge: Judge): IdSpan[] {
  const { base, common, sheet, axis, policy, deleter } = sides;
  const [loser, winner] = deleter;
  const writer = sides[winner];
  const [was, is, now] = [base, writer, sides[loser]].map(({ structure }) => {
    const found = structure.withId(sheet.id);
    return found && orderOf(found, axis);
  });
  if (!was || !is || !now || was === now) return [];
  const rest = Math.max(restOf(was), restOf(now));
  const gone = missingFrom(finiteSpans(was, rest), now);
  const present = presentIn(gone, is);
  if (present.length === 0) return [];
  const changed = { base: common, ours: writer };
  const looks = areLooksTouched(policy);
  const touched = touchedLines(changed, { sheetId: sheet.id, axis, spans: present }, { looks });
  return present.flatMap((span) =>
    touched(span)
      .map(({ offset, how }) => ({ line: { ...span, offset, length: 1 }, how }))
      .filter(({ line, how }) => isWanted(sides, { line, how }, judge))
      .map(({ line }) => line),
  );
}

/** Returns whether a line with another look counts as changed. */
export function areLooksTouched(policy: Change['policy']): boolean {
  return (policy?.deleteVsFormat ?? 'ignore') !== 'ignore';
}

/** Asks about a line that one side deleted and the other one changed: returns whether it stays. */
export function isWanted(
  sides: LineSides,
  { line, how }: { readonly line: IdSpan; readonly how: Touch },
  judge: Judge,
): boolean {
  const [loser, winner] = sides.deleter;
  const isWarned = how === 'formatted' && sides.policy?.deleteVsFormat === 'warn';
  const usual = isWarned ? loser : undefined;
  const contest = contestOf(sides, line);
  return judge.decide({ ...contest, sides: () => sidesOf(loser, how), usual }) === winner;
}

function contestOf(
  { base, heldOf, sheet, axis }: LineSides,
  { branch, sequence, offset }: IdSpan,
): Omit<Contest, 'sides'> {
  const id = { branch, sequence, offset };
  const position = orderOf(sheet, axis).positionOf(branch, sequence, offset) ?? 0;
  const name = axis === 'row' ? String(position + 1) : columnName(position);
  const lines = axis === 'row' ? { row: id } : { column: id };
  const inTable = tablePlace(base, { sheetId: sheet.id, ...lines });
  // The alignment may have put a table row on a new line, whose id means nothing elsewhere; the key
  // does.
  const isOwn = inTable && heldOf !== undefined && sequence > heldOf(branch);
  const known = isOwn
    ? `${inTable.tableId ?? ''} ${JSON.stringify(inTable.key)}`
    : `${sheet.id} ${lineText(id)}`;
  return {
    kind: inTable ? 'tablerow.edit_delete' : axis === 'row' ? 'row.edit_delete' : 'col.edit_delete',
    register: `${axis} edit_delete ${known}`,
    text: `${sheet.name}!${name}:${name}`,
    place: { sheetId: sheet.id, ...lines, ...inTable },
  };
}
