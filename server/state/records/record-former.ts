import { rangeOf, type Area } from '../structure/area.ts';
import type { Structure } from '../structure/structure.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import type { StepReferences } from '../references/step-references.ts';
import {
  asWritten,
  firstCell,
  formulasOf,
  isAnchored,
  mapFormulas,
  placeIn,
  relative,
  shiftText,
} from './record-formulas.ts';
import type { FormerFormulas, StoredRecord } from './stored-record.ts';

// Formulas of records in the form of former versions: under the structure that they were written
// under, to be read from any cell of the record that existed then. Verify compares hashes that
// those versions recorded.

/** An edit of lines with its structures. */
interface LineReferences {
  readonly references: StepReferences;
  readonly formulas: FormulaService;
}

/** Returns the former form after an edit of lines. */
export function formerAfter(
  record: StoredRecord,
  areas: readonly Area[],
  step: LineReferences,
): FormerFormulas {
  const held = { ...record, ...record.former };
  const { before, after } = step.references;
  const value = restoredValue(held, areas, step);
  if (value) return { value, structure: after };
  return formerOn(held, areas, { before, after, formulas: step.formulas });
}

/**
 * Keeps the formulas if a line of the areas existed when they were written, else writes them again.
 */
export function formerOn(
  record: StoredRecord,
  areas: readonly Area[],
  {
    before,
    after,
    formulas,
  }: { readonly before: Structure; readonly after: Structure; readonly formulas: FormulaService },
): FormerFormulas {
  const { value, structure } = { ...record, ...record.former };
  const held = { ...record, value, structure };
  const home = firstCell(record, before);
  const cell = home && placeIn(home, before);
  if (!cell || isAnchored({ ...held, areas }, after)) return { value, structure };
  return { value: relative(asWritten(held, before, formulas), cell, formulas), structure: before };
}

/**
 * Returns the value with new ends; undefined when the formulas keep theirs, or the record is
 * deleted.
 */
function restoredValue(
  record: StoredRecord,
  areas: readonly Area[],
  { references, formulas }: LineReferences,
): StoredRecord['value'] | undefined {
  const { before, after } = references;
  const { sheetId } = record;
  const [was, is] = [before, after].map((structure) => structure.withId(sheetId));
  const [first] = record.areas;
  const range = was && first && rangeOf(first, was);
  const home = firstCell({ areas, sheetId }, after);
  const [cell, next] = home ? [placeIn(home, before), placeIn(home, after)] : [];
  if (!is || !range || !cell || !next) return undefined;
  const from = { row: range.row0, column: range.column0 };
  const text = mapFormulas(asWritten(record, before, formulas), (formula) =>
    shiftText(formula, { from, to: cell }, formulas),
  );
  const loses = formulasOf(text)
    .flatMap((formula) => formulas.references(formula))
    .some((reference) => references.loses(reference, sheetId));
  if (!loses) return undefined;
  const carried = mapFormulas(text, (formula) => references.carry(formula, sheetId, formulas));
  return relative(carried, next, formulas);
}
