import { LRUCache } from 'lru-cache';

import { positionKey } from '../../branches/journal-store.ts';
import { Pace } from '../../branches/pace.ts';
import type { Place } from '../../branches/place.ts';
import type { WireInput } from '../../model/input.ts';
import { sortedRows } from '../../state/operations/sort-rows.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import { extentOf, type TableExtent } from '../../state/tables/table-extent.ts';
import type { ModelParts, ModelView } from '../../values/model-view.ts';
import type { Models } from '../../values/models.ts';
import { SliceReader } from '../../values/slice.ts';
import { lookAt, stillAt, tableIn, type StateSource } from '../table-looks.ts';
import { readDefinitions } from './asked-names.ts';
import { ColumnLoader, textsOf, type ColumnValues } from './column-values.ts';
import { conditionsOf } from './conditions.ts';
import { ConditionJudge } from './condition-judge.ts';
import { QuestionModel, readQuestion } from './question.ts';
import { columnPlaces, readRowCells, runsOf, type RowChoice } from './row-cells.ts';
import { checkSize, isOf1904, nameOf, readPage, type Page } from './row-page.ts';
import { checkQuery, chosenColumns, orderedBy, type RowQuery } from './row-query.ts';
import { shownRows } from './shown-rows.ts';

export interface RowReaderParts extends ModelParts {
  readonly source: StateSource;
  readonly models: Pick<Models, 'look'>;
}

export interface RowsRead {
  readonly seq: number;
  readonly date1904: boolean;
  readonly table: StoredTable;
  readonly columns: readonly StoredColumn[];
  /** Number of all rows that fit. */
  readonly total: number;
  /** Number of rows for which the question is an error; undefined without a question. */
  readonly errorCount: number | undefined;
  readonly rows: readonly (readonly WireInput[])[];
  /** Key of the last row, spelled for a query, after which the next page begins. */
  readonly lastKey: string | undefined;
  /** Index after the last row, at which the next page without a key begins. */
  readonly end: number;
  readonly hasMore: boolean;
}

/** A table at a fixed position, for reads of all its rows. */
export interface Whole {
  readonly state: BranchState;
  readonly place: Place;
  readonly table: StoredTable;
  readonly extent: TableExtent;
}

/** The rows that fit a question, in an order, at a position. */
interface Matched {
  readonly rows: Uint32Array;
  readonly errorCount: number | undefined;
}

const keptRows = 16_000_000;
/** Rows of cached columns, of nine bytes each, and four more once they are grouped. */
const keptColumnRows = 4_000_000;
const keptModels = 2;
const modelCellsMost = 4_000_000;

/** Reads rows of tables; the cost of a page does not depend on its place. */
export class RowReading {
  readonly #parts: RowReaderParts;
  readonly #loader: ColumnLoader;
  readonly #judge: ConditionJudge;
  /** Matching rows by position, table and question. */
  readonly #matched = new LRUCache<string, Matched>({
    maxSize: keptRows,
    sizeCalculation: ({ rows }) => rows.length + 1,
  });
  readonly #models = new LRUCache<string, Promise<QuestionModel>>({ max: keptModels });
  /** Columns by position, table and column. */
  readonly #columns = new LRUCache<string, ColumnValues>({
    maxSize: keptColumnRows,
    sizeCalculation: ({ tags }) => tags.length + 1,
  });

  constructor(parts: RowReaderParts) {
    this.#parts = parts;
    this.#loader = new ColumnLoader(parts);
    this.#judge = new ConditionJudge(parts, this.#loader);
  }

  /** Drops a workbook from memory. */
  forget(workbookId: string): void {
    for (const cache of [this.#matched, this.#models, this.#columns]) {
      for (const key of cache.keys()) if (key.startsWith(`${workbookId}/`)) cache.delete(key);
    }
    this.#judge.forget(workbookId);
  }

  async read(place: Place, idOrName: string, query: RowQuery): Promise<RowsRead> {
    checkQuery(query);
    if (query.where !== undefined || query.order.length > 0) {
      const whole = await this.whole(place, idOrName);
      return this.#matching(whole, query);
    }
    if (query.lens === 'formatted') return this.#shown(place, idOrName, query);
    const first = await lookAt(this.#parts.source, place, (state) =>
      readPage(state, idOrName, query),
    );
    if (!first.cells.needsValues) return finished(first);
    return this.#withValues(place, first, (state) => readPage(state, idOrName, query));
  }

  /** Reads a page as formatted text, with formats and values of one position. */
  async #shown(place: Place, idOrName: string, query: RowQuery): Promise<RowsRead> {
    const whole = await this.whole(place, idOrName);
    const pace = new Pace(this.#parts.environment);
    const page = await pace.run(readPage(whole.state, idOrName, query));
    const { positions, columns, lens } = page.choice;
    const rows = await this.rowsOf(whole, { positions, columns, lens });
    return finished({ ...page, cells: { rows, needsValues: false } });
  }

  async whole(place: Place, idOrName: string): Promise<Whole> {
    const state = await stillAt(this.#parts.source, place);
    const table = tableIn(state, idOrName);
    const extent = extentOf(table, state);
    return { state, table, extent, place: { ...place, seq: state.head, isPinned: true } };
  }

  async loadColumn(whole: Whole, column: StoredColumn): Promise<ColumnValues> {
    const key = `${keyOf(whole)} ${column.id}`;
    const known = this.#columns.get(key);
    if (known) return known;
    const values = await this.#loader.load(whole, column);
    this.#columns.set(key, values);
    return values;
  }

  /** Finds the matching rows, from 0, in the given order. */
  async matching(whole: Whole, query: Pick<RowQuery, 'where' | 'order'>): Promise<Matched> {
    const { where, order } = query;
    const key = `${keyOf(whole)} ${JSON.stringify([where, order])}`;
    const known = this.#matched.get(key);
    if (known) return known;
    const { rows, errorCount } = await this.#asked(whole, where);
    const found = { rows: await this.#ordered(whole, order, rows), errorCount };
    this.#matched.set(key, found);
    return found;
  }

  /** Reads some rows of a whole table by position. */
  async rowsOf(
    whole: Whole,
    choice: Pick<RowChoice, 'positions' | 'columns' | 'lens'>,
  ): Promise<RowsRead['rows']> {
    const rows = await this.#heldRows(whole, choice);
    if (choice.lens !== 'formatted') return rows;
    const { state, table, extent } = whole;
    const full: RowChoice = { table, extent, ...choice };
    return new Pace(this.#parts.environment).run(shownRows(state, full, rows));
  }

  async #heldRows(
    whole: Whole,
    choice: Pick<RowChoice, 'positions' | 'columns' | 'lens'>,
  ): Promise<RowsRead['rows']> {
    const { state, table, extent, place } = whole;
    checkSize(choice.positions.length, choice.columns.length);
    const full: RowChoice = { table, extent, ...choice };
    const pace = new Pace(this.#parts.environment);
    const cells = await pace.run(readRowCells(state, full));
    if (!cells.needsValues) return cells.rows;
    const ranges = [{ sheet: nameOf(extent, state), areas: runsOf(full) }];
    return this.#parts.models.look(place, { ranges, lens: 'value' }, (view) =>
      this.#valuesOf(view, full, state),
    );
  }

  async #matching(whole: Whole, query: RowQuery): Promise<RowsRead> {
    const columns = chosenColumns(whole.table, query.columns);
    const { rows: found, errorCount } = await this.matching(whole, query);
    const { offset, limit, lens } = query;
    const page = found.subarray(offset, offset + limit);
    const positions = Array.from(page, (row) => whole.extent.data.row0 + row);
    const rows = await this.rowsOf(whole, { positions, columns, lens });
    const { table, state } = whole;
    const total = found.length;
    const hasMore = offset + rows.length < total;
    const date1904 = isOf1904(state);
    const end = offset + rows.length;
    const shown = { total, errorCount, rows, lastKey: undefined, end, hasMore };
    return { seq: state.head, date1904, table, columns, ...shown };
  }

  async #asked(whole: Whole, where: string | undefined): Promise<Matched> {
    const { rowCount } = whole.extent;
    if (where === undefined) {
      const rows = new Uint32Array(rowCount);
      for (let row = 0; row < rowCount; row++) rows[row] = row;
      return { rows, errorCount: undefined };
    }
    const question = readQuestion(where, whole.table, whole.state);
    if (rowCount === 0) return { rows: new Uint32Array(0), errorCount: 0 };
    const conditions = conditionsOf(where, whole.table, whole.state);
    const definitions = await readDefinitions(question.names, whole, this.#parts);
    const asked = { ...whole, definitions };
    const judged = conditions && (await this.#judge.judge(asked, keyOf(whole), conditions));
    if (judged) return judged;
    const model = await this.#modelFor(whole, question.columns);
    try {
      return await model.ask(question.formula, definitions);
    } catch (error) {
      // The memory is in an unknown state.
      this.#models.clear();
      throw error;
    }
  }

  /**
   * Returns a model for a question, kept for the next one on the same columns unless it is large.
   */
  #modelFor(whole: Whole, columns: readonly StoredColumn[]): Promise<QuestionModel> {
    const key = `${keyOf(whole)} ${columns.map(({ id }) => id).join()}`;
    const known = this.#models.get(key);
    if (known) return known;
    const model = this.#loadModel(whole, columns);
    const cells = whole.extent.rowCount * (columns.length + 1);
    if (cells <= modelCellsMost) this.#models.set(key, model);
    model.catch(() => this.#models.delete(key));
    return model;
  }

  async #loadModel(whole: Whole, columns: readonly StoredColumn[]): Promise<QuestionModel> {
    const loaded: ColumnValues[] = [];
    for (const column of columns) loaded.push(await this.loadColumn(whole, column));
    const { table, state, extent } = whole;
    const asked = { table, state, rowCount: extent.rowCount, columns: loaded };
    return QuestionModel.load(columns, asked, this.#parts);
  }

  async #ordered(whole: Whole, names: readonly string[], rows: Uint32Array): Promise<Uint32Array> {
    if (names.length === 0) return rows;
    const pace = new Pace(this.#parts.environment);
    const keys = [];
    for (const { column, isDescending } of orderedBy(whole.table, names)) {
      const values = await this.loadColumn(whole, column);
      const lanes = await pace.run(picked(values, rows, whole.extent.rowCount));
      const texts = textsOf(values, whole.state);
      keys.push({ lanes, texts, isDescending, type: 'auto' as const });
    }
    const { dictionary } = whole.state.coding;
    const sorted = await pace.run(sortedRows(rows.length, keys, dictionary));
    for (let at = 0; at < sorted.length; at++) sorted[at] = rows[sorted[at] ?? 0] ?? 0;
    return sorted;
  }

  /** Reads the page again with values of formulas, all of one position. */
  async #withValues(
    place: Place,
    first: Page,
    again: (state: BranchState) => Generator<void, Page>,
  ): Promise<RowsRead> {
    const { models, source } = this.#parts;
    const wanted = place.isPinned ? { ...place, seq: first.seq } : place;
    const ranges = [{ sheet: first.sheetName, areas: runsOf(first.choice) }];
    return models.look(wanted, { ranges, lens: 'value' }, async (view) => {
      const { seq } = view.position;
      // The head may have moved, so rows are found at the position of the values.
      const page =
        seq === first.seq ? first : await lookAt(source, { ...place, seq, isPinned: true }, again);
      const rows = await this.#valuesOf(view, page.choice, undefined, page.sheetName);
      return finished({ ...page, cells: { rows, needsValues: false } });
    });
  }

  async #valuesOf(
    view: ModelView,
    choice: RowChoice,
    state: BranchState | undefined,
    sheetName = state && nameOf(choice.extent, state),
  ): Promise<WireInput[][]> {
    const places = columnPlaces(choice);
    const rows: WireInput[][] = [];
    for (const area of runsOf(choice)) {
      const reader = new SliceReader(view, 'value', this.#parts.environment);
      const [slice] = await reader.read([{ sheet: sheetName, areas: [area] }]);
      for (const row of slice?.rows ?? []) rows.push(places.map((at) => row[at] ?? null));
    }
    return rows;
  }
}

function finished({ choice, cells, ...page }: Page): RowsRead {
  const { seq, date1904, total, lastKey, end, hasMore } = page;
  const { table, columns } = choice;
  const rows = { rows: cells.rows, lastKey, end, hasMore };
  return { seq, date1904, table, columns, total, errorCount: undefined, ...rows };
}

const pickedAtOnce = 65_536;

/** Picks the values of some rows. */
function* picked(
  { tags, numbers }: Pick<ColumnValues, 'tags' | 'numbers'>,
  rows: Uint32Array,
  rowCount: number,
): Generator<void, Pick<ColumnValues, 'tags' | 'numbers'>> {
  if (rows.length === rowCount) return { tags, numbers };
  const own = { tags: new Uint8Array(rows.length), numbers: new Float64Array(rows.length) };
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0;
    own.tags[at] = tags[row] ?? 0;
    own.numbers[at] = numbers[row] ?? 0;
    if (at % pickedAtOnce === 0) yield;
  }
  return own;
}

function keyOf({ place, table }: Whole): string {
  return `${positionKey(place.address, place.seq)} ${table.id}`;
}
