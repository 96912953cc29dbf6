import { cellTag, type Block } from '../../state/cells/block.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { IdSpan } from '../../state/ids/id-span.ts';
import type { LineId } from '../../state/ids/order.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { cellName, rowLimit } from '../../model/address.ts';
import type { WireInput } from '../../model/input.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import { writeSpot, type Spot } from './cursor.ts';
import type { FoundPage } from './find.ts';
import { matcherOf, searchedMost, shownInput, workOf, type Search } from './search.ts';

type InputSearch = Search & { readonly lens: 'formula' | 'input' };

/** Cells in the rows that are searched together before hits are sorted. */
const windowCells = 65_536;
const windowRows = 1_024;
const restEveryWork = 512;

/** Searches inputs and formulas, which need no evaluation. */
export function* searchInputs(
  state: BranchState,
  search: InputSearch,
  from: Spot,
): Generator<void, FoundPage> {
  const { sheets } = state.structure;
  const only = search.sheet === undefined ? undefined : state.structure.named(search.sheet);
  if (search.sheet !== undefined && !only) throw sheetNotFound(search.sheet, sheets);
  const found = new Finder(state, search);
  for (let at = from.sheet; at < sheets.length; at++) {
    const sheet = sheets[at];
    if (!sheet || (only && only !== sheet)) continue;
    const start = at === from.sheet ? from : { row: 0, column: 0 };
    const rest = yield* found.lookAt(sheet, start);
    if (rest) return found.page(writeSpot({ sheet: at, ...rest }));
  }
  return found.page(null);
}

interface Hit {
  readonly row: number;
  readonly column: number;
  readonly value: WireInput;
}

interface Column {
  readonly id: LineId;
  readonly position: number;
}

class Finder {
  readonly #state: BranchState;
  readonly #search: InputSearch;
  readonly #matches: (shown: WireInput) => boolean;
  readonly #cells: { sheet: string; cell: string; value: WireInput }[] = [];
  #work = 0;

  constructor(state: BranchState, search: InputSearch) {
    this.#state = state;
    this.#search = search;
    this.#matches = matcherOf(search);
  }

  page(next: string | null): FoundPage {
    return { seq: this.#state.head, searched: this.#work, cells: this.#cells, next };
  }

  /** Searches rows; returns the place where the page ends, undefined at the end of the sheet. */
  *lookAt(
    sheet: SheetOutline,
    start: Pick<Spot, 'row' | 'column'>,
  ): Generator<void, Pick<Spot, 'row' | 'column'> | undefined> {
    const bottom = this.#state.used(sheet)?.row1 ?? -1;
    const columns = this.#columnsOf(sheet);
    const most = Math.floor(windowCells / Math.max(1, columns.length));
    const height = Math.max(1, Math.min(windowRows, most));
    for (let row = start.row; row <= bottom; row += height) {
      if (this.#work >= searchedMost) return { row, column: 0 };
      const hits = yield* this.#window(sheet, columns, { row, height });
      for (const hit of hits) {
        if (hit.row === start.row && hit.column < start.column) continue;
        if (this.#cells.length >= this.#search.limit) return { row: hit.row, column: hit.column };
        const { value } = hit;
        this.#cells.push({ sheet: sheet.name, cell: cellName(hit.row, hit.column), value });
      }
    }
    return undefined;
  }

  #columnsOf(sheet: SheetOutline): Column[] {
    const columns: Column[] = [];
    for (const id of this.#state.cellsOf(sheet).columnIds()) {
      const position = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
      if (position !== undefined) columns.push({ id, position });
    }
    return columns;
  }

  *#window(
    sheet: SheetOutline,
    columns: readonly Column[],
    { row, height }: { row: number; height: number },
  ): Generator<void, Hit[]> {
    const rows = sheet.rows.spansAt(row, Math.min(height, rowLimit - row));
    const hits: Hit[] = [];
    for (const column of columns) {
      this.#work++;
      for (const hit of this.#hitsIn(sheet, column, rows)) {
        if (hit) hits.push({ row: row + hit.down, column: column.position, value: hit.value });
        else yield;
      }
      yield;
    }
    return hits.sort((one, other) => one.row - other.row || one.column - other.column);
  }

  /** Yields hits, and undefined for a pause. */
  *#hitsIn(
    sheet: SheetOutline,
    column: Column,
    rows: readonly IdSpan[],
  ): Generator<{ down: number; value: WireInput } | undefined> {
    let rested = this.#work;
    for (const { block, from, to, skipped } of this.#state
      .cellsOf(sheet)
      .stretches(rows, column.id)) {
      for (let lane = from; lane < to; lane++) {
        const value = this.#shownAt(sheet, column, { block, lane });
        this.#work += workOf(value);
        if (value !== null && this.#matches(value)) yield { down: skipped + lane - from, value };
        if (this.#work - rested < restEveryWork) continue;
        rested = this.#work;
        yield undefined;
      }
    }
  }

  /** Returns the input as the lens shows it; null if it shows nothing. */
  #shownAt(
    sheet: SheetOutline,
    column: Column,
    { block, lane }: { block: Block; lane: number },
  ): WireInput {
    const tag = block.tagAt(lane);
    const { lens } = this.#search;
    if (tag === cellTag.blank || (lens === 'formula' && tag !== cellTag.formula)) return null;
    const { branch, sequence, index } = block;
    const row = { branch, sequence, offset: index * windowRows + lane };
    const place = { sheetId: sheet.id, row, column: column.id };
    const coded = { tag, number: block.numberAt(lane) };
    return shownInput(this.#state.coding.decode(coded, place, this.#state.structure), lens);
  }
}
