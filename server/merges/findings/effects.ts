import { LRUCache } from 'lru-cache';

import type { Branches } from '../../branches/branches.ts';
import { Pace } from '../../branches/pace.ts';
import { columnLimit } from '../../model/address.ts';
import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import { readSheetValues } from '../../diffs/value-reading.ts';
import { ChangedPlaces } from '../../diffs/value-causes.ts';
import { differing, type ChangedValue, type SheetValuesById } from '../../diffs/values.ts';
import { lineText } from '../../state/area.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { StateDiff } from '../../state/diff/diff.ts';
import { isCell } from '../../state/merge/judge.ts';
import type { LineId } from '../../state/order.ts';
import type { SheetOutline } from '../../state/structure.ts';
import type { Models } from '../../values/models.ts';
import type { MergeOutcome } from '../computer.ts';
import type { Position } from '../graph.ts';
import { placeOf } from '../side-values.ts';
import { editsBehind } from './edits-behind.ts';

export const effectKinds = ['effect.value', 'effect.error', 'effect.cycle'] as const;

/** A cell that shows in the merged state what it shows on neither side. */
export interface Effect {
  readonly kind: (typeof effectKinds)[number];
  readonly place: { readonly sheetId: string; readonly row: LineId; readonly column: LineId };
  readonly text: string;
  readonly value: {
    readonly ours: Value;
    readonly theirs: Value;
    readonly merged: Value;
  };
  /** Cells that one of the sides edited and that it reads, directly or not; some of them. */
  readonly becauseOf: readonly string[];
}

export interface EffectParts {
  readonly models: Pick<Models, 'use' | 'useState'>;
  readonly branches: Pick<Branches, 'timeOf'>;
  readonly environment: Environment;
}

export interface MergedSides {
  readonly workbookId: string;
  readonly target: Position;
  readonly source: Position;
  readonly outcome: MergeOutcome;
}

/** Merges whose effects are kept: evaluating takes longer than all else about a merge. */
const keptMost = 16;

/** Effects of merges, evaluated once for what they come to, whoever asks and whatever is noted. */
export class Effects {
  readonly #parts: EffectParts;
  readonly #known = new LRUCache<string, Promise<readonly Effect[]>>({ max: keptMost });

  constructor(parts: EffectParts) {
    this.#parts = parts;
  }

  /** `diff` leads from the base to the merged state. */
  of(sides: MergedSides, diff: StateDiff): Promise<readonly Effect[]> {
    const { workbookId, target, source, outcome } = sides;
    const key = JSON.stringify([workbookId, target, source, outcome.bases, outcome.stateHash]);
    const known = this.#known.get(key);
    if (known) return known;
    const found = findEffects(sides, diff, this.#parts);
    this.#known.set(key, found);
    // Whoever waits for it hears of it; the next one shall try again.
    found.catch(() => this.#known.delete(key));
    return found;
  }
}

/**
 * Evaluates both sides and what they come to, and tells cells that nobody edited and that show
 * something else than on either side, and new errors wherever they are.
 */
async function findEffects(
  sides: MergedSides,
  diff: StateDiff,
  { models, branches, environment }: EffectParts,
): Promise<Effect[]> {
  const { workbookId, target, source, outcome } = sides;
  const sheets = outcome.merged.structure.sheets;
  const pace = new Pace(environment);
  const read = (position: Position, state: BranchState) =>
    models.use(placeOf(workbookId, position), true, (view) =>
      readSheetValues(view, sheetsIn(state, sheets), pace),
    );
  // One after the other: two models in hand at once could wait for each other.
  const ours = await read(target, outcome.ours);
  const theirs = await read(source, outcome.theirs);
  const { address } = placeOf(workbookId, target);
  // The clock of ours: what shows the time or is random is then no effect of merging.
  const at = await branches.timeOf(address, target.seq);
  const merged = await models.useState(outcome.merged, { address, at }, (view) =>
    readSheetValues(view, sheets, pace),
  );
  const found = new Map<string, Combined[]>();
  const moved = new Map<string, ChangedValue[]>();
  for (const sheet of sheets) {
    const [ourSheet, theirSheet] = [outcome.ours, outcome.theirs].map(({ structure }) =>
      structure.withId(sheet.id),
    );
    const fromOurs = await pace.run(
      changed({ was: ourSheet, is: sheet }, { before: ours, after: merged }),
    );
    const fromTheirs = await pace.run(
      changed({ was: theirSheet, is: sheet }, { before: theirs, after: merged }),
    );
    found.set(sheet.id, await pace.run(combined(fromOurs, fromTheirs)));
    moved.set(sheet.id, [...fromOurs, ...fromTheirs]);
  }
  const contested = contestedCells(outcome);
  return effectsOf({ diff, places: new ChangedPlaces(diff, moved), contested }, found, pace);
}

function sheetsIn(
  { structure }: BranchState,
  sheets: readonly SheetOutline[],
): (SheetOutline | undefined)[] {
  return sheets.map(({ id }) => structure.withId(id));
}

function changed(
  { was, is }: { readonly was: SheetOutline | undefined; readonly is: SheetOutline },
  sides: { readonly before: SheetValuesById; readonly after: SheetValuesById },
): Generator<void, ChangedValue[]> {
  const before = sides.before.get(is.id) ?? new Map<number, Value>();
  const after = sides.after.get(is.id) ?? new Map<number, Value>();
  return differing({ pair: { id: is.id, was, is }, before, after });
}

interface Combined {
  readonly row: number;
  readonly column: number;
  readonly value: Effect['value'];
}

/** Cells between two pauses. */
const cellsBetweenPauses = 4_096;

/** Cells that differ from both sides. */
function* combined(
  fromOurs: readonly ChangedValue[],
  fromTheirs: readonly ChangedValue[],
): Generator<void, Combined[]> {
  const known = new Map<number, ChangedValue>();
  const all: Combined[] = [];
  let seen = 0;
  for (const value of fromOurs) {
    if (++seen % cellsBetweenPauses === 0) yield;
    if (!value.isGone) known.set(keyOf(value), value);
  }
  for (const value of fromTheirs) {
    if (++seen % cellsBetweenPauses === 0) yield;
    const own = value.isGone ? undefined : known.get(keyOf(value));
    if (!own) continue;
    const { row, column, before: theirs, after: merged } = value;
    all.push({ row, column, value: { ours: own.before, theirs, merged } });
  }
  return all;
}

function keyOf({ row, column }: Pick<ChangedValue, 'row' | 'column'>): number {
  return row * columnLimit + column;
}

/** More than this nobody reads; the count tells of the others. */
const effectsMost = 10_000;

interface Edited {
  readonly diff: StateDiff;
  readonly places: ChangedPlaces;
  /** Cells that both sides wrote to, also where the merge has what the base had. */
  readonly contested: ReadonlySet<string>;
}

function contestedCells({ conflicts }: MergeOutcome): ReadonlySet<string> {
  const cells = new Set<string>();
  for (const { contest } of conflicts.values()) {
    const { sheetId, row, column } = contest.place;
    if (isCell(contest) && sheetId !== undefined && row && column) {
      cells.add(cellText({ sheetId, row, column }));
    }
  }
  return cells;
}

function cellText({ sheetId, row, column }: Effect['place']): string {
  return `${sheetId} ${lineText(row)} ${lineText(column)}`;
}

async function effectsOf(
  { diff, places, contested }: Edited,
  found: ReadonlyMap<string, readonly Combined[]>,
  pace: Pace,
): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const [sheetId, cells] of found) {
    const sheet = diff.to.structure.withId(sheetId);
    for (const cell of sheet ? cells : []) {
      if (!sheet || effects.length >= effectsMost) continue;
      const kind = kindOf(cell.value);
      const { row, column, value } = cell;
      const place = { sheetId, row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
      const isEdited = places.isEdited(sheetId, cell) || contested.has(cellText(place));
      if (kind === 'effect.value' && isEdited) continue;
      const { text, edits } = editsBehind(diff, { sheet, row, column }, places);
      effects.push({ kind, place, text, value, becauseOf: edits });
      if (pace.isDue) await pace.rest();
    }
  }
  return effects;
}

function kindOf({ ours, theirs, merged }: Effect['value']): Effect['kind'] {
  const error = errorOf(merged);
  if (error === undefined || errorOf(ours) !== undefined || errorOf(theirs) !== undefined) {
    return 'effect.value';
  }
  return error === '#CIRC!' ? 'effect.cycle' : 'effect.error';
}

function errorOf(value: Value): string | undefined {
  return typeof value === 'object' && value !== null ? value.error : undefined;
}
