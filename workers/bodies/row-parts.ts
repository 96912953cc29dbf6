import type { WireInput } from '../../server/model/input.ts';
import { isRowList, type TableRow } from '../../server/model/payload-tables.ts';
import { keysSchema, rowsPart, rowsSchema, type RowsPart } from '../../server/model/row-writes.ts';
import { faultsOf } from '../../server/model/schema/compile.ts';
import { bodyFailure } from '../../server/model/schema/refusal.ts';
import { Walk } from '../../server/model/schema/walk.ts';
import type { BodySource, Span } from './body-source.ts';
import { slices } from './check-spans.ts';

export type ListName = 'rows' | 'keys';

/** Turns lists of rows or keys into parts of operations. */
export class RowParts {
  readonly #name: ListName;
  readonly #parts = new PartWriter();
  #count = 0;

  constructor(name: ListName) {
    this.#name = name;
  }

  /** Number of rows or keys so far. */
  get count(): number {
    return this.#count;
  }

  *add(source: BodySource, list: Span): Generator<RowsPart, void> {
    const before = this.#count;
    for (const slice of slices(source, list)) {
      const values = source.values(slice);
      const index = before + slice.index;
      check(values, { name: this.#name, index });
      this.#count = index + values.length;
      if (this.#name === 'keys') {
        yield { index, keys: values as (string | number)[] };
        continue;
      }
      for (const row of values as TableRow[]) {
        const part = this.#parts.add(row);
        if (part) yield part;
      }
    }
  }

  /** Yields the remaining rows. */
  *finish(): Generator<RowsPart, void> {
    const rest = this.#parts.finish();
    if (rest) yield rest;
  }
}

function check(values: unknown[], { name, index }: { name: ListName; index: number }): void {
  const { faults } = faultsOf(name === 'rows' ? rowsSchema : keysSchema, values);
  if (faults.length === 0) return;
  const walk = new Walk();
  for (const fault of faults)
    walk.addFault({ ...fault, pointer: shifted(fault.pointer, name, index) });
  throw bodyFailure(walk);
}

function shifted(pointer: string, name: ListName, index: number): string {
  const [, item, below = ''] = /^\/(\d+)(.*)$/su.exec(pointer) ?? [];
  return item === undefined ? `/${name}${pointer}` : `/${name}/${Number(item) + index}${below}`;
}

/** Collects rows until they fill a part. */
class PartWriter {
  #rows: TableRow[] = [];
  #index = 0;
  #valueCount = 0;
  #characterCount = 0;

  add(row: TableRow): RowsPart | undefined {
    const values: readonly WireInput[] = isRowList(row) ? row : Object.values(row);
    const characters = values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
    const isFull =
      this.#rows.length === rowsPart.rows ||
      this.#valueCount + values.length > rowsPart.values ||
      this.#characterCount + characters > rowsPart.characters;
    const full = isFull ? this.finish() : undefined;
    this.#rows.push(row);
    this.#valueCount += values.length;
    this.#characterCount += characters;
    return full;
  }

  /** Returns the remaining rows; undefined if there are none. */
  finish(): RowsPart | undefined {
    const rows = this.#rows;
    if (rows.length === 0) return undefined;
    const index = this.#index;
    this.#index += rows.length;
    this.#rows = [];
    this.#valueCount = 0;
    this.#characterCount = 0;
    return { index, ...listed(rows) };
  }
}

/** Turns rows that all have the same members into lists, so that names are written once. */
function listed(rows: readonly TableRow[]): { columns: string[] | undefined; rows: TableRow[] } {
  const [first] = rows;
  const plain = { columns: undefined, rows: [...rows] };
  if (!first || isRowList(first)) return plain;
  const columns = Object.keys(first);
  const lists: WireInput[][] = [];
  for (const row of rows) {
    if (isRowList(row) || Object.keys(row).length !== columns.length) return plain;
    const values: WireInput[] = [];
    for (const name of columns) {
      const value = row[name];
      if (value === undefined) return plain;
      values.push(value);
    }
    lists.push(values);
  }
  return columns.length > 0 ? { columns, rows: lists } : plain;
}

function lengthOf(value: WireInput): number {
  return typeof value === 'string' ? value.length : 0;
}
