import { columnName } from '../model/address.ts';
import { Failure } from '../model/failure.ts';
import { writeInput } from '../model/input.ts';
import type { ChangedCell } from '../state/diff/cell-list.ts';
import { columnOf, rowOf } from '../state/diff/changed-cells.ts';
import type { SheetDiff, StateDiff } from '../state/diff/diff.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { SheetOutline } from '../state/structure/structure.ts';
import { changedCellsOf } from './changed-cell-list.ts';

/** Rows and cells of daff's table of differences: the first column says what became of a row. */
export type DaffTable = readonly (readonly string[])[];

/** Rows without a change that are shown above and below one. */
const contextRows = 1;
/** Columns of a table; beyond them it is no table that anybody reads. */
const columnsMost = 256;

/** Cells of one table; it is made as a whole. */
const cellsMost = 1_000_000;

function tooLarge(rowCount: number): Failure {
  return new Failure('rangeTooLarge', {
    detail: `${rowCount} rows differ, which is too much for one table of daff.`,
    hint: 'Narrow it with sheet=, or read it with format=ndjson or format=csv.',
  });
}

interface Row {
  /** Position of the row; its former one if it is gone. */
  readonly position: number;
  readonly isGone: boolean;
  readonly cells: Map<number, ChangedCell>;
}

/**
 * A sheet's differences as daff's highlighter writes them: `@@` before the names of the columns,
 * `!` before what became of those, `+++` and `---` before rows that came or went, `->` before rows
 * and inside cells that changed, `:` before rows that moved, and `...` for rows left out.
 */
export function* daffTable(diff: StateDiff, sheet: SheetDiff): Generator<void, DaffTable> {
  return yield* new DaffWriter(diff, sheet).write();
}

class DaffWriter {
  readonly #diff: StateDiff;
  readonly #sheet: SheetDiff;
  readonly #columns: readonly number[];
  /** Positions of the lines that came, and of those that moved. */
  readonly #inserted = new Set<number>();
  readonly #moved = new Set<number>();

  constructor(diff: StateDiff, sheet: SheetDiff) {
    this.#diff = diff;
    this.#sheet = sheet;
    for (const change of sheet.structure) {
      if (!('axis' in change) || change.axis !== 'row') continue;
      if (change.op === 'insert') addLines(this.#inserted, change.position, change.count);
      if (change.op === 'move') addLines(this.#moved, change.to, change.count);
    }
    this.#columns = this.#usedColumns();
  }

  *write(): Generator<void, DaffTable> {
    const header = ['@@', ...this.#columns.map((column) => columnName(column))];
    const rows = this.#rows();
    yield;
    if (rows.length * this.#columns.length > cellsMost) throw tooLarge(rows.length);
    const table: string[][] = [...this.#schema(), header];
    let next = 0;
    for (const row of rows) {
      yield;
      if (!row.isGone) this.#context(table, next, row.position);
      table.push(this.#row(row));
      if (!row.isGone) next = row.position + 1;
    }
    if (rows.length > 0) this.#context(table, next, undefined);
    return table;
  }

  /** Columns that came or went are said in a row of their own. */
  #schema(): string[][] {
    const tags = new Map<number, string>();
    for (const change of this.#sheet.structure) {
      if (!('axis' in change) || change.axis !== 'column') continue;
      if (change.op === 'insert') tagLines(tags, '+++', change.position, change.count);
      if (change.op === 'move') tagLines(tags, ':', change.to, change.count);
    }
    if (tags.size === 0) return [];
    return [['!', ...this.#columns.map((column) => tags.get(column) ?? '')]];
  }

  /** Returns the changed rows from top to bottom; deleted rows precede those now at their place. */
  #rows(): Row[] {
    const rows = new Map<string, Row>();
    const rowAt = (position: number, isGone: boolean): Row => {
      const key = `${position} ${isGone}`;
      const known = rows.get(key) ?? { position, isGone, cells: new Map<number, ChangedCell>() };
      rows.set(key, known);
      return known;
    };
    for (const cell of changedCellsOf(this.#sheet)) {
      const isGone = cell.run.toRow < 0;
      rowAt(rowOf(cell), isGone).cells.set(columnOf(cell), cell);
    }
    for (const position of [...this.#inserted, ...this.#moved]) rowAt(position, false);
    return [...rows.values()].sort(
      (a, b) => a.position - b.position || Number(b.isGone) - Number(a.isGone),
    );
  }

  #row(row: Row): string[] {
    const { position, isGone } = row;
    if (isGone || this.#inserted.has(position)) {
      const texts = this.#columns.map((column) => this.#text(row, column));
      return [isGone ? '---' : '+++', ...texts];
    }
    const arrow = arrowFor(this.#changedTexts(row));
    const cells = this.#columns.map((column) => {
      const now = this.#text(row, column);
      const changed = row.cells.get(column);
      return changed ? `${this.#textBefore(changed)}${arrow}${now}` : now;
    });
    const isMoved = this.#moved.has(position);
    return [`${isMoved ? ':' : ''}${row.cells.size > 0 ? arrow : ''}`, ...cells];
  }

  #changedTexts(row: Row): string[] {
    return [...row.cells].flatMap(([column, cell]) => {
      return [this.#textBefore(cell), this.#text(row, column)];
    });
  }

  /** Text of a cell; for a row that is gone, its former text. */
  #text({ position, isGone }: Row, column: number): string {
    const { from, to } = this.#diff;
    const { was, is } = this.#sheet.pair;
    const [state, sheet] = isGone ? [from, was] : [to, is];
    return sheet ? textAt(state, sheet, position, column) : '';
  }

  #textBefore({ run: { fromRow, block }, skipped }: ChangedCell): string {
    const { was } = this.#sheet.pair;
    if (!was || fromRow < 0) return '';
    return textAt(this.#diff.from, was, fromRow + skipped, block.fromColumn);
  }

  #context(table: string[][], from: number, to: number | undefined): void {
    const { to: state } = this.#diff;
    const { is } = this.#sheet.pair;
    const end = to ?? Math.min(from + contextRows, endOf(state, is));
    const show = (first: number, last: number): void => {
      for (let row = first; row < last; row++) {
        const cells = this.#columns.map((column) => (is ? textAt(state, is, row, column) : ''));
        table.push(['', ...cells]);
      }
    };
    const isLong = to !== undefined && end - from > 2 * contextRows;
    if (!isLong) {
      show(from, end);
      return;
    }
    if (from > 0) show(from, from + contextRows);
    table.push(['...', ...this.#columns.map(() => '...')]);
    show(end - contextRows, end);
  }

  #usedColumns(): number[] {
    const { from, to } = this.#diff;
    const { was, is } = this.#sheet.pair;
    const used = [was && from.used(was), is && to.used(is)].flatMap((bounds) => bounds ?? []);
    const first = Math.min(...used.map(({ column0 }) => column0));
    const last = Math.max(...used.map(({ column1 }) => column1));
    if (used.length === 0) return [];
    const count = Math.min(last - first + 1, columnsMost);
    return Array.from({ length: count }, (_, index) => first + index);
  }
}

function endOf(state: BranchState, sheet: SheetOutline | undefined): number {
  const bounds = sheet && state.used(sheet);
  return bounds ? bounds.row1 + 1 : 0;
}

/** Makes an arrow with one hyphen more than any arrow that is in the texts. */
function arrowFor(texts: readonly string[]): string {
  let arrow = '->';
  while (texts.some((text) => text.includes(arrow))) arrow = `-${arrow}`;
  return arrow;
}

function addLines(lines: Set<number>, from: number, count: number): void {
  for (let line = from; line < from + count; line++) lines.add(line);
}

function tagLines(tags: Map<number, string>, tag: string, from: number, count: number): void {
  for (let line = from; line < from + count; line++) tags.set(line, tag);
}

function textAt(state: BranchState, sheet: SheetOutline, row: number, column: number): string {
  const input = writeInput(state.inputAt(sheet, row, column));
  if (input === null) return '';
  return typeof input === 'object' ? input.error : String(input);
}
