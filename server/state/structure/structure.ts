import { columnLimit, rowLimit } from '../../model/address.ts';
import { foldName } from '../../model/names.ts';
import type { Order } from '../ids/order.ts';
import { noTables, type TableList } from './tables.ts';
import { structureDigest } from '../nodes/structure-hash.ts';

export type Axis = 'row' | 'column';

/** A sheet without its content: id, name and orders. */
export interface SheetOutline {
  /** `s<branch>.<sequence>.<n>`. */
  readonly id: string;
  /** The sheet's number in mutations; not reused within a state. */
  readonly key: number;
  readonly name: string;
  readonly rows: Order;
  readonly columns: Order;
}

/** A renamed defined name or table. */
export interface NameRename {
  readonly name: string;
  /** The sheet that the name belongs to; undefined for the workbook. */
  readonly scopeId: string | undefined;
  readonly to: string;
}

interface LatestRename {
  readonly rename: NameRename;
  readonly earlier: LatestRename | undefined;
}

/**
 * Sheets with the orders of their rows and columns, and tables: everything that the meaning of
 * addresses depends on. Immutable, so that former structures cost only the parts that changed.
 */
export class Structure {
  readonly sheets: readonly SheetOutline[];
  readonly tables: TableList;
  /** The latest rename, for formulas written with earlier names; undefined in a restored state. */
  readonly #renamed: LatestRename | undefined;
  readonly #byId: ReadonlyMap<string, SheetOutline>;
  readonly #byName: ReadonlyMap<string, SheetOutline>;
  /** Sheets by exact name, which spares most look-ups the case folding. */
  readonly #byExactName: ReadonlyMap<string, SheetOutline>;
  #digest: string | undefined;

  constructor(
    sheets: readonly SheetOutline[],
    tables: TableList = noTables,
    renamed?: LatestRename,
  ) {
    this.sheets = sheets;
    this.tables = tables;
    this.#renamed = renamed;
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

  /** Finds a sheet by id or name; ids take precedence. */
  find(idOrName: string): SheetOutline | undefined {
    return this.#byId.get(idOrName) ?? this.named(idOrName);
  }

  add(sheet: SheetOutline, index: number): Structure {
    return this.#withSheets(this.sheets.toSpliced(index, 0, sheet));
  }

  remove(id: string): Structure {
    return this.#withSheets(this.sheets.filter((sheet) => sheet.id !== id));
  }

  replace(sheet: SheetOutline): Structure {
    return this.#withSheets(this.sheets.map((other) => (other.id === sheet.id ? sheet : other)));
  }

  withTables(tables: TableList): Structure {
    return tables === this.tables ? this : this.#withNames(tables, this.#renamed);
  }

  withRename(rename: NameRename): Structure {
    return this.#withNames(this.tables, { rename, earlier: this.#renamed });
  }

  /** Returns the renames since another structure of the branch, earliest first. */
  renamesSince(other: Structure): NameRename[] {
    if (this.#renamed === other.#renamed) return [];
    const known = new Set(latestRenames(other.#renamed));
    return latestRenames(this.#renamed)
      .filter((rename) => !known.has(rename))
      .reverse();
  }

  move(id: string, index: number): Structure {
    const sheet = this.#byId.get(id);
    return sheet ? this.remove(id).add(sheet, index) : this;
  }

  #withSheets(sheets: readonly SheetOutline[]): Structure {
    return new Structure(sheets, this.tables, this.#renamed);
  }

  #withNames(tables: TableList, renamed: LatestRename | undefined): Structure {
    const structure = new Structure(this.sheets, tables, renamed);
    structure.#digest = this.#digest;
    return structure;
  }

  /**
   * SHA-256 in hex of sheets (ids and names) and orders, without tables; equal for equal
   * content, regardless of history.
   */
  get digest(): string {
    this.#digest ??= structureDigest(this);
    return this.#digest;
  }
}

/** Renames that are listed, at most. */
const renamesMost = 1_000;

function latestRenames(latest: LatestRename | undefined): NameRename[] {
  const renames: NameRename[] = [];
  for (let at = latest; at && renames.length < renamesMost; at = at.earlier) {
    renames.push(at.rename);
  }
  return renames;
}

/** Number of lines that the grid of every sheet has on an axis. */
export function limitOf(axis: Axis): number {
  return axis === 'row' ? rowLimit : columnLimit;
}

export function orderOf(sheet: SheetOutline, axis: Axis): Order {
  return axis === 'row' ? sheet.rows : sheet.columns;
}

export function withOrder(sheet: SheetOutline, axis: Axis, order: Order): SheetOutline {
  return axis === 'row' ? { ...sheet, rows: order } : { ...sheet, columns: order };
}
