import type { Input, Value } from '../../server/model/cell-value.ts';
import { writeInput } from '../../server/model/input.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { Admitted } from '../../server/state/admission.ts';
import type { SheetOutline } from '../../server/state/structure/structure.ts';
import {
  dataRange,
  keyColumnOf,
  rangeOf,
  type StoredTable,
} from '../../server/state/structure/tables.ts';
import { valueForm, inputForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { StateDriver } from './state-driver.ts';

const formulas = new Formulas();
const noon = { clockSerial: 45_000, seedHigh: 1, seedLow: 2 };

/** A state with a kernel that gets its mutations. */
export class TableDriver {
  readonly driver = new StateDriver(formulas);
  readonly #kernel = Kernel.create();

  get state() {
    return this.driver.state;
  }

  apply(kind: string, payload: object, baseSeq?: number): Admitted {
    const result = this.submit(kind, payload, baseSeq === undefined ? {} : { baseSeq });
    if (result instanceof Rejection) throw result;
    return result;
  }

  submit(
    kind: string,
    payload: object,
    options: Parameters<StateDriver['submit']>[2] = {},
  ): Admitted | Rejection {
    const result = this.driver.submit(kind, payload, options);
    if (!(result instanceof Rejection)) this.#kernel.apply(result.mutations);
    return result;
  }

  /** The code of the rejection, and what it points to. */
  refusal(kind: string, payload: object, options: { baseSeq?: number; strict?: boolean } = {}) {
    const result = this.submit(kind, payload, options);
    if (!(result instanceof Rejection)) return 'none';
    return result.pointer === undefined ? result.code : `${result.code} ${result.pointer}`;
  }

  table(name: string): StoredTable {
    const table = this.state.tables.named(name);
    if (!table) throw new Error(`no table ${name}`);
    return table;
  }

  range(name: string): string | undefined {
    const summaries = this.state.tables.summaries(this.state.structure);
    return summaries.find((table) => table.name === name)?.range;
  }

  /** The rows of a table that have a key, from top to bottom, by the names of their columns. */
  rows(name: string): Record<string, unknown>[] {
    const table = this.table(name);
    const sheet = this.state.structure.withId(table.sheetId);
    const key = keyColumnOf(table);
    if (!sheet || !key) throw new Error(`${name} has no key`);
    const data = dataRange(table, rangeOf(table, this.state.structure));
    const rows: Record<string, unknown>[] = [];
    for (let at = data.row0; at <= data.row1; at++) {
      const inputs = table.columns.map((column, index) => [
        column.name,
        plain(this.state.inputAt(sheet, at, data.column0 + index)),
      ]);
      const row = Object.fromEntries(inputs) as Record<string, unknown>;
      if (row[key.name] !== null) rows.push(row);
    }
    return rows;
  }

  /** Ids of the rows, in the order of `rows`. */
  rowIds(name: string): Map<unknown, string> {
    const table = this.table(name);
    const sheet = this.state.structure.withId(table.sheetId);
    const key = keyColumnOf(table);
    if (!sheet || !key) throw new Error(`${name} has no key`);
    const range = rangeOf(table, this.state.structure);
    const data = dataRange(table, range);
    const column = data.column0 + table.columns.indexOf(key);
    const ids = new Map<unknown, string>();
    for (let at = data.row0; at <= data.row1; at++) {
      const { branch, sequence, offset } = sheet.rows.idAt(at);
      const value = this.state.inputAt(sheet, at, column);
      if (value !== null) ids.set(value, `${branch}.${sequence}.${offset}`);
    }
    return ids;
  }

  value(sheet: string, row: number, column: number): Value {
    this.#kernel.recalculate(noon, 1e9);
    return this.#read(sheet, { row, column }, 'value') as Value;
  }

  /** Throws unless the kernel holds the same cells as the state. */
  compare(): void {
    for (const outline of this.state.structure.sheets) {
      const used = this.state.used(outline);
      for (let row = 0; row <= (used?.row1 ?? 0) + 2; row++) {
        for (let column = 0; column <= (used?.column1 ?? 0) + 2; column++) {
          this.#compareCell(outline, row, column);
        }
      }
    }
  }

  #compareCell(outline: SheetOutline, row: number, column: number): void {
    const own = JSON.stringify(writeInput(this.state.inputAt(outline, row, column)));
    const other = JSON.stringify(this.#read(outline.name, { row, column }, 'input'));
    if (own === other) return;
    throw new Error(`${outline.name} ${row}:${column} holds ${own}, in the kernel ${other}`);
  }

  #read(sheet: string, { row, column }: { row: number; column: number }, lens: 'value' | 'input') {
    const outline = this.state.structure.named(sheet);
    if (!outline) throw new Error(`no sheet ${sheet}`);
    const area = { row0: row, row1: row, column0: column, column1: column };
    const form = lens === 'value' ? valueForm : inputForm;
    return this.#kernel.readRange(outline.key, area, { lens, form })[0]?.[0];
  }
}

function plain(input: Input): unknown {
  return typeof input === 'object' && input !== null && 'formula' in input ? input.formula : input;
}
