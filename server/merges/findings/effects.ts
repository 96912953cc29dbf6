import { LRUCache } from 'lru-cache';

import { Pace } from '../../branches/pace.ts';
import type { Value } from '../../model/cell-value.ts';
import { ChangedPlaces } from '../../diffs/value-causes.ts';
import { lineText } from '../../state/structure/area.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { StateDiff } from '../../state/diff/diff.ts';
import { isCell } from '../../state/merge/judge.ts';
import type { LineId } from '../../state/ids/order.ts';
import type { MergeOutcome } from '../computer.ts';
import type {
  CombinedSides,
  CombinedValue,
  CombinedValues,
  CombiningParts,
} from './combined-value.ts';
import { combinedValues } from './combined-values.ts';
import { editsBehind } from './edits-behind.ts';

export const effectKinds = ['effect.value', 'effect.error', 'effect.cycle'] as const;

/** A cell that shows in the merged state what it shows on neither side. */
export interface Effect {
  readonly kind: (typeof effectKinds)[number];
  readonly place: { readonly sheetId: string; readonly row: LineId; readonly column: LineId };
  readonly text: string;
  readonly value: CombinedValue['value'];
  /** Cells that one of the sides edited and that it reads, directly or not; some of them. */
  readonly becauseOf: readonly string[];
}

export type EffectParts = CombiningParts;

export interface MergedSides extends CombinedSides {
  readonly outcome: MergeOutcome;
}

/** Merges whose effects are kept: evaluating takes longer than all else about a merge. */
const keptMost = 16;

/** Effects of merges, evaluated once for each outcome, however many ask. */
export class Effects {
  readonly #parts: EffectParts;
  readonly #known = new LRUCache<string, Promise<readonly Effect[]>>({ max: keptMost });
  /** Inputs of merges whose effects were asked for. */
  readonly #inputs = new LRUCache<string, true>({ max: keptMost });
  /** By the merged state: values that were asked for before anybody looks for effects in them. */
  readonly #begun = new WeakMap<BranchState, Promise<CombinedValues>>();

  constructor(parts: EffectParts) {
    this.#parts = parts;
  }

  /**
   * Has values calculated that effects will be looked for in, while other things are done. They are
   * known where the same was asked for before; `input` is what a merge is made of.
   */
  begin(sides: CombinedSides, input: string): void {
    if (this.#inputs.has(input)) return;
    this.#inputs.set(input, true);
    const { merged } = sides.outcome;
    const values = combinedValues(sides, this.#parts);
    this.#begun.set(merged, values);
    // Whoever looks for effects hears of it; the next one shall try again.
    values.catch(() => this.#begun.delete(merged));
  }

  /** `diff` leads from the base to the merged state. */
  of(sides: MergedSides, diff: StateDiff): Promise<readonly Effect[]> {
    const { workbookId, target, source, outcome } = sides;
    const key = JSON.stringify([workbookId, target, source, outcome.bases, outcome.stateHash]);
    const known = this.#known.get(key);
    if (known) return known;
    const values = this.#begun.get(outcome.merged) ?? combinedValues(sides, this.#parts);
    this.#begun.delete(outcome.merged);
    const found = findEffects({ sides, diff, values }, this.#parts);
    this.#known.set(key, found);
    // Whoever waits for it hears of it; the next one shall try again.
    found.catch(() => this.#known.delete(key));
    return found;
  }
}

interface EvaluatedMerge {
  readonly sides: MergedSides;
  readonly diff: StateDiff;
  readonly values: Promise<CombinedValues>;
}

/**
 * Tells cells that nobody edited and that show something else than on either side, and new errors
 * wherever they are.
 */
async function findEffects({ sides, diff, values }: EvaluatedMerge, parts: EffectParts) {
  const { cells, places } = await values;
  const count = [...cells.values()].reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return [];
  const contested = contestedCells(sides.outcome);
  const edited = { diff, places: new ChangedPlaces(diff, places), contested };
  return effectsOf(edited, cells, new Pace(parts.environment));
}

/** Effects that are listed: more than this nobody reads, and the count tells of the others. */
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
  found: ReadonlyMap<string, readonly CombinedValue[]>,
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
