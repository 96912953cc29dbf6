import { isFormulaInput } from '../../../model/cell-value.ts';
import { foldName } from '../../../model/names.ts';
import type { BranchState } from '../../branch-state.ts';
import { namesInFormula } from '../../formulas/formula-names.ts';
import { sheetAt } from '../../formulas/formula-text.ts';
import type { ScopedChange } from '../../merge/scope.ts';
import type { SheetOutline } from '../../structure/structure.ts';
import type { SourceChange } from './source-changes.ts';

interface Sides {
  readonly base: BranchState;
  readonly theirs: BranchState;
}

/**
 * Changes without which a change cannot be: the sheet and the lines that it is on, where they are
 * new, and the new sheets, names and tables that its formula names.
 */
export function* neededChanges(change: SourceChange, sides: Sides): Generator<ScopedChange> {
  const { sheetId, scopeId, tableId } = change.place;
  const own = sheetId ?? scopeId;
  const was = own === undefined ? undefined : sides.base.structure.withId(own);
  if (own !== undefined && !was) {
    if (change.kind !== 'sheet.add') yield { kind: 'sheet.add', place: { sheetId: own } };
  } else if (was && !change.kind.startsWith('structure.')) {
    yield* newLines(change, was, sides.theirs.structure.withId(was.id));
  }
  if (tableId === undefined && hasNewNames(sides)) yield* neededByFormula(change, sides);
}

/** By the sides: whether a formula of theirs can name a sheet, a name or a table that is new. */
const newNames = new WeakMap<Sides, boolean>();

function hasNewNames(sides: Sides): boolean {
  const known = newNames.get(sides);
  if (known !== undefined) return known;
  const { base, theirs } = sides;
  const hasNew =
    theirs.structure.sheets.some(({ id }) => !base.structure.withId(id)) ||
    theirs.names.list().some(({ name, scopeId }) => !base.names.get(foldName(name), scopeId)) ||
    theirs.tables.all.some(({ id }) => !base.tables.withId(id));
  newNames.set(sides, hasNew);
  return hasNew;
}

function* newLines(
  { place: { row, column } }: SourceChange,
  was: SheetOutline,
  is: SheetOutline | undefined,
): Generator<ScopedChange> {
  const sheetId = was.id;
  if (row && isNew(was.rows, is?.rows, row)) {
    yield { kind: 'structure.rows', place: { sheetId, row } };
  }
  if (column && isNew(was.columns, is?.columns, column)) {
    yield { kind: 'structure.cols', place: { sheetId, column } };
  }
}

type Order = SheetOutline['rows'];
type Line = NonNullable<ScopedChange['place']['row']>;

function isNew(was: Order, is: Order | undefined, { branch, sequence, offset }: Line): boolean {
  return (
    was.positionOf(branch, sequence, offset) === undefined &&
    is?.positionOf(branch, sequence, offset) !== undefined
  );
}

function* neededByFormula(
  { place, at }: SourceChange,
  { base, theirs }: Sides,
): Generator<ScopedChange> {
  const sheet = theirs.structure.withId(place.sheetId ?? '');
  const input = sheet && at && theirs.inputAt(sheet, at.row, at.column);
  if (!sheet || !isFormulaInput(input)) return;
  const { structure, coding } = theirs;
  for (const reference of coding.formulas.references(input.formula)) {
    const named = sheetAt(reference, { from: structure, to: structure, sheetId: sheet.id });
    if (named && !base.structure.withId(named.id)) {
      yield { kind: 'sheet.add', place: { sheetId: named.id } };
    }
  }
  for (const { name } of namesInFormula(input.formula)) {
    yield* neededByName(foldName(name), { sheet, base, theirs });
  }
}

function* neededByName(
  name: string,
  { sheet, base, theirs }: Sides & { readonly sheet: SheetOutline },
): Generator<ScopedChange> {
  for (const scopeId of [sheet.id, undefined]) {
    const found = theirs.names.get(name, scopeId);
    if (!found || base.names.get(name, scopeId)) continue;
    yield { kind: 'name', place: { name: found.name, ...(scopeId !== undefined && { scopeId }) } };
  }
  const table = theirs.tables.named(name);
  if (table && !base.tables.withId(table.id)) {
    yield { kind: 'table', place: { sheetId: table.sheetId, tableId: table.id } };
  }
}
