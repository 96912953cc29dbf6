import { foldName } from '../model/names.ts';
import type { Order } from './order.ts';
import { noTables, type TableList } from './tables.ts';
import { structureDigest } from './tree/structure-hash.ts';

export type Axis = 'row' | 'column';

/** A sheet without its cells. */
export interface SheetOutline {
  /** `s<branch>.<sequence>.<n>`. */
  readonly id: string;
  /** The sheet's number in mutations; never used again within a branch state. */
  readonly key: number;
  readonly name: string;
  readonly rows: Order;
  readonly columns: Order;
}

/**
 * Which sheets there are, the order of their rows and columns, and the tables on them: all that
 * addresses and formula texts depend on. Immutable, so keeping those of the past costs only what
 * changed between them.
 */
export class Structure {
  readonly sheets: readonly SheetOutline[];
  readonly tables: TableList;
  readonly #byId: ReadonlyMap<string, SheetOutline>;
  readonly #byName: ReadonlyMap<string, SheetOutline>;
  /** By the name as it is written, which spares most look-ups the folding. */
  readonly #byExactName: ReadonlyMap<string, SheetOutline>;
  #digest: string | undefined;

  constructor(sheets: readonly SheetOutline[], tables: TableList = noTables) {
    this.sheets = sheets;
    this.tables = tables;
    this.#byId = new Map(sheets.map((sheet) => [sheet.id, sheet]));
    this.#byName = new Map(sheets.map((sheet) => [foldName(sheet.name), sheet]));
    this.#byExactName = new Map(sheets.map((sheet) => [sheet.name, sheet]));
  }

  withId(id: string): SheetOutline | undefined {
    return this.#byId.get(id);
  }

  named(name: string): SheetOutline | undefined {
    return this.#byExactName.get(name) ?? this.#byName.get(foldName(name));
  }

  /** A sheet argument is an id or a name; an id wins. */
  find(idOrName: string): SheetOutline | undefined {
    return this.#byId.get(idOrName) ?? this.named(idOrName);
  }

  add(sheet: SheetOutline, index: number): Structure {
    return new Structure(this.sheets.toSpliced(index, 0, sheet), this.tables);
  }

  remove(id: string): Structure {
    const sheets = this.sheets.filter((sheet) => sheet.id !== id);
    return new Structure(sheets, this.tables);
  }

  replace(sheet: SheetOutline): Structure {
    const sheets = this.sheets.map((other) => (other.id === sheet.id ? sheet : other));
    return new Structure(sheets, this.tables);
  }

  withTables(tables: TableList): Structure {
    if (tables === this.tables) return this;
    const structure = new Structure(this.sheets, tables);
    structure.#digest = this.#digest;
    return structure;
  }

  move(id: string, index: number): Structure {
    const sheet = this.#byId.get(id);
    return sheet ? this.remove(id).add(sheet, index) : this;
  }

  /** SHA-256 in hex; equal for equal sheets and orders, whatever edits led there. Not of tables. */
  get digest(): string {
    this.#digest ??= structureDigest(this);
    return this.#digest;
  }
}

export function orderOf(sheet: SheetOutline, axis: Axis): Order {
  return axis === 'row' ? sheet.rows : sheet.columns;
}

export function withOrder(sheet: SheetOutline, axis: Axis, order: Order): SheetOutline {
  return axis === 'row' ? { ...sheet, rows: order } : { ...sheet, columns: order };
}
