import { sameJson, type JsonObject } from '../../model/plain-json.ts';
import type { Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { blockLanes, cellTag } from '../cells/block.ts';
import { formulaLanes } from '../cells/formula-lanes.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import { namesInFormula, renameInFormula, type Renaming } from '../formulas/formula-names.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import { mapFormulas } from '../records/record-formulas.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import type { TableDraft } from '../tables/table-draft.ts';
import type { Line, TableFill } from '../plan/table-plan.ts';
import { rangeOf, type StoredTable } from '../structure/tables.ts';

/** The place of a formula, as far as the meaning of its names depends on it. */
export interface FormulaHome {
  /** Id of the sheet; undefined for a defined name of the workbook. */
  readonly sheetId: string | undefined;
  /** The structure that its text was written under. */
  readonly structure: Structure;
  /** Table around the formula; undefined for none. */
  readonly tableId: string | undefined;
}

/** The change of a name in formulas. */
export interface NameChange {
  readonly to: string;
  /** The renamed table or the table of a renamed column; formulas in it may omit its name. */
  readonly table: StoredTable | undefined;
  /** Renames every place that could be meant, for a formula in any place. */
  readonly anywhere: Renaming;
  readonly renamingAt: (home: FormulaHome) => Renaming;
}

const formulasBetweenPauses = 1_024;

/** Replaces a name in all formulas of the workbook, as Excel does. */
export function* renameInFormulas(
  draft: TableDraft,
  change: NameChange,
  context: PlanContext,
): Generator<void, void> {
  const { head } = context;
  const candidates = yield* formulasWith(change, context);
  if (candidates.size > 0) {
    const range = change.table && rangeOf(change.table, head);
    for (const sheet of head.sheets) {
      const rewriter = new SheetRewriter(sheet, { change, candidates, range }, context);
      for (const fill of yield* rewriter.fills()) draft.fills.push(fill);
    }
  }
  for (const name of context.names.list()) {
    const home = { sheetId: name.scopeId, structure: name.structure, tableId: undefined };
    const formula = rewritten(name.formula, change, home);
    if (formula !== undefined) draft.names.push({ ...name, formula });
  }
  for (const table of draft.structure.tables.all) renameInSchema(draft, table, change);
  for (const record of context.records.all()) {
    const renamed = renamedRecord(record, change, head);
    if (renamed) draft.records.push(renamed);
  }
}

function renameInSchema(draft: TableDraft, table: StoredTable, change: NameChange): void {
  const home = { sheetId: table.sheetId, structure: draft.structure, tableId: table.id };
  const columns = table.columns.map((column) => {
    const { formula } = column;
    const renamed = formula === undefined ? undefined : rewritten(formula, change, home);
    if (renamed === undefined) return column;
    return { ...column, formula: renamed };
  });
  const isSame = columns.every((column, at) => column === table.columns[at]);
  if (!isSame) draft.set({ ...table, columns });
}

function renamedRecord(
  record: StoredRecord,
  change: NameChange,
  head: Structure,
): StoredRecord | undefined {
  const { sheetId, structure = head } = record;
  const home = { sheetId, structure, tableId: undefined };
  const renamed = (value: JsonObject) =>
    mapFormulas(value, (text) => rewritten(text, change, home) ?? text);
  const value = renamed(record.value);
  if (sameJson(value, record.value)) return undefined;
  const { former } = record;
  return { ...record, value, former: former && { ...former, value: renamed(former.value) } };
}

/** Returns the new text of a formula; undefined when it does not change. */
function rewritten(text: string, change: NameChange, home: FormulaHome): string | undefined {
  const renamed = renameInFormula(text, change.renamingAt(home));
  if (renamed === undefined) return undefined;
  // A name declared by LET or LAMBDA hides the defined one.
  if (namesInFormula(renamed).length < namesInFormula(text).length) {
    throw new Rejection('name_taken', `${text} has a name ${change.to} of its own`);
  }
  return renamed;
}

/** Yields the indexes of dictionary formulas that may contain the name. */
function* formulasWith(
  { anywhere }: NameChange,
  { coding, head, cellsOf }: PlanContext,
): Generator<void, ReadonlySet<number>> {
  const found = new Set<number>();
  const { dictionary } = coding;
  for (const sheet of head.sheets) yield* cellsOf(sheet).readAll();
  for (let index = 0; index < dictionary.formulaCount; index++) {
    if (index % formulasBetweenPauses === formulasBetweenPauses - 1) yield;
    if (renameInFormula(dictionary.formula(index).r1c1, anywhere) !== undefined) found.add(index);
  }
  return found;
}

interface Rewriting {
  readonly change: NameChange;
  readonly candidates: ReadonlySet<number>;
  /** Range of the table of the change. */
  readonly range: Range | undefined;
}

interface Rewritten {
  readonly row: number;
  readonly id: LineId;
  readonly number: number;
}

/** Finds the formulas of one sheet that get a new text. */
class SheetRewriter {
  readonly #sheet: SheetOutline;
  readonly #rewriting: Rewriting;
  readonly #context: PlanContext;
  /** New indexes by dictionary index: outside the table, and within. */
  readonly #known = [new Map<number, number | undefined>(), new Map<number, number | undefined>()];

  constructor(sheet: SheetOutline, rewriting: Rewriting, context: PlanContext) {
    this.#sheet = sheet;
    this.#rewriting = rewriting;
    this.#context = context;
  }

  *fills(): Generator<void, TableFill[]> {
    const cells = this.#context.cellsOf(this.#sheet);
    const fills: TableFill[] = [];
    for (const id of cells.columnIds()) {
      const { branch, sequence, offset } = id;
      const position = this.#sheet.columns.positionOf(branch, sequence, offset);
      if (position === undefined) continue;
      const column = { id, position };
      const found = yield* this.#column(column, cells);
      found.sort((a, b) => a.row - b.row);
      for (const run of this.#runsOf(found)) fills.push(this.#fill(column, run));
    }
    return fills;
  }

  *#column(column: Line, cells: SheetCells): Generator<void, Rewritten[]> {
    const found: Rewritten[] = [];
    const { rows } = this.#sheet;
    for (const { branch, sequence, index, ...block } of lanesWithFormulas(column.id, cells)) {
      const id = { branch, sequence, offset: index };
      const row = rows.positionOf(branch, sequence, index);
      const number =
        row === undefined ? undefined : this.#number(block.number, { row, id, column });
      if (row !== undefined && number !== undefined) found.push({ row, id, number });
      if (found.length % formulasBetweenPauses === formulasBetweenPauses - 1) yield;
    }
    return found;
  }

  /**
   * Returns the index in the dictionary of the formula with its new text; undefined when it keeps
   * it.
   */
  #number(
    number: number,
    { row, id, column }: { row: number; id: LineId; column: Line },
  ): number | undefined {
    const { candidates } = this.#rewriting;
    if (!candidates.has(number)) return undefined;
    const isInside = this.#isInside(row, column.position);
    const known = this.#known[Number(isInside)];
    if (known?.has(number) === true) return known.get(number);
    const { coding } = this.#context;
    const { change } = this.#rewriting;
    const sheetId = this.#sheet.id;
    const home = {
      sheetId,
      structure: coding.dictionary.formula(number).structure,
      tableId: isInside ? change.table?.id : undefined,
    };
    const place = { sheetId, row: id, column: column.id };
    const found = coding.rewrite(number, place, (text) => rewritten(text, change, home));
    known?.set(number, found);
    return found;
  }

  #isInside(row: number, column: number): boolean {
    const { change, range } = this.#rewriting;
    if (!range || change.table?.sheetId !== this.#sheet.id) return false;
    const isInRows = row >= range.row0 && row <= range.row1;
    return isInRows && column >= range.column0 && column <= range.column1;
  }

  #fill(column: Line, { first, count }: Run): TableFill {
    const { coding, head } = this.#context;
    const coded: CodedCell = { tag: cellTag.formula, number: first.number };
    const place = { sheetId: this.#sheet.id, row: first.id, column: column.id };
    const input = coding.decode(coded, place, head);
    const at = { sheet: this.#sheet, column, row: first.row, rowCount: count };
    return { ...at, input, coded, format: -1 };
  }

  /** Groups contiguous rows with the same formula; an array formula stays by itself. */
  #runsOf(rows: readonly Rewritten[]): Run[] {
    const { dictionary } = this.#context.coding;
    const runs: Run[] = [];
    for (const row of rows) {
      const last = runs.at(-1);
      const continues =
        last?.first.number === row.number &&
        last.first.row + last.count === row.row &&
        !dictionary.formula(row.number).array;
      if (continues) last.count++;
      else runs.push({ first: row, count: 1 });
    }
    return runs;
  }
}

interface Run {
  readonly first: Rewritten;
  count: number;
}

/** The index is that of the row in its run. */
function* lanesWithFormulas(column: LineId, cells: SheetCells) {
  for (const block of cells.blocksOf(column)) {
    const { branch, sequence } = block;
    for (const { from, to, index: number } of formulaLanes(block)) {
      for (let lane = from; lane < to; lane++) {
        yield { branch, sequence, index: block.index * blockLanes + lane, number };
      }
    }
  }
}
