import type { FormulaService } from '../../model/formula-service.ts';
import type { Mutation } from '../../model/mutation.ts';
import { foldName } from '../../model/names.ts';
import { severalSheets } from '../../model/several-sheets.ts';
import type { CellCoding } from '../cells/cell-coding.ts';
import { spanOf } from '../cells/formula-ends.ts';
import { formulaLanes } from '../cells/formula-lanes.ts';
import { namesInFormula } from '../formulas/formula-names.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { nameFormula, type DefinedName, type NameTable } from './names.ts';
import { formulaMutations } from './rewrite-mutations.ts';
import { keptFormulas } from '../records/record-ends.ts';
import { formulasOf } from '../records/record-formulas.ts';
import type { Records } from '../records/records.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import { writeRun } from './rewrite.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';

export interface AwaitingParts {
  /** The structure that has the new sheet. */
  readonly structure: Structure;
  readonly coding: CellCoding;
  readonly content: { readonly names: NameTable; readonly records: Records };
  readonly cellsOf: (sheet: SheetOutline) => SheetCells;
}

/**
 * Binds formulas that name a missing sheet to a new sheet with that name, so that edits of its
 * lines are followed from now on. Call it once the sheet exists. Returns whether there were any
 * such formulas.
 */
export function meetAwaited(name: string, parts: AwaitingParts): boolean {
  const { structure, coding, content } = parts;
  const { formulas } = coding;
  // Formulas of blocks that were not unpacked yet are not in the dictionary.
  for (const sheet of structure.sheets) drain(parts.cellsOf(sheet).readAll());
  const awaiting = formulasAwaiting(name, coding);
  if (awaiting.size > 0) {
    for (const sheet of structure.sheets) writeAwaiting(sheet, awaiting, parts);
  }
  const names = content.names.list().filter((known) => {
    return !known.structure.named(name) && namesIn(known.formula, name, formulas);
  });
  for (const known of names) {
    content.names.set({ ...known, formula: nameFormula(known, structure, formulas), structure });
  }
  const records = [...content.records.all()].filter((record) => awaits(record, name));
  const puts = keptFormulas(records, { before: structure, after: structure }, formulas);
  content.records.apply({ puts, deletes: [] }, structure);
  return awaiting.size + names.length + records.length > 0;
}

/**
 * Returns the mutations that tell a kernel of formulas and names that refer to a restored sheet: in
 * the kernel they lost it when it was deleted.
 */
export function meaningAgain({ id }: SheetOutline, parts: AwaitingParts): Mutation[] {
  const { structure, coding, content } = parts;
  for (const sheet of structure.sheets) drain(parts.cellsOf(sheet).readAll());
  const meaning = new Set<number>();
  for (let index = 0; index < coding.dictionary.formulaCount; index++) {
    const { r1c1, structure: written } = coding.dictionary.formula(index);
    const known = written.withId(id);
    if (known && scanned(r1c1, known.name)) meaning.add(index);
  }
  const runs = new FormulaRuns(coding, structure);
  const found =
    meaning.size === 0
      ? []
      : structure.sheets.flatMap((sheet) => [
          ...runsAwaiting(sheet, meaning, parts.cellsOf(sheet)),
        ]);
  const names = content.names.list().filter(({ formula, structure: written }) => {
    const known = written.withId(id);
    return known !== undefined && namesIn(formula, known.name, coding.formulas);
  });
  return [
    ...names.map((name) => nameMutation(name, parts)),
    ...formulaMutations(
      found.flatMap((run) => [...runs.atHead(run)]),
      runs,
    ),
  ];
}

/** Returns the mutation that sets a defined name in a kernel. */
export function nameMutation(
  name: DefinedName,
  { structure, coding }: Pick<AwaitingParts, 'structure' | 'coding'>,
): Mutation {
  const { scopeId } = name;
  const scope = scopeId === undefined ? undefined : structure.withId(scopeId)?.key;
  const formula = nameFormula(name, structure, coding.formulas);
  return { kind: 'nameSet', name: name.name, scope, formula };
}

/** Returns whether a formula refers to a sheet or to a defined name of it. */
function namesIn(text: string, name: string, formulas: FormulaService): boolean {
  return (
    formulas.references(text).some(({ sheet }) => sheet !== undefined && isAmong(sheet, name)) ||
    asksFor(text, name)
  );
}

function drain(steps: Iterator<void>): void {
  while (steps.next().done !== true) continue;
}

function isSame(sheet: string, name: string): boolean {
  return foldName(sheet) === foldName(name);
}

/**
 * Returns whether a sheet prefix is this sheet, or a span of sheets that begins or ends with it.
 */
function isAmong(sheet: string, name: string): boolean {
  return (severalSheets(sheet) ?? [sheet]).some((one) => isSame(one, name));
}

function awaits({ structure, value }: StoredRecord, name: string): boolean {
  if (!structure || structure.named(name)) return false;
  return formulasOf(value).some((r1c1) => scanned(r1c1, name));
}

const scan = new ReferenceScan();

function scanned(r1c1: string, name: string): boolean {
  if (!r1c1.includes('!')) return false;
  scan.read(r1c1);
  for (let at = 0; at < scan.count; at++) {
    const sheet = scan.sheetOf(at);
    const sheets = scan.spanOf(at) ?? (sheet === undefined ? [] : [sheet]);
    if (sheets.some((one) => isSame(one, name))) return true;
  }
  return asksFor(r1c1, name);
}

/** Returns whether a formula refers to a defined name of the sheet. */
function asksFor(text: string, name: string): boolean {
  return namesInFormula(text).some(({ sheet }) => sheet !== undefined && isSame(sheet.name, name));
}

/** Finds the indexes of formulas in the dictionary that wait for the sheet. */
function formulasAwaiting(name: string, { dictionary }: CellCoding): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < dictionary.formulaCount; index++) {
    const { r1c1, structure } = dictionary.formula(index);
    if (scanned(r1c1, name) && !structure.named(name)) found.add(index);
  }
  return found;
}

/** Stores the formulas again under the present structure. */
function writeAwaiting(
  sheet: SheetOutline,
  awaiting: ReadonlySet<number>,
  { structure, coding, cellsOf }: AwaitingParts,
): void {
  const cells = cellsOf(sheet);
  const runs = new FormulaRuns(coding, structure);
  for (const found of Array.from(runsAwaiting(sheet, awaiting, cells))) {
    for (const run of runs.atHead(found)) writeRun(run, cells);
  }
}

function* runsAwaiting(
  sheet: SheetOutline,
  awaiting: ReadonlySet<number>,
  cells: SheetCells,
): Generator<FormulaRun> {
  for (const { column: id, block } of cells.blocks()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined) continue;
    for (const { from, to, index } of formulaLanes(block)) {
      if (!awaiting.has(index)) continue;
      for (const { position, length } of sheet.rows.piecesOf(spanOf(block, from, to))) {
        yield { sheet, row: position, column, count: length, index };
      }
    }
  }
}
