import { LRUCache } from 'lru-cache';

import { Pace } from '../../branches/pace.ts';
import type { Value } from '../../model/cell-value.ts';
import { ShownPlaces } from '../../diffs/value-causes.ts';
import { lineText } from '../../state/structure/area.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { EditedCells } from '../../state/diff/edited-cells.ts';
import { isCell } from '../../state/merge/judge.ts';
import type { LineId } from '../../state/ids/order.ts';
import type { MergeOutcome } from '../merge-computer.ts';
import type {
  CombinedSides,
  CombinedValue,
  CombinedValues,
  CombiningParts,
} from './combined-value.ts';
import { combinedValues } from './combined-values.ts';
import { editsBehind, type MergedChanges } from './edits-behind.ts';

export const effectKinds = ['effect.value', 'effect.error', 'effect.cycle'] as const;

/** A cell whose value in the merged state is the value on neither side. */
export interface Effect {
  readonly kind: (typeof effectKinds)[number];
  readonly place: { readonly sheetId: string; readonly row: LineId; readonly column: LineId };
  readonly text: string;
  readonly value: CombinedValue['value'];
  /** Some of the edited cells that it reads, directly or not. */
  readonly becauseOf: readonly string[];
}

export type EffectParts = CombiningParts;

export interface MergedSides extends CombinedSides {
  readonly outcome: MergeOutcome;
}

/** Number of merges whose effects are kept: evaluation is the slowest part of a merge. */
const keptMost = 16;

/** Finds the effects of merges, once for each outcome. */
export class Effects {
  readonly #parts: EffectParts;
  readonly #known = new LRUCache<string, Promise<readonly Effect[]>>({ max: keptMost });
  /** Inputs of merges whose effects were requested. */
  readonly #inputs = new LRUCache<string, true>({ max: keptMost });
  /** Values by merged state, whose evaluation began before their effects were requested. */
  readonly #begun = new WeakMap<BranchState, Promise<CombinedValues>>();

  constructor(parts: EffectParts) {
    this.#parts = parts;
  }

  /**
   * Begins to evaluate values in which effects will be looked for, unless the same `input` of a
   * merge was begun before: its effects are then known.
   */
  begin(sides: CombinedSides, input: string): void {
    if (this.#inputs.has(input)) return;
    this.#inputs.set(input, true);
    const { merged } = sides.outcome;
    const values = combinedValues(sides, this.#parts);
    this.#begun.set(merged, values);
    // A failure reaches those who wait; the next request tries again.
    values.catch(() => this.#begun.delete(merged));
  }

  of(sides: MergedSides): Promise<readonly Effect[]> {
    const { workbookId, target, source, outcome } = sides;
    const key = JSON.stringify([workbookId, target, source, outcome.bases, outcome.stateHash]);
    const known = this.#known.get(key);
    if (known) return known;
    const values = this.#begun.get(outcome.merged) ?? combinedValues(sides, this.#parts);
    this.#begun.delete(outcome.merged);
    const found = findEffects({ sides, values }, this.#parts);
    this.#known.set(key, found);
    // A failure reaches those who wait; the next request tries again.
    found.catch(() => this.#known.delete(key));
    return found;
  }
}

interface EvaluatedMerge {
  readonly sides: MergedSides;
  readonly values: Promise<CombinedValues>;
}

/** Finds cells that nobody edited and that differ from both sides, and new errors anywhere. */
async function findEffects({ sides, values }: EvaluatedMerge, parts: EffectParts) {
  const { cells, places } = await values;
  const count = [...cells.values()].reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return [];
  const { base, merged } = sides.outcome;
  const edited = {
    merged,
    shown: new ShownPlaces(places),
    edited: new EditedCells({ from: base, to: merged }),
    contested: contestedCells(sides.outcome),
  };
  return effectsOf(edited, cells, new Pace(parts.environment));
}

/** Most effects in a list; the count covers the rest. */
const effectsMost = 10_000;

interface Edited extends MergedChanges {
  /** Cells that both sides wrote, even if the merge has the content of the base. */
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
  changes: Edited,
  found: ReadonlyMap<string, readonly CombinedValue[]>,
  pace: Pace,
): Promise<Effect[]> {
  const { merged, edited, contested } = changes;
  const effects: Effect[] = [];
  for (const [sheetId, cells] of found) {
    const sheet = merged.structure.withId(sheetId);
    for (const cell of sheet ? cells : []) {
      if (!sheet || effects.length >= effectsMost) continue;
      const kind = kindOf(cell.value);
      const { row, column, value } = cell;
      const place = { sheetId, row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
      const isEdited = edited.isEdited(sheetId, cell) || contested.has(cellText(place));
      if (kind === 'effect.value' && isEdited) continue;
      const { text, edits } = editsBehind(changes, { sheet, row, column });
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
