import { Pace } from '../../branches/pace.ts';
import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Environment } from '../../model/environment.ts';
import type { Mutation } from '../../model/mutation.ts';
import type { Range } from '../../model/range.ts';
import { placeIn } from '../../diffs/values.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { contentSteps } from '../../state/diff/content-steps.ts';
import { lineDifferences } from '../../state/diff/line-differences.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { valueAfter, valueBefore, type PackedChanges } from '../../../workers/changed-values.ts';
import { placeOf } from '../side-values.ts';
import type {
  CombinedSides,
  CombinedValue,
  CombinedValues,
  CombiningParts,
} from './combined-value.ts';

/** Cells between two pauses. */
const cellsBetweenPauses = 4_096;

/**
 * Turns a copy of the model of ours into that of the merged state, and then into that of theirs:
 * each step evaluates only the cells that depend on it. Undefined if theirs differs too much.
 */
export async function triedValues(
  { workbookId, target, outcome }: CombinedSides,
  { models, environment }: Pick<CombiningParts, 'models' | 'environment'>,
): Promise<CombinedValues | undefined> {
  const { merged, theirs } = outcome;
  const toTheirs = stepsOf(merged, theirs, environment);
  if (!toTheirs) return undefined;
  const changes = await models.tryOn(placeOf(workbookId, target), async (trial) => {
    const fromOurs = await trial.change(outcome.mutations);
    return { fromOurs, fromMerged: await trial.change(await toTheirs) };
  });
  return new Pace(environment).run(joined({ ...changes, merged, theirs }));
}

/**
 * Finds the steps from one state to another while a thread works on the model. Undefined, at once,
 * if there are none.
 */
function stepsOf(
  from: BranchState,
  to: BranchState,
  environment: Environment,
): Promise<readonly Mutation[]> | undefined {
  const steps = contentSteps({ from, to });
  const first = steps.next();
  if (first.done === true) return first.value && Promise.resolve(first.value);
  const found = new Pace(environment).run(steps).then((all) => all ?? []);
  // Nobody waits for the steps if there is no model.
  void Promise.allSettled([found]);
  return found;
}

interface TriedChanges {
  /** Changes from ours to the merged state, in the addresses of the merged state. */
  readonly fromOurs: PackedChanges;
  /** Changes from the merged state to theirs, in the addresses of theirs. */
  readonly fromMerged: PackedChanges;
}

function* joined(
  tried: TriedChanges & { readonly merged: BranchState; readonly theirs: BranchState },
): Generator<void, CombinedValues> {
  const { fromOurs, fromMerged, merged, theirs } = tried;
  const sheets = new Map<number, TriedSheet>();
  for (const is of merged.structure.sheets) {
    const was = theirs.structure.withId(is.id);
    if (was) sheets.set(is.key, new TriedSheet(tried, was, is));
  }
  for (let index = 0; index < fromOurs.count; index++) {
    if (index % cellsBetweenPauses === 0) yield;
    sheets.get(fromOurs.sheets[index] ?? 0)?.addOfOurs(index);
  }
  for (let index = 0; index < fromMerged.count; index++) {
    if (index % cellsBetweenPauses === 0) yield;
    sheets.get(fromMerged.sheets[index] ?? 0)?.addOfTheirs(index);
  }
  const cells = new Map<string, readonly CombinedValue[]>();
  const places = new Map<string, ReadonlySet<number>>();
  for (const sheet of sheets.values()) {
    cells.set(sheet.id, sheet.inOrder());
    places.set(sheet.id, yield* sheet.places(merged));
  }
  return { cells, places };
}

/** The changed values of both steps on one sheet. */
class TriedSheet {
  readonly #tried: TriedChanges;
  readonly #was: SheetOutline;
  readonly #is: SheetOutline;
  readonly #cells: CombinedValue[] = [];
  /** Indexes in the changes of ours by place; -1 for a place that differs only from theirs. */
  readonly #indexes = new Map<number, number>();

  constructor(tried: TriedChanges, was: SheetOutline, is: SheetOutline) {
    this.#tried = tried;
    this.#was = was;
    this.#is = is;
  }

  get id(): string {
    return this.#is.id;
  }

  addOfOurs(index: number): void {
    const { fromOurs } = this.#tried;
    const place = fromOurs.places[index] ?? 0;
    this.#indexes.set(place, index);
    // A line that theirs lacks is deleted on the way to theirs, with its cells.
    const isNew = placeIn(this.#was, this.#is, place) === undefined;
    if (isNew && valueAfter(fromOurs, index) !== null) this.#push(place, index);
  }

  addOfTheirs(index: number): void {
    const place = placeIn(this.#is, this.#was, this.#tried.fromMerged.places[index] ?? 0);
    if (place === undefined) return;
    const own = this.#indexes.get(place);
    if (own === undefined) this.#indexes.set(place, -1);
    else if (own >= 0) this.#push(place, own, index);
  }

  inOrder(): readonly CombinedValue[] {
    return this.#cells.sort((a, b) => a.row - b.row || a.column - b.column);
  }

  *places(merged: BranchState): Generator<void, ReadonlySet<number>> {
    const places = new Set<number>();
    for (const place of this.#indexes.keys()) {
      if (places.size % cellsBetweenPauses === 0) yield;
      places.add(place);
    }
    // No changes need no evaluation.
    if (this.#cells.length === 0) return places;
    for (const place of newPlaces(merged, this.#was, this.#is)) {
      if (places.size % cellsBetweenPauses === 0) yield;
      places.add(place);
    }
    return places;
  }

  #push(place: number, own: number, theirs?: number): void {
    const { fromOurs, fromMerged } = this.#tried;
    const value = {
      ours: valueBefore(fromOurs, own),
      theirs: theirs === undefined ? null : valueAfter(fromMerged, theirs),
      merged: valueAfter(fromOurs, own),
    };
    this.#cells.push({ row: Math.floor(place / columnLimit), column: place % columnLimit, value });
  }
}

/** Yields the filled cells of lines that theirs lacks, which never appear among the changes. */
function* newPlaces(merged: BranchState, was: SheetOutline, is: SheetOutline): Generator<number> {
  const rows = lineDifferences(was.rows, is.rows, rowLimit).inserted;
  const columns = lineDifferences(was.columns, is.columns, columnLimit).inserted;
  // The bounds cost a look at all cells.
  const used = rows.length + columns.length > 0 ? merged.used(is) : undefined;
  if (!used) return;
  for (const { position, count } of rows) {
    const row1 = Math.min(position + count - 1, used.row1);
    yield* filledPlaces(merged, is, { ...used, row0: position, row1 });
  }
  for (const { position, count } of columns) {
    const column1 = Math.min(position + count - 1, used.column1);
    yield* filledPlaces(merged, is, { ...used, column0: position, column1 });
  }
}

function* filledPlaces(
  state: BranchState,
  sheet: SheetOutline,
  { row0, row1, column0, column1 }: Range,
): Generator<number> {
  const cells = state.cellsOf(sheet);
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) {
      const cell = cells.find(sheet.rows.idAt(row), sheet.columns.idAt(column));
      const isFilled = cell && cell.block.tagAt(cell.lane) !== cellTag.blank;
      if (isFilled) yield row * columnLimit + column;
    }
  }
}
