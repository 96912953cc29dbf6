import { columnName, type Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import { Axis } from '../grid/geometry.ts';
import type { GridShape } from '../grid/grid-events.ts';
import type { GridSource, LineNames, Mark, ShownRecords } from '../grid/source.ts';
import type { Service } from '../service.ts';
import type { LoadedSheet } from '../sheet/sheet-loading.ts';
import { BlockStore, type ShownCell } from '../store/block-store.ts';
import type { LinePairs } from './line-pairs.ts';

/** A sheet at one of the two positions. */
export interface ComparedSide extends LoadedSheet {
  readonly name: string;
  /** Position such as `main@118`. */
  readonly ref: string;
}

export interface ComparedSheet {
  readonly book: string;
  /** The sheet at the earlier position; undefined if it does not exist there. */
  readonly from: ComparedSide | undefined;
  readonly to: ComparedSide | undefined;
  readonly rows: LinePairs;
  readonly columns: LinePairs;
  /** Marks of cells of the later position, by `row:column` from 0. */
  readonly marks: ReadonlyMap<string, Mark>;
}

type Side = 'from' | 'to';

const plainShape = { frozenRows: 0, frozenColumns: 0, hasGridlines: true, isMirrored: false };
const blank: ShownCell = { text: '', kind: 'blank', style: undefined, isStale: false };

/** Cells of a sheet at a position, with removed lines of an earlier position at their places. */
export class ComparedSource implements GridSource {
  readonly shape: GridShape;
  readonly names: LineNames;
  readonly records: ShownRecords;
  readonly #sheet: ComparedSheet;
  readonly #from: BlockStore | undefined;
  readonly #to: BlockStore | undefined;

  constructor(service: Service, sheet: ComparedSheet, onChange: () => void) {
    const storeOf = (side: ComparedSide | undefined) => {
      if (!side) return undefined;
      const { name, ref } = side;
      return new BlockStore(service, { workbookId: sheet.book, sheet: name, ref }, onChange);
    };
    this.#sheet = sheet;
    this.#from = storeOf(sheet.from);
    this.#to = storeOf(sheet.to);
    this.shape = shapeOf(sheet);
    this.records = recordsOf(sheet);
    this.names = {
      row: (index) => namesOf(sheet.rows, index, (line) => String(line + 1)),
      column: (index) => namesOf(sheet.columns, index, columnName),
    };
  }

  get themeColors(): readonly string[] {
    return (this.#to ?? this.#from)?.themeColors ?? [];
  }

  get fault(): Error | undefined {
    return this.#to?.fault ?? this.#from?.fault;
  }

  cellAt(row: number, column: number): ShownCell | undefined {
    const to = this.addressAt('to', row, column);
    if (to) return this.#to?.cellAt(to.row, to.column);
    const from = this.addressAt('from', row, column);
    // A new line is blank in a removed one.
    if (!from) return blank;
    const cell = this.#from?.cellAt(from.row, from.column);
    return cell && { ...cell, style: { ...cell.style, strike: true } };
  }

  markAt(row: number, column: number): Mark | undefined {
    const [down, across] = [this.#sheet.rows.pairAt(row), this.#sheet.columns.pairAt(column)];
    const changes = [down.change, across.change];
    if (changes.includes('removed')) return changes.includes('added') ? undefined : 'removed';
    if (changes.includes('added')) return 'added';
    const own = this.#sheet.marks.get(`${down.to}:${across.to}`);
    return own ?? (changes.includes('moved') ? 'moved' : undefined);
  }

  /**
   * Returns the address at one of the positions of a cell of the grid; undefined if it has none.
   */
  addressAt(side: Side, row: number, column: number): Address | undefined {
    const [down, across] = [this.#sheet.rows.pairAt(row), this.#sheet.columns.pairAt(column)];
    const [line, other] = [down[side], across[side]];
    return line === undefined || other === undefined ? undefined : { row: line, column: other };
  }

  /** Returns the place in the grid of a cell at one of the positions. */
  placeOf(side: Side, { row, column }: Address): Address | undefined {
    const [down, across] = [
      this.#sheet.rows.indexOf(side, row),
      this.#sheet.columns.indexOf(side, column),
    ];
    return down === undefined || across === undefined ? undefined : { row: down, column: across };
  }

  look(ranges: readonly Range[]): void {
    const wanted: Record<Side, Range[]> = { from: [], to: [] };
    for (const { side, range } of ranges.flatMap((one) => [...this.#pieces(one)])) {
      wanted[side].push(range);
    }
    this.#from?.look(wanted.from);
    this.#to?.look(wanted.to);
  }

  /** Yields the ranges of both positions that make up a range of the grid. */
  *#pieces({ row0, row1, column0, column1 }: Range): Generator<{ side: Side; range: Range }> {
    const columns = [...this.#sheet.columns.pieces(column0, column1)];
    for (const down of this.#sheet.rows.pieces(row0, row1)) {
      for (const across of columns) {
        const side = down.to === undefined || across.to === undefined ? 'from' : 'to';
        const [row, column] = [down[side], across[side]];
        if (row === undefined || column === undefined) continue;
        const last = { row1: row + down.count - 1, column1: column + across.count - 1 };
        yield { side, range: { row0: row, column0: column, ...last } };
      }
    }
  }

  showInputs(isOfInputs: boolean): void {
    this.#from?.showInputs(isOfInputs);
    this.#to?.showInputs(isOfInputs);
  }

  tryAgain(): void {
    this.#from?.tryAgain();
    this.#to?.tryAgain();
  }

  close(): void {
    this.#from?.close();
    this.#to?.close();
  }
}

/** Returns the names of a line before and after; empty where the line does not exist. */
function namesOf(
  pairs: LinePairs,
  index: number,
  nameOf: (line: number) => string,
): readonly string[] {
  const { from, to } = pairs.pairAt(index);
  const [before, after] = [from, to].map((line) => (line === undefined ? '' : nameOf(line)));
  return [before ?? '', after ?? ''];
}

function shapeOf({ from, to, rows, columns }: ComparedSheet): GridShape {
  const [before, after] = [from?.shape, to?.shape];
  const frozen = (pairs: LinePairs, count: number) =>
    count === 0 ? 0 : (pairs.indexOf(to ? 'to' : 'from', count - 1) ?? -1) + 1;
  const shape = after ?? before ?? plainShape;
  const { frozenRows, frozenColumns, hasGridlines, isMirrored = false } = shape;
  return {
    rows: new Axis(rows.count, 24, rows.sizes(before?.rows, after?.rows)),
    columns: new Axis(columns.count, 96, columns.sizes(before?.columns, after?.columns)),
    frozenRows: frozen(rows, frozenRows),
    frozenColumns: frozen(columns, frozenColumns),
    hasGridlines,
    isMirrored,
    used: usedOf({ rows, columns }, before?.used, after?.used),
  };
}

/** Returns the used cells of the grid, at either position. */
function usedOf(
  { rows, columns }: Pick<ComparedSheet, 'rows' | 'columns'>,
  from: Range | undefined,
  to: Range | undefined,
): Range {
  const last = (pairs: LinePairs, before: number | undefined, after: number | undefined) =>
    Math.max(pairs.indexOf('from', before ?? 0) ?? 0, pairs.indexOf('to', after ?? 0) ?? 0);
  return {
    row0: 0,
    column0: 0,
    row1: last(rows, from?.row1, to?.row1),
    column1: last(columns, from?.column1, to?.column1),
  };
}

/** Returns the records on the shown cells, at their places in the grid. */
function recordsOf({ from, to, rows, columns }: ComparedSheet): ShownRecords {
  const side: Side = to ? 'to' : 'from';
  const { merged = [], notes = [], commented = [] } = (to ?? from)?.records ?? {};
  const placeOf = ({ row, column }: Address) => {
    const [down, across] = [rows.indexOf(side, row), columns.indexOf(side, column)];
    return down === undefined || across === undefined ? [] : [{ row: down, column: across }];
  };
  return {
    merged: merged.flatMap(({ row0, column0, row1, column1 }) => {
      const [first] = placeOf({ row: row0, column: column0 });
      const [last] = placeOf({ row: row1, column: column1 });
      if (!first || !last || last.row < first.row || last.column < first.column) return [];
      return [{ row0: first.row, column0: first.column, row1: last.row, column1: last.column }];
    }),
    notes: notes.flatMap(placeOf),
    commented: commented.flatMap(placeOf),
    filters: [],
  };
}
