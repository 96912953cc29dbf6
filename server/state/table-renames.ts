import type { Range } from '../model/range.ts';
import { cellTag } from './block.ts';
import type { CodedCell } from './cell-coding.ts';
import type { LineId } from './order.ts';
import type { PlanContext } from './plan.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetOutline } from './structure.ts';
import { renameInFormula, sameName, type NamePlace, type Renaming } from './structured-names.ts';
import type { TableDraft } from './table-draft.ts';
import type { Line, TableFill } from './table-plan.ts';
import { rangeOf, type StoredTable } from './tables.ts';

/** Another name for a table, or for one of its columns. */
export interface NameChange {
  /** As it was. */
  readonly table: StoredTable;
  /** Undefined when the table itself gets the name. */
  readonly column?: string;
  readonly to: { readonly name: string };
}

const formulasBetweenPauses = 1_024;

/** What the change makes of a name; `isInside` says whether the formula stands in the table. */
function renamingOf({ table, column, to }: NameChange, isInside: boolean): Renaming {
  if (column === undefined) {
    return ({ kind, name }) =>
      kind === 'table' && sameName(name, table.name) ? to.name : undefined;
  }
  const isMeant = (place: NamePlace) =>
    place.table === undefined ? isInside : sameName(place.table, table.name);
  return (place) => {
    const isColumn = place.kind === 'column' && sameName(place.name, column);
    return isColumn && isMeant(place) ? to.name : undefined;
  };
}

/** Writes the new name into every formula that has the old one, as Excel does. */
export function* renameInFormulas(
  draft: TableDraft,
  change: NameChange,
  context: PlanContext,
): Generator<void, void> {
  const candidates = yield* formulasWith(change, context);
  if (candidates.size > 0) {
    const range = rangeOf(change.table, context.head);
    for (const sheet of context.head.sheets) {
      const rewriter = new SheetRewriter(sheet, { change, candidates, range }, context);
      for (const fill of yield* rewriter.fills()) draft.fills.push(fill);
    }
  }
  const outside = renamingOf(change, false);
  for (const name of context.names.list()) {
    const formula = renameInFormula(name.formula, outside);
    if (formula !== undefined) draft.names.push({ ...name, formula });
  }
  for (const table of draft.structure.tables.all) renameInSchema(draft, table, change);
}

function renameInSchema(draft: TableDraft, table: StoredTable, change: NameChange): void {
  const renaming = renamingOf(change, table.id === change.table.id);
  const columns = table.columns.map((column) => {
    const { formula } = column;
    const renamed = formula === undefined ? undefined : renameInFormula(formula, renaming);
    if (renamed === undefined) return column;
    return { ...column, formula: renamed };
  });
  const isSame = columns.every((column, at) => column === table.columns[at]);
  if (!isSame) draft.set({ ...table, columns });
}

/** Places in the dictionary of formulas that have the name, wherever they may stand. */
function* formulasWith(
  change: NameChange,
  { coding, head, cellsOf }: PlanContext,
): Generator<void, ReadonlySet<number>> {
  const found = new Set<number>();
  const renaming = renamingOf(change, true);
  const { dictionary } = coding;
  for (const sheet of head.sheets) yield* cellsOf(sheet).readAll();
  for (let index = 0; index < dictionary.formulaCount; index++) {
    if (index % formulasBetweenPauses === formulasBetweenPauses - 1) yield;
    if (renameInFormula(dictionary.formula(index).r1c1, renaming) !== undefined) found.add(index);
  }
  return found;
}

interface Rewriting {
  readonly change: NameChange;
  readonly candidates: ReadonlySet<number>;
  /** Where the table lies. */
  readonly range: Range;
}

interface Rewritten {
  readonly row: number;
  readonly id: LineId;
  readonly number: number;
}

/** The formulas of one sheet that get another text. */
class SheetRewriter {
  readonly #sheet: SheetOutline;
  readonly #rewriting: Rewriting;
  readonly #context: PlanContext;
  /** By place in the dictionary: outside of the table and within. */
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
      for (const run of runsOf(found)) fills.push(this.#fill(column, run));
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

  /** What stands for the formula in the dictionary with its new text; undefined when it keeps it. */
  #number(
    number: number,
    { row, id, column }: { row: number; id: LineId; column: Line },
  ): number | undefined {
    const { change, candidates, range } = this.#rewriting;
    if (!candidates.has(number)) return undefined;
    const isInside =
      this.#sheet.id === change.table.sheetId &&
      row >= range.row0 &&
      row <= range.row1 &&
      column.position >= range.column0 &&
      column.position <= range.column1;
    const known = this.#known[Number(isInside)];
    if (known?.has(number) === true) return known.get(number);
    const place = { sheetId: this.#sheet.id, row: id, column: column.id };
    const renaming = renamingOf(change, isInside);
    const rewritten = this.#context.coding.rewrite(number, place, (text) =>
      renameInFormula(text, renaming),
    );
    known?.set(number, rewritten);
    return rewritten;
  }

  #fill(column: Line, { first, count }: Run): TableFill {
    const { coding, head } = this.#context;
    const coded: CodedCell = { tag: cellTag.formula, number: first.number };
    const place = { sheetId: this.#sheet.id, row: first.id, column: column.id };
    const input = coding.decode(coded, place, head);
    const at = { sheet: this.#sheet, column, row: first.row, rowCount: count };
    return { ...at, input, coded, format: -1 };
  }
}

interface Run {
  readonly first: Rewritten;
  count: number;
}

/** Rows below one another with one formula. */
function runsOf(rows: readonly Rewritten[]): Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    const continues =
      last && last.first.number === row.number && last.first.row + last.count === row.row;
    if (continues) last.count++;
    else runs.push({ first: row, count: 1 });
  }
  return runs;
}

/** The index is that of the row in its run. */
function* lanesWithFormulas(column: LineId, cells: SheetCells) {
  for (const block of cells.blocksOf(column)) {
    const { branch, sequence } = block;
    const [low, high] = block.window;
    for (let lane = low; lane < high; lane++) {
      if (block.tagAt(lane) !== cellTag.formula) continue;
      yield { branch, sequence, index: block.index * 1_024 + lane, number: block.numberAt(lane) };
    }
  }
}
