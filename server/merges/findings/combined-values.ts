import { Pace } from '../../branches/pace.ts';
import { columnLimit } from '../../model/address.ts';
import type { Value } from '../../model/cell-value.ts';
import { readSheetValues } from '../../diffs/value-reading.ts';
import { differing, type ChangedValue, type SheetValuesById } from '../../diffs/values.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { TrialFault } from '../../values/trial-model.ts';
import type { Position } from '../graph.ts';
import { placeOf } from '../side-values.ts';
import type {
  CombinedSides,
  CombinedValue,
  CombinedValues,
  CombiningParts,
} from './combined-value.ts';
import { triedValues } from './tried-values.ts';

/** Cells between two pauses. */
const cellsBetweenPauses = 4_096;

/** Finds cells whose value in the merged state differs from both sides. */
export async function combinedValues(
  sides: CombinedSides,
  parts: CombiningParts,
): Promise<CombinedValues> {
  const tried = await triedValues(sides, parts).catch((error: unknown) => {
    // A thread that died has lost only the copy.
    if (error instanceof TrialFault) return undefined;
    throw error;
  });
  return tried ?? evaluatedValues(sides, parts);
}

/** Evaluates both sides and the merged state, and compares all values. */
export async function evaluatedValues(
  { workbookId, target, source, outcome }: CombinedSides,
  { models, branches, environment }: CombiningParts,
): Promise<CombinedValues> {
  const sheets = outcome.merged.structure.sheets;
  const pace = new Pace(environment);
  const read = (position: Position, state: BranchState) =>
    models.use(placeOf(workbookId, position), true, (view) =>
      readSheetValues(view, sheetsIn(state, sheets), pace),
    );
  // One model at a time: two held at once could wait for each other.
  const ours = await read(target, outcome.ours);
  const theirs = await read(source, outcome.theirs);
  const { address } = placeOf(workbookId, target);
  // The clock of ours is used, so that the time and random numbers are no effects of the merge.
  const at = await branches.timeOf(address, target.seq);
  const clock = { address, at, seq: target.seq };
  const merged = await models.useState(outcome.merged, clock, (view) =>
    readSheetValues(view, sheets, pace),
  );
  const cells = new Map<string, readonly CombinedValue[]>();
  const places = new Map<string, ReadonlySet<number>>();
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
    cells.set(sheet.id, await pace.run(combined(fromOurs, fromTheirs)));
    places.set(sheet.id, new Set([...fromOurs, ...fromTheirs].filter(isThere).map(keyOf)));
  }
  return { cells, places };
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

/** Yields cells that differ from both sides. */
function* combined(
  fromOurs: readonly ChangedValue[],
  fromTheirs: readonly ChangedValue[],
): Generator<void, CombinedValue[]> {
  const known = new Map<number, ChangedValue>();
  const all: CombinedValue[] = [];
  let seen = 0;
  for (const value of fromOurs) {
    if (++seen % cellsBetweenPauses === 0) yield;
    if (isThere(value)) known.set(keyOf(value), value);
  }
  for (const value of fromTheirs) {
    if (++seen % cellsBetweenPauses === 0) yield;
    const own = isThere(value) ? known.get(keyOf(value)) : undefined;
    if (!own) continue;
    const { row, column, before: theirs, after: merged } = value;
    all.push({ row, column, value: { ours: own.before, theirs, merged } });
  }
  return all;
}

function isThere({ isGone }: ChangedValue): boolean {
  return !isGone;
}

function keyOf({ row, column }: Pick<ChangedValue, 'row' | 'column'>): number {
  return row * columnLimit + column;
}
