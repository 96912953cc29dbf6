import { columnLimit, rowLimit } from '../../model/address.ts';
import { foldName } from '../../model/names.ts';
import type { Order } from '../ids/order.ts';
import { noTables, type TableList } from './tables.ts';
import { structureDigest } from '../nodes/structure-hash.ts';

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

/** A name or table that got another name. */
export interface NameRename {
  readonly name: string;
  /** Sheet that alone sees it; undefined for the whole workbook. */
  readonly scopeId: string | undefined;
  readonly to: string;
}

interface LatestRename {
  readonly rename: NameRename;
  readonly earlier: LatestRename | undefined;
}

/**
 * Sheets, the order of their rows and columns, and the tables on them: all that addresses and
 * formula texts depend on. Immutable, so keeping those of the past costs only the parts that
 * changed between them.
 */
export class Structure {
  readonly sheets: readonly SheetOutline[];
  readonly tables: TableList;
  /** For formulas that were written with the earlier name; a state that is restored has none. */
  readonly #renamed: LatestRename | undefined;
  readonly #byId: ReadonlyMap<string, SheetOutline>;
  readonly #byName: ReadonlyMap<string, SheetOutline>;
  /** By the name as it is written, which spares most look-ups the folding. */
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

  /** A sheet argument is an id or a name; an id wins. */
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

  /** Names that were given since another structure of the branch, the earliest first. */
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

  /** SHA-256 in hex; equal for equal sheets and orders, whatever edits led there. Not of names. */
  get digest(): string {
    this.#digest ??= structureDigest(this);
    return this.#digest;
  }
}

/** Latest renames that are listed at most. */
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
