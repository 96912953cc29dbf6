import { Rejection } from '../../server/model/rejection.ts';
import { rangeOf } from '../../server/state/structure/tables.ts';
import { TableDriver } from './table-driver.ts';

type Scalar = number | null;

export type ModelStep =
  | {
      readonly kind: 'upsert' | 'import';
      readonly rows: readonly {
        readonly key: string;
        readonly cells: readonly (readonly [column: number, value: Scalar])[];
      }[];
      readonly behind: number;
    }
  | { readonly kind: 'delete'; readonly keys: readonly string[]; readonly behind: number }
  | { readonly kind: 'add'; readonly name: string; readonly fallback: Scalar; readonly at: number }
  | { readonly kind: 'drop'; readonly column: number }
  | { readonly kind: 'rename'; readonly column: number; readonly name: string }
  | { readonly kind: 'move'; readonly column: number; readonly at: number }
  | { readonly kind: 'renameTable'; readonly name: string }
  | { readonly kind: 'insertRow' | 'deleteRow' | 'insertColumn'; readonly at: number }
  | { readonly kind: 'moveRow'; readonly from: number; readonly to: number }
  | { readonly kind: 'retype'; readonly at: number; readonly value: Scalar };

export const layouts = ['own', 'alone', 'beside', 'totals', 'neighbour'] as const;
export type Layout = (typeof layouts)[number];

interface Column {
  readonly id: number;
  readonly name: string;
}

/** Names at one position, which a client that saw it uses. */
interface Seen {
  readonly table: string;
  readonly columns: readonly Column[];
}

interface Outcome {
  readonly code: string;
}

/** A keyed table as a Map of Maps, compared with the real one. */
export class TableModel {
  readonly driver = new TableDriver();
  readonly #layout: Layout;
  #rows = new Map<string, Map<number, Scalar>>();
  #columns: readonly Column[] = [
    { id: 0, name: 'key' },
    { id: 1, name: 'n' },
  ];
  #fallbacks = new Map<number, Scalar>();
  #table = 'Stock';
  #nextColumn = 2;
  readonly #seen = new Map<number, Seen>();

  constructor(layout: Layout) {
    this.#layout = layout;
    const { driver } = this;
    driver.apply('sheet.add', { name: 'Main' });
    const schema = {
      columns: [
        { name: 'key', type: 'text' },
        { name: 'n', type: 'number' },
      ],
    };
    const table = { name: 'Stock', keyColumn: 'key', schema };
    if (layout === 'own') driver.apply('table.create', table);
    else this.#bind(table);
    const cells = [
      { a1: 'A1', input: '=SUM(Stock[n])' },
      { a1: 'A2', input: '=COUNT(Stock[n])' },
    ];
    driver.apply('cells.set', { sheet: 'Main', cells });
    this.#note();
  }

  /** A table among other cells of a sheet. */
  #bind(table: object): void {
    const { driver } = this;
    const layout = this.#layout;
    driver.apply('sheet.add', { name: 'Plan' });
    const totalsRow = layout === 'totals';
    const sheetRange = `Plan!B2:C${totalsRow ? 4 : 3}`;
    driver.apply('table.create', { ...table, sheetRange, totalsRow });
    const cells: { a1: string; input: string | number }[] = [{ a1: 'B1', input: 'above' }];
    const add = (a1: string, input: string | number) => cells.push({ a1, input });
    if (totalsRow) add('C4', '=SUM(Stock[n])');
    if (layout === 'beside') {
      for (const [a1, input] of Object.entries({ G3: 'x', G4: 'y', G9: '=$B$1', B9: 'z' })) {
        add(a1, input);
      }
    }
    if (layout === 'neighbour') {
      for (const [row, input] of ['id', 1, 2, 3].entries()) add(`I${row + 2}`, input);
    }
    driver.apply('cells.set', { sheet: 'Plan', cells });
    if (layout !== 'neighbour') return;
    driver.apply('table.create', { name: 'Other', sheetRange: 'Plan!I2:I5' });
  }

  #note(): void {
    this.#seen.set(this.driver.state.head, { table: this.#table, columns: this.#columns });
  }

  get table(): string {
    return this.#table;
  }

  run(step: ModelStep): string {
    const ids = this.driver.rowIds(this.#table);
    const keys = new Set(this.#rows.keys());
    const { code } = this.#run(step);
    this.#note();
    this.#checkContent();
    this.#checkIdentity(ids, keys, step);
    return code;
  }

  #run(step: ModelStep): Outcome {
    switch (step.kind) {
      case 'upsert':
      case 'import':
        return this.#write(step);
      case 'delete':
        return this.#delete(step.keys, step.behind);
      case 'add':
        return this.#add(step);
      case 'drop':
        return this.#drop(step.column);
      case 'rename':
        return this.#rename(step.column, step.name);
      case 'move':
        return this.#move(step.column, step.at);
      case 'renameTable': {
        const payload = { table: this.#table, name: step.name };
        return this.#submit(['table.rename', payload], () => (this.#table = step.name));
      }
      default:
        return this.#grid(step);
    }
  }

  /** Submits an operation; a refused one must change nothing. */
  #submit([kind, payload]: [string, object], done: () => unknown, baseSeq?: number): Outcome {
    const result = this.driver.submit(kind, payload, baseSeq === undefined ? {} : { baseSeq });
    if (result instanceof Rejection) return { code: result.code };
    done();
    return { code: result.status };
  }

  #base(behind: number): { seen: Seen; baseSeq: number } {
    const first = Math.min(...this.#seen.keys());
    const baseSeq = Math.max(first, this.driver.state.head - behind);
    const seen = this.#seen.get(baseSeq);
    if (!seen) throw new Error(`nothing was noted at ${baseSeq}`);
    return { seen, baseSeq };
  }

  #write(step: Extract<ModelStep, { kind: 'upsert' | 'import' }>): Outcome {
    const { seen, baseSeq } = this.#base(step.behind);
    const byKey = new Map<string, Map<number, Scalar>>();
    for (const { key, cells } of step.rows) {
      const written = new Map<number, Scalar>();
      for (const [at, value] of cells) {
        const column = seen.columns[at % seen.columns.length];
        if (column && column.id !== 0) written.set(column.id, value);
      }
      byKey.set(key, written);
    }
    const nameOf = (id: number) => seen.columns.find((column) => column.id === id)?.name ?? '';
    const rows = [...byKey].map(([key, cells]) => {
      const row: Record<string, Scalar | string> = { key };
      for (const [id, value] of cells) row[nameOf(id)] = value;
      return row;
    });
    const outcome = this.#submit(
      [`rows.${step.kind}`, { table: seen.table, rows }],
      () => {
        this.#fill(byKey, step.kind === 'import');
      },
      baseSeq,
    );
    const living = new Set(this.#columns.map(({ id }) => id));
    const named = new Set([...byKey.values()].flatMap((cells) => [...cells.keys()]));
    const isGone =
      [...named].some((id) => !living.has(id)) && ![...named].some((id) => living.has(id));
    if (isGone !== (outcome.code === 'target_deleted'))
      throw new Error(`${outcome.code} for dropped`);
    return outcome;
  }

  #fill(byKey: ReadonlyMap<string, ReadonlyMap<number, Scalar>>, isImport: boolean): void {
    const old = this.#rows;
    if (isImport) this.#rows = new Map();
    for (const [key, cells] of byKey) {
      const known = isImport ? undefined : old.get(key);
      const row = known ?? new Map(this.#fallbacks);
      for (const [id, value] of cells) row.set(id, value);
      this.#rows.set(key, row);
    }
  }

  #delete(keys: readonly string[], behind: number): Outcome {
    const { seen, baseSeq } = this.#base(behind);
    const payload = { table: seen.table, keys, onMissing: 'ignore' };
    return this.#submit(
      ['rows.delete', payload],
      () => {
        for (const key of keys) this.#rows.delete(key);
      },
      baseSeq,
    );
  }

  #column(at: number): Column {
    const column = this.#columns[at % this.#columns.length];
    if (!column) throw new Error('there is always the key');
    return column;
  }

  #add({ name, fallback, at }: Extract<ModelStep, { kind: 'add' }>): Outcome {
    const before = at < this.#columns.length ? { before: this.#column(at).name } : {};
    const payload = { table: this.#table, column: name, type: 'number', ...before };
    const withDefault = fallback === null ? payload : { ...payload, default: fallback };
    return this.#submit(['table.column.add', withDefault], () => {
      const id = this.#nextColumn++;
      this.#columns = this.#columns.toSpliced(at, 0, { id, name });
      this.#fallbacks.set(id, fallback);
      for (const row of this.#rows.values()) row.set(id, fallback);
    });
  }

  #drop(at: number): Outcome {
    const { id, name } = this.#column(at);
    return this.#submit(['table.column.drop', { table: this.#table, column: name }], () => {
      this.#columns = this.#columns.filter((column) => column.id !== id);
      this.#fallbacks.delete(id);
    });
  }

  #rename(at: number, to: string): Outcome {
    const { id, name } = this.#column(at);
    if (id === 0) return { code: 'kept' };
    const payload = { table: this.#table, column: name, name: to };
    return this.#submit(['table.column.rename', payload], () => {
      this.#columns = this.#columns.map((column) => (column.id === id ? { id, name: to } : column));
    });
  }

  #move(from: number, to: number): Outcome {
    const column = this.#column(from);
    const { name: before } = this.#column(to);
    const payload = { table: this.#table, column: column.name, before };
    return this.#submit(['table.column.move', payload], () => {
      if (column.name === before) return;
      const others = this.#columns.filter((other) => other !== column);
      const at = others.findIndex(({ name }) => name === before);
      this.#columns = others.toSpliced(at, 0, column);
    });
  }

  /** Does a step by cells and lines of the sheet, below the header. */
  #grid(step: Extract<ModelStep, { kind: 'retype' | `${string}Row` | 'insertColumn' }>): Outcome {
    const table = this.driver.table(this.#table);
    const { structure } = this.driver.state;
    const sheet = table.sheetId;
    const range = rangeOf(table, structure);
    const dataCount = range.row1 - range.row0 - Number(table.totalsRow);
    const rowAt = (at: number) => range.row0 + 2 + (at % dataCount);
    const keyAt = (at: number) => this.#keyAt(at % dataCount);
    switch (step.kind) {
      case 'insertRow':
        return this.#submit(['rows.insert', { sheet, before: rowAt(step.at) }], () => undefined);
      case 'deleteRow': {
        if (dataCount < 2 || this.#layout === 'neighbour') return { code: 'kept' };
        const key = keyAt(step.at);
        return this.#submit(['rows.delete', { sheet, from: rowAt(step.at) }], () =>
          this.#rows.delete(key),
        );
      }
      case 'moveRow': {
        const payload = { sheet, from: rowAt(step.from), before: rowAt(step.to) };
        return this.#submit(['rows.move', payload], () => undefined);
      }
      case 'insertColumn': {
        const at = 1 + (step.at % this.#columns.length);
        const isWithin = at < this.#columns.length;
        const payload = { sheet, before: range.column0 + at + 1 };
        return this.#submit(['cols.insert', payload], () => {
          if (isWithin) this.#adopt(at);
        });
      }
      case 'retype':
        return this.#retype(step, { row: rowAt(step.at), column: range.column0 });
    }
  }

  /** Takes the generated name of a column inserted within the table. */
  #adopt(at: number): void {
    const name = this.driver.table(this.#table).columns[at]?.name ?? '';
    const id = this.#nextColumn++;
    this.#columns = this.#columns.toSpliced(at, 0, { id, name });
    for (const row of this.#rows.values()) row.set(id, null);
    this.#fallbacks.set(id, null);
  }

  #retype(
    { at, value }: { at: number; value: Scalar },
    place: { row: number; column: number },
  ): Outcome {
    const index = 1 + (at % (this.#columns.length - 1 || 1));
    const column = this.#columns[index];
    const key = this.#keyAt(place.row - this.#firstRow());
    if (!column || column.id === 0 || key === '') return { code: 'kept' };
    const range = `R${place.row}`;
    const letter = String.fromCodePoint(65 + place.column + index);
    const cells = [{ a1: `${letter}${range.slice(1)}`, input: value }];
    const { sheetId } = this.driver.table(this.#table);
    return this.#submit(['cells.set', { sheet: sheetId, cells }], () => {
      this.#rows.get(key)?.set(column.id, value);
    });
  }

  /** Number of the first row of data, as people count. */
  #firstRow(): number {
    const table = this.driver.table(this.#table);
    return rangeOf(table, this.driver.state.structure).row0 + 2;
  }

  #keyAt(index: number): string {
    const table = this.driver.table(this.#table);
    const { structure } = this.driver.state;
    const sheet = structure.withId(table.sheetId);
    const range = rangeOf(table, structure);
    const at = this.#columns.findIndex(({ id }) => id === 0);
    const input =
      sheet && this.driver.state.inputAt(sheet, range.row0 + 1 + index, range.column0 + at);
    return typeof input === 'string' ? input : '';
  }

  #checkContent(): void {
    const wanted = [...this.#rows].map(([key, cells]) => {
      const named = this.#columns.map(({ id, name }) => [
        name,
        id === 0 ? key : (cells.get(id) ?? null),
      ]);
      return Object.fromEntries(named) as Record<string, unknown>;
    });
    const found = this.driver.rows(this.#table);
    same(found.map(spelled).sort(), wanted.map(spelled).sort(), 'rows');
    const header = this.driver.table(this.#table).columns.map(({ name }) => name);
    same(
      header,
      this.#columns.map(({ name }) => name),
      'columns',
    );
    this.driver.compare();
    this.#checkFigures();
  }

  /** Checks that formulas follow the column once called n. */
  #checkFigures(): void {
    if (!this.#columns.some(({ id }) => id === 1)) return;
    const values = [...this.#rows.values()].map((row) => row.get(1) ?? null);
    const numbers = values.filter((value) => value !== null);
    const sum = numbers.reduce((total, number) => total + number, 0);
    const isWhole = this.driver.value('Main', 0, 0);
    const table = this.driver.table(this.#table);
    const { row0, row1 } = rangeOf(table, this.driver.state.structure);
    if (row1 - row0 - Number(table.totalsRow) === 0) return;
    same([isWhole, this.driver.value('Main', 1, 0)], [sum, numbers.length], 'figures');
  }

  /**
   * Checks that a row keeps its id as long as its key exists, unless its neighbours forbid that.
   */
  #checkIdentity(ids: ReadonlyMap<unknown, string>, keys: ReadonlySet<string>, step: ModelStep) {
    if (this.#layout === 'beside' || this.#layout === 'neighbour') return;
    const now = this.driver.rowIds(this.#table);
    for (const key of keys) {
      if (!this.#rows.has(key)) continue;
      if (ids.get(key) !== now.get(key))
        throw new Error(`${key} is another row after ${step.kind}`);
    }
  }
}

function spelled(row: Record<string, unknown>): string {
  return JSON.stringify(row);
}

function same(found: unknown, wanted: unknown, what: string): void {
  const [own, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (own !== other) throw new Error(`${what}: found ${own}, wanted ${other}`);
}
