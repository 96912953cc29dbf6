import { rowLimit } from '../../model/address.ts';
import type { FormulaInput, Input } from '../../model/cell-value.ts';
import type { Mutation } from '../../model/mutation.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { parseRange, columnCount, rangeName, rowCount } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { cellTag } from '../cells/block.ts';
import type { CellCoding } from '../cells/cell-coding.ts';
import type { StoredFormula } from '../cells/dictionary.ts';
import { formulaLanes } from '../cells/formula-lanes.ts';
import { moveFormula, type FormulaMove } from '../formulas/formula-text.ts';
import type { Looks } from '../structure/looks.ts';
import { nameFormula, type NameTable } from '../references/names.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import { recordsOfCopy, writtenIn } from '../references/record-sheet-copy.ts';
import type { Records } from '../records/records.ts';
import type { SheetCells, Stretch } from '../cells/sheet-cells.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { CopiedTables } from '../references/table-copies.ts';
import type { StoredTable } from '../structure/tables.ts';

type Template = Omit<StoredFormula, 'structure'>;

/** Consecutive formulas in a column with one template (a shared text in relative addresses). */
interface FormulaRun {
  readonly column: LineId;
  readonly rows: IdSpan;
  readonly template: number;
  /** Position of the first formula. */
  readonly at: { readonly row: number; readonly column: number };
}

/** The parts of a sheet that a copy rewrites: formulas refer to their own sheet. */
export interface SheetCopy {
  readonly source: SheetOutline;
  readonly templates: readonly Template[];
  readonly runs: readonly FormulaRun[];
  /** Names scoped to the source. */
  readonly names: readonly { name: string; formula: string; comment: string | undefined }[];
  readonly records: readonly StoredRecord[];
  readonly tables: readonly StoredTable[];
}

const cellsBetweenPauses = 256;

export function* planSheetCopy(
  source: SheetOutline,
  name: string,
  context: PlanContext,
): Generator<void, SheetCopy> {
  const cells = context.cellsOf(source);
  if (cells.filledCount > limits.cellsPerFill) {
    const most = limits.cellsPerFill;
    throw new Rejection(
      'range_too_large',
      `${cells.filledCount} cells; a copy has at most ${most}`,
    );
  }
  const draft = new CopyDraft(source, name, context);
  let formulaCount = 0;
  for (const { stretch, lane, column } of cellsWithFormulas(source, cells)) {
    draft.add(stretch, lane, column);
    if (++formulaCount % cellsBetweenPauses === 0) yield;
  }
  return draft.finish();
}

function* cellsWithFormulas(sheet: SheetOutline, cells: SheetCells) {
  const rows = sheet.rows.spansAt(0, rowLimit);
  for (const column of columnsOf(sheet, cells)) {
    for (const stretch of cells.stretches(rows, column.id)) {
      for (const lane of formulasIn(stretch)) yield { stretch, lane, column };
    }
  }
}

function* formulasIn({ block, from, to }: Stretch): Generator<number> {
  for (const lanes of formulaLanes(block)) {
    const end = Math.min(lanes.to, to);
    for (let lane = Math.max(lanes.from, from); lane < end; lane++) yield lane;
  }
}

/** Columns that are not blank, from left to right. */
function columnsOf({ columns }: SheetOutline, cells: SheetCells) {
  const found: { id: LineId; position: number }[] = [];
  for (const id of cells.columnIds()) {
    const position = columns.positionOf(id.branch, id.sequence, id.offset);
    if (position !== undefined) found.push({ id, position });
  }
  return found.sort((a, b) => a.position - b.position);
}

class CopyDraft {
  readonly #source: SheetOutline;
  readonly #context: PlanContext;
  /** A move to a structure in which the source has the name of the copy. */
  readonly #move: FormulaMove;
  readonly #tables: CopiedTables;
  readonly #templates: Template[] = [];
  readonly #templateIndex = new Map<string, number>();
  /** New templates by old, for formulas whose addresses are still current. */
  readonly #known = new Map<number, number>();
  readonly #current = new Map<Structure, boolean>();
  readonly #runs: FormulaRun[] = [];

  constructor(source: SheetOutline, name: string, context: PlanContext) {
    const { head } = context;
    this.#source = source;
    this.#context = context;
    this.#move = { from: head, to: head.replace({ ...source, name }), sheetId: source.id };
    this.#tables = new CopiedTables(source, context);
  }

  add(stretch: Stretch, lane: number, column: { id: LineId; position: number }): void {
    const { block, from, skipped } = stretch;
    const { branch, sequence } = block;
    const row = { branch, sequence, offset: block.index * 1_024 + lane };
    const at = { row: skipped + lane - from, column: column.position };
    const template = this.#templateOf(block.numberAt(lane), { row, column: column.id }, at);
    const last = this.#runs.at(-1);
    const isArray = this.#templates[template]?.array !== undefined;
    if (last && !isArray && continues(last, template, { row, column: column.id, at })) {
      const rows = { ...last.rows, length: last.rows.length + 1 };
      this.#runs[this.#runs.length - 1] = { ...last, rows };
    } else {
      this.#runs.push({ column: column.id, rows: { ...row, length: 1 }, template, at });
    }
  }

  finish(): SheetCopy {
    const { names, head, coding } = this.#context;
    const copied = names.ofScope(this.#source.id).map((name) => ({
      name: name.name,
      formula: this.#renamed(nameFormula(name, head, coding.formulas)),
      comment: name.comment,
    }));
    if (names.size + copied.length > limits.nameCount) {
      throw new Rejection('too_many_names', `a workbook has at most ${limits.nameCount} names`);
    }
    const [source, templates, runs] = [this.#source, this.#templates, this.#runs];
    const records = recordsOfCopy(source, (text) => this.#renamed(text), this.#context);
    const tables = this.#tables.copies((text) => this.#renamed(text));
    return { source, templates, runs, names: copied, records, tables };
  }

  #templateOf(
    formula: number,
    ids: { row: LineId; column: LineId },
    at: { row: number; column: number },
  ): number {
    const known = this.#known.get(formula);
    if (known !== undefined) return known;
    const { coding, head } = this.#context;
    const place = { ...ids, sheetId: this.#source.id };
    const input = coding.asWritten(formula, place, head);
    const text = this.#renamed(input.formula);
    const stored = coding.dictionary.formula(formula);
    // One place can be spelled in several ways; formulas filled down share a spelling.
    const shared = this.#tables.renamed(stored.r1c1);
    const isSame = text === coding.formulas.fromR1C1(shared, at.row, at.column);
    const template: Template = {
      r1c1: isSame ? shared : coding.formulas.toR1C1(text, at.row, at.column),
      array: extentOf(input),
      legacy: input.legacy === true,
    };
    const key = JSON.stringify(template);
    const index = this.#templateIndex.get(key) ?? this.#templates.push(template) - 1;
    this.#templateIndex.set(key, index);
    if (isSame && this.#isCurrent(stored.structure)) this.#known.set(formula, index);
    return index;
  }

  /** Returns whether addresses of a structure still mean the same. */
  #isCurrent(structure: Structure): boolean {
    let isCurrent = this.#current.get(structure);
    if (isCurrent === undefined) {
      const { head } = this.#context;
      isCurrent = structure.sheets.every(({ id, name, rows, columns }) => {
        const now = head.withId(id);
        return now?.name === name && now.rows === rows && now.columns === columns;
      });
      this.#current.set(structure, isCurrent);
    }
    return isCurrent;
  }

  /** Replaces the names of the source and of its tables by those of the copy. */
  #renamed(text: string): string {
    const moved = moveFormula(text, this.#move, this.#context.coding.formulas);
    return this.#tables.renamed(moved);
  }
}

function continues(
  { column, rows, template, at }: FormulaRun,
  next: number,
  place: { row: LineId; column: LineId; at: { row: number; column: number } },
): boolean {
  const { row } = place;
  return (
    template === next &&
    column === place.column &&
    rows.branch === row.branch &&
    rows.sequence === row.sequence &&
    rows.offset + rows.length === row.offset &&
    at.row + rows.length === place.at.row
  );
}

function extentOf({ array }: FormulaInput): Template['array'] {
  const range = array === undefined ? undefined : parseRange(array);
  return range && { rowCount: rowCount(range), columnCount: columnCount(range) };
}

/** The state with the copy in its structure. */
interface CopyParts {
  readonly structure: Structure;
  readonly coding: CellCoding;
  readonly content: { readonly names: NameTable; readonly records: Records };
  readonly looks: Looks;
  cellsOf(sheet: SheetOutline): SheetCells;
}

/** Makes the cells of a copy, and the mutations for a kernel; all but formulas is shared. */
export function copySheet(
  copy: SheetCopy,
  sheet: SheetOutline,
  parts: CopyParts,
): { cells: SheetCells; mutations: Mutation[] } {
  const { structure, coding, looks } = parts;
  const { names, records } = parts.content;
  records.apply(writtenIn(copy.records, structure), structure);
  looks.copySheet(copy.source.id, sheet.id);
  const mutations = copy.names.map(({ name, formula, comment }): Mutation => {
    names.set({ name, scopeId: sheet.id, formula, structure, comment });
    return { kind: 'nameSet', name, scope: sheet.key, formula };
  });
  const cells = parts.cellsOf(copy.source).fork();
  const constants = constantMutations(sheet, cells, coding);
  const formulas = copyFormulas(copy, { sheet, cells, structure, coding });
  return { cells, mutations: [...mutations, ...constants, ...formulas] };
}

function constantMutations(sheet: SheetOutline, cells: SheetCells, coding: CellCoding): Mutation[] {
  const mutations: Mutation[] = [];
  for (const { id, position } of columnsOf(sheet, cells)) {
    for (const stretch of cells.stretches(sheet.rows.spansAt(0, rowLimit), id)) {
      const inputs = constantsOf(stretch, coding);
      if (!inputs) continue;
      const at = { sheet: sheet.key, row: stretch.skipped, column: position };
      mutations.push({ kind: 'block', ...at, inputs });
    }
  }
  return mutations;
}

interface FormulaParts extends Pick<CopyParts, 'structure' | 'coding'> {
  readonly sheet: SheetOutline;
  readonly cells: SheetCells;
}

function copyFormulas(
  copy: SheetCopy,
  { sheet, cells, structure, coding }: FormulaParts,
): Mutation[] {
  const mutations: Mutation[] = [];
  const formulas = copy.templates.map((template) =>
    coding.dictionary.formulaIndex({ ...template, structure }),
  );
  for (const { column, rows, template, at } of copy.runs) {
    const formula = formulas[template] ?? 0;
    for (const { block, from, to } of cells.stretchesForWrite([rows], column)) {
      block.fill(from, to, cellTag.formula, formula);
    }
    const written = copy.templates[template];
    if (!written) throw new Error('a copied formula has no template');
    const input = inputAt(written, at, coding);
    const place = { sheet: sheet.key, ...at };
    if (input.array !== undefined) mutations.push({ kind: 'cell', ...place, input });
    else mutations.push({ kind: 'fill', ...place, rowCount: rows.length, columnCount: 1, input });
  }
  return mutations;
}

function inputAt(
  { r1c1, array, legacy }: Template,
  { row, column }: { row: number; column: number },
  { formulas }: CellCoding,
): FormulaInput {
  const formula = formulas.fromR1C1(r1c1, row, column);
  if (array) {
    const row1 = row + array.rowCount - 1;
    const column1 = column + array.columnCount - 1;
    return { formula, array: rangeName({ row0: row, column0: column, row1, column1 }) };
  }
  return legacy ? { formula, legacy } : { formula };
}

/** Reads the constants of a stretch; undefined if there are none. */
function constantsOf(
  { block, from, to }: Stretch,
  coding: CellCoding,
): (Input | undefined)[][] | undefined {
  let hasSome = false;
  const inputs: (Input | undefined)[][] = [];
  for (let lane = from; lane < to; lane++) {
    const tag = block.tagAt(lane);
    if (tag === cellTag.blank || tag === cellTag.formula) inputs.push([undefined]);
    else {
      hasSome = true;
      inputs.push([coding.constant({ tag, number: block.numberAt(lane) })]);
    }
  }
  return hasSome ? inputs : undefined;
}
