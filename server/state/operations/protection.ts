import type { FormulaOrigin } from '../../model/formula-service.ts';
import type { Operation } from '../../model/operation.ts';
import { overlaps, rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import type { Plan, PlannedCell } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import { isCellPlan, wholeSheet, type CellPlan } from '../plan/registers.ts';
import {
  recordKey,
  type RecordChange,
  type StoredRecord,
  type StoredType,
} from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** The author of an operation. */
export interface Author {
  readonly principalId: string;
  readonly writer: string;
  /** Origin of the author's formulas; a person if left out. */
  readonly formulaOrigin?: FormulaOrigin | undefined;
}

/**
 * Adds to an operation what depends on its author: the names of authors, and the maker of a
 * protection.
 */
export function signed(operation: Operation, author: Author | undefined): Operation {
  if (!author) return operation;
  const { principalId, writer } = author;
  switch (operation.kind) {
    case 'note.set':
      return { ...operation, payload: { ...operation.payload, author: named(operation, writer) } };
    case 'comment.add':
      return { ...operation, payload: { ...operation.payload, author: named(operation, writer) } };
    case 'comment.reply':
      return { ...operation, payload: { ...operation.payload, author: named(operation, writer) } };
    case 'protect.set': {
      const { payload } = operation;
      const who = payload.who.map((name) => qualified(name, principalId));
      return { ...operation, payload: { ...payload, who, by: principalId } };
    }
    default:
      return operation;
  }
}

function named({ payload }: { payload: { author?: string | undefined } }, writer: string): string {
  return payload.author ?? writer;
}

/** Qualifies a writer's name with its owner, because others may use the same name. */
function qualified(name: string, principalId: string): string {
  const isWhole = name === '*' || name.includes('/') || /^(?:agt|usr)_/u.test(name);
  return isWhole ? name : `${principalId}/${name}`;
}

/** Throws a rejection if the plan writes where its author may not. */
export function checkProtection(plan: Plan, state: BranchState, author: Author | undefined): void {
  const { records } = state;
  if (!author || records.count('protection') === 0) return;
  const change = changeOf(plan);
  if (change) checkLifting(change, records, author);
  for (const { sheet, ranges } of touchedBy(plan, state)) {
    for (const protection of records.on('protection', sheet)) {
      if (mayWrite(author, protection)) continue;
      const isWhole = protection.areas.length === 0;
      const places = records.rangesOf(protection, sheet);
      const place = ranges.find((range) => places.some((own) => overlaps(own, range)));
      if (isWhole || place) throw refusal(protection, sheet, isWhole ? undefined : place);
    }
  }
}

function mayWrite({ principalId, writer }: Author, { value }: StoredRecord): boolean {
  const { who } = value;
  if (!Array.isArray(who)) return false;
  return who.includes('*') || who.includes(principalId) || who.includes(`${principalId}/${writer}`);
}

function changeOf(plan: Plan): RecordChange | undefined {
  if (plan.type === 'records') return plan.change;
  return plan.type === 'rewrite' ? plan.records : undefined;
}

/** Throws a rejection unless the author is named by a changed protection, or made it. */
function checkLifting(change: RecordChange, records: BranchState['records'], author: Author): void {
  for (const key of [...change.deletes, ...change.puts.map(recordKey)]) {
    const held = records.get(key);
    if (held?.type !== 'protection' || mayWrite(author, held)) continue;
    if (held.value['by'] === author.principalId) continue;
    throw new Rejection('protected', `the protection ${held.id} is not yours to change`);
  }
}

/** Cells of a sheet that a plan writes to; no ranges if it concerns the sheet as a whole. */
interface Touched {
  readonly sheet: SheetOutline;
  readonly ranges: readonly Range[];
}

/** Records that are no write to their cells: threads of comments, and protections themselves. */
const harmless: ReadonlySet<StoredType> = new Set(['thread', 'protection']);

function touchedBy(plan: Plan, state: BranchState): Touched[] {
  if (isCellPlan(plan)) return touchedCells(plan);
  switch (plan.type) {
    case 'delete':
    case 'move':
    case 'lines':
      return [{ sheet: plan.sheet, ranges: plan.spans.map((span) => linesOf(plan.axis, span)) }];
    case 'insert':
    case 'properties':
      return [{ sheet: plan.sheet, ranges: [] }];
    case 'table':
      return touchedTables(plan, state);
    case 'rewrite':
      return plan.written.map(({ sheet, range }) => ({ sheet, ranges: [range] }));
    case 'sheetDelete':
    case 'sheetRename':
      return [{ sheet: plan.sheet, ranges: [wholeSheet] }];
    case 'records':
      return touchedRecords(plan, state);
    default:
      return [];
  }
}

function touchedCells(plan: CellPlan): Touched[] {
  switch (plan.type) {
    case 'cells':
      return touchedBySheet(plan.cells);
    case 'blocks':
      return [{ sheet: plan.sheet, ranges: plan.blocks.map(({ range }) => range) }];
    default:
      return [{ sheet: plan.sheet, ranges: plan.areas }];
  }
}

/** Returns the cells that a table plan touches: their places before it, and those it writes. */
function touchedTables(
  { footprint, lines, asked }: Extract<Plan, { type: 'table' }>,
  state: BranchState,
): Touched[] {
  if (asked) return touchedBy(asked, state);
  const { sheet, removed = [] } = footprint;
  const ranges = [...footprint.ranges, ...removed];
  const edited = lines.map((edit): Touched => {
    const spans = edit.type === 'insert' ? [] : edit.spans;
    return { sheet: edit.sheet, ranges: spans.map((span) => linesOf(edit.axis, span)) };
  });
  return sheet ? [{ sheet, ranges }, ...edited] : edited;
}

function linesOf(axis: 'row' | 'column', { from, count }: LineSpan): Range {
  return axis === 'row'
    ? { ...wholeSheet, row0: from, row1: from + count - 1 }
    : { ...wholeSheet, column0: from, column1: from + count - 1 };
}

function touchedBySheet(cells: readonly PlannedCell[]): Touched[] {
  const bySheet = new Map<SheetOutline, Range[]>();
  for (const { sheet, row, column } of cells) {
    const range = { row0: row, row1: row, column0: column, column1: column };
    const ranges = bySheet.get(sheet);
    if (ranges) ranges.push(range);
    else bySheet.set(sheet, [range]);
  }
  return [...bySheet].map(([sheet, ranges]) => ({ sheet, ranges }));
}

/** Returns the cells of changed records, before and after. */
function touchedRecords(
  { change, sheet, areas = [] }: Extract<Plan, { type: 'records' }>,
  { records, structure }: BranchState,
): Touched[] {
  const touched: Touched[] = [];
  for (const key of [...change.deletes, ...change.puts.map(recordKey)]) {
    const held = records.get(key);
    const there = held && structure.withId(held.sheetId);
    if (!held || !there || harmless.has(held.type)) continue;
    touched.push({ sheet: there, ranges: records.rangesOf(held, there) });
  }
  const isHarmless = change.puts.every(({ type }) => harmless.has(type));
  if (sheet && change.puts.length > 0 && !isHarmless) touched.push({ sheet, ranges: areas });
  return touched;
}

function refusal(
  { id, value }: StoredRecord,
  sheet: SheetOutline,
  place: Range | undefined,
): Rejection {
  const { name } = value;
  const called = typeof name === 'string' ? ` (${name})` : '';
  const where = place ? `${sheet.name}!${rangeName(place)}` : `the sheet ${sheet.name}`;
  return new Rejection('protected', `${where} is protected by ${id}${called}`);
}
