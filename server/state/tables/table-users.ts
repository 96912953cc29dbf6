import { cellName } from '../../model/address.ts';
import { quoteSheet } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { namesInFormula, sameName } from '../formulas/formula-names.ts';
import { blockLanes, type Block } from '../cells/block.ts';
import { formulaLanes } from '../cells/formula-lanes.ts';
import type { PlanContext } from '../plan/plan.ts';
import { formulasOf } from '../records/record-formulas.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';

/** A place that names a table, outside the table itself. */
export interface TableUser {
  readonly kind: 'formula' | 'name' | 'rule' | 'column';
  /** `Plan!B2`, a defined name, the id of a rule, or `Costs[Sum]`. */
  readonly where: string;
  /** Cells below one another with that formula. */
  readonly count?: number;
}

export const tableUsersMost = 1_000;

/** Formulas, names, rules and columns of other tables that say the table's name or read its cells. */
export function* tableUsers(state: BranchState, table: StoredTable): Generator<void, TableUser[]> {
  const context = state.contextAt(state.structure);
  const users = namingUsers(state, table);
  const places = new Set<string>();
  for (const run of yield* runsReading(table, context)) {
    const user = formulaUser(run);
    if (places.has(user.where)) continue;
    places.add(user.where);
    users.push(user);
  }
  return users.slice(0, tableUsersMost);
}

/** Returns the users of a table that are not cells: names, rules and columns. */
function namingUsers(state: BranchState, table: StoredTable): TableUser[] {
  const users: TableUser[] = [];
  const isNamed = (text: string) => namesTable(text, table);
  for (const { name, formula } of state.names.list()) {
    if (isNamed(formula)) users.push({ kind: 'name', where: name });
  }
  for (const record of state.records.all()) {
    if (!formulasOf(record.value).some(isNamed)) continue;
    users.push({ kind: 'rule', where: record.id === '' ? record.type : record.id });
  }
  for (const other of state.tables.all) {
    for (const { name, formula } of other.id === table.id ? [] : other.columns) {
      if (formula !== undefined && isNamed(formula)) {
        users.push({ kind: 'column', where: `${other.name}[${name}]` });
      }
    }
  }
  return users;
}

function formulaUser({ sheet, row, column, count }: FormulaRun): TableUser {
  const where = `${quoteSheet(sheet.name)}!${cellName(row, column)}`;
  return { kind: 'formula', where, ...(count > 1 && { count }) };
}

function namesTable(text: string, table: StoredTable): boolean {
  return namesInFormula(text).some(({ kind, name, table: before }) => {
    if (kind === 'column') return before !== undefined && sameName(before, table.name);
    return kind !== 'name' && sameName(name, table.name);
  });
}

function* runsReading(table: StoredTable, context: PlanContext): Generator<void, FormulaRun[]> {
  const { head, coding, cellsOf } = context;
  const { dictionary } = coding;
  for (const sheet of head.sheets) yield* cellsOf(sheet).readAll();
  if (dictionary.formulaCount === 0) return [];
  const own = { sheetId: table.sheetId, range: rangeOf(table, head) };
  const found: FormulaRun[] = [];
  const search = new ReaderSearch([own], new FormulaRuns(coding, head));
  for (const run of search.outside([own], context)) {
    if (run) found.push(run);
    else yield;
    if (found.length > tableUsersMost) return found;
  }
  const naming = yield* formulasNaming(table, dictionary);
  if (naming.size === 0) return found;
  const home = sheetOfTable(table, head);
  for (const sheet of head.sheets) {
    const isOwn = (run: FormulaRun) => sheet === home && isWithin(run, own.range);
    for (const run of yield* runsOf(sheet, naming, context)) if (!isOwn(run)) found.push(run);
  }
  return found;
}

/** Places in the dictionary. */
function* formulasNaming(table: StoredTable, dictionary: Dictionary): Generator<void, Set<number>> {
  const naming = new Set<number>();
  for (let index = 0; index < dictionary.formulaCount; index++) {
    if (namesTable(dictionary.formula(index).r1c1, table)) naming.add(index);
    if (index % blockLanes === 0) yield;
  }
  return naming;
}

function isWithin({ row, column }: FormulaRun, range: ReturnType<typeof rangeOf>): boolean {
  const isInRows = row >= range.row0 && row <= range.row1;
  return isInRows && column >= range.column0 && column <= range.column1;
}

function* runsOf(
  sheet: SheetOutline,
  naming: ReadonlySet<number>,
  { cellsOf }: PlanContext,
): Generator<void, FormulaRun[]> {
  const found: FormulaRun[] = [];
  for (const { column: id, block } of cellsOf(sheet).blocks()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column !== undefined) found.push(...runsInBlock(block, { sheet, column, naming }));
    yield;
  }
  return found;
}

interface BlockHome {
  readonly sheet: SheetOutline;
  readonly column: number;
  readonly naming: ReadonlySet<number>;
}

function* runsInBlock(block: Block, { sheet, column, naming }: BlockHome): Generator<FormulaRun> {
  const { branch, sequence, index: at } = block;
  for (const { from, to, index } of formulaLanes(block)) {
    if (!naming.has(index)) continue;
    const span = { branch, sequence, offset: at * blockLanes + from, length: to - from };
    for (const { position, length } of sheet.rows.piecesOf(span)) {
      yield { sheet, row: position, column, count: length, index };
    }
  }
}
