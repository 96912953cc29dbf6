import { Pace } from '../../branches/pace.ts';
import { columnLimit } from '../../model/address.ts';
import type { Environment } from '../../model/environment.ts';
import type { Mutation } from '../../model/mutation.ts';
import { contentSteps } from '../../state/diff/content-steps.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { CellTexts } from '../../values/cell-texts.ts';
import type { Models } from '../../values/models.ts';
import { TrialFault } from '../../values/trial-model.ts';
import { valueAfter, type PackedChanges } from '../../../workers/changed-values.ts';
import { cellOn, shownAs, type ReadSide, type SideValue } from '../side-values.ts';
import type { Finding } from './findings.ts';

export interface TrialParts {
  readonly models: Pick<Models, 'holds' | 'tryOn'>;
  readonly environment: Environment;
}

interface TriedSides {
  readonly base: ReadSide;
  readonly ours: ReadSide;
}

/** Blocks of cells, with fewer of which a model of the base is built in no time. */
const blocksLeast = 64;

const changesBetweenPauses = 4_096;

/**
 * Returns the values of the base in the cells of effects, by their ids, from a copy of the model of
 * ours that is turned into the base. Undefined where a model of the base is there or is made as
 * fast, or where such a copy cannot be had.
 */
export async function triedBaseValues(
  findings: readonly Finding[],
  { base, ours }: TriedSides,
  { models, environment }: TrialParts,
): Promise<ReadonlyMap<string, SideValue> | undefined> {
  if (findings.length === 0 || models.holds(base.place) || !models.holds(ours.place)) {
    return undefined;
  }
  if (!isLarge(base.state)) return undefined;
  const steps = await new Pace(environment).run(cellSteps(ours.state, base.state));
  if (!steps) return undefined;
  const changes = await models
    .tryOn(ours.place, (trial) => trial.change(steps))
    .catch((error: unknown) => {
      // A thread that died has lost only the copy.
      if (error instanceof TrialFault) return undefined;
      throw error;
    });
  return changes && new Pace(environment).run(valuesAfter(findings, { base, ours }, changes));
}

function isLarge(state: BranchState): boolean {
  let count = 0;
  for (const sheet of state.structure.sheets) {
    for (const { blocks } of state.cellsOf(sheet).columns.values()) count += blocks.size;
  }
  return count >= blocksLeast;
}

/** Returns the writes of cells that lead from one state to another; undefined if more differs. */
function* cellSteps(
  from: BranchState,
  to: BranchState,
): Generator<void, readonly Mutation[] | undefined> {
  const steps = contentSteps({ from, to });
  for (;;) {
    const step = steps.next();
    if (step.done !== true) {
      yield;
      continue;
    }
    // Where lines go, values stand elsewhere.
    return step.value?.every(({ kind }) => kind === 'cell') === true ? step.value : undefined;
  }
}

interface SoughtValue {
  readonly finding: Finding;
  /** Key of its sheet in the model, and its place in the base. */
  readonly key: number;
  readonly place: number;
}

function* valuesAfter(
  findings: readonly Finding[],
  { base, ours }: TriedSides,
  changes: PackedChanges,
): Generator<void, ReadonlyMap<string, SideValue>> {
  const sought = findings.flatMap((finding): SoughtValue[] => {
    const at = cellOn(base.state, finding.place);
    const key = at && ours.state.structure.withId(at.sheet.id)?.key;
    if (!at || key === undefined) return [];
    return [{ finding, key, place: at.row * columnLimit + at.column }];
  });
  const indexes = yield* indexesOf(changes, new Set(sought.map(({ place }) => place)));
  const texts = new CellTexts(base.state);
  const values = new Map<string, SideValue>();
  for (const { finding, key, place } of sought) {
    const { id, value } = finding;
    const { sheetId } = finding.place;
    const index = indexes.get(`${key} ${place}`);
    if (!value) continue;
    const was = index === undefined ? value.ours : valueAfter(changes, index);
    const at = { row: Math.floor(place / columnLimit), column: place % columnLimit };
    values.set(id, shownAs(was, texts.textOf(sheetId, at, was)));
  }
  return values;
}

/** Returns the indexes of changes in some places, by sheet and place. */
function* indexesOf(
  { count, sheets, places }: PackedChanges,
  wanted: ReadonlySet<number>,
): Generator<void, ReadonlyMap<string, number>> {
  const indexes = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    if (index % changesBetweenPauses === 0) yield;
    const place = places[index] ?? -1;
    if (wanted.has(place)) indexes.set(`${sheets[index] ?? -1} ${place}`, index);
  }
  return indexes;
}
