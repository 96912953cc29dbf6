import type { CellStyle } from '../../model/cell-style.ts';
import { foldName } from '../../model/names.ts';
import {
  sheetPropertyDefaults,
  sheetPropertyKeys,
  type SheetProperties,
  type SheetPropertyKey,
  type SheetPropertyValue,
} from '../../model/sheet-properties.ts';
import { KeyedMap } from '../ids/keyed-map.ts';
import { sortedByKey, SortedList, type SortedEntry } from '../nodes/sorted-list.ts';
import { LineProperties } from './line-properties.ts';
import type { LineValue } from './line-value.ts';
import type { Axis } from './structure.ts';

export interface NamedStyle {
  readonly id: string;
  readonly style: CellStyle;
}

/** Stored content of one section: values by key. */
interface Stored {
  readonly entries: Iterable<readonly [key: string, value: unknown]>;
}

/** The entries of properties of lines as they were listed last. */
interface Listed {
  readonly lines: KeyedMap<LineProperties>;
  readonly list: SortedList;
}

const stepEntries = 1_000;

/** Properties of rows and columns of all sheets. */
export class LineTable {
  #lines = new KeyedMap<LineProperties>();
  /** Known to all copies: what they share needs no other list. */
  #last: { listed: Listed } = { listed: { lines: new KeyedMap(), list: SortedList.none } };

  copy(): LineTable {
    const copy = new LineTable();
    copy.#lines = this.#lines.copy();
    copy.#last = this.#last;
    return copy;
  }

  of(sheetId: string, axis: Axis): LineProperties {
    return this.#lines.get(linesKey(sheetId, axis)) ?? LineProperties.none;
  }

  set(sheetId: string, axis: Axis, lines: LineProperties): void {
    const key = linesKey(sheetId, axis);
    if (lines.isEmpty) this.#lines.delete(key);
    else this.#lines.set(key, lines);
  }

  get count(): number {
    let count = 0;
    for (const lines of this.#lines.values()) count += lines.intervalCount;
    return count;
  }

  /** Returns the list of `sheet/axis/ids`. Only lines that changed since the last one are sorted. */
  *list(): Generator<void, SortedList> {
    const { listed } = this.#last;
    const lines = this.#lines.copy();
    const changes: SortedEntry[] = [];
    const keys = [...listed.lines.sorted(), ...lines.sorted()].map(([key]) => key);
    for (const key of new Set(keys)) {
      const was = listed.lines.get(key) ?? LineProperties.none;
      const is = lines.get(key) ?? LineProperties.none;
      if (was === is) continue;
      for (const [ids, value] of is.entriesSince(was)) {
        changes.push([`${key}/${ids}`, value]);
        if (changes.length % stepEntries === 0) yield;
      }
    }
    if (changes.length === 0) return listed.list;
    const list = yield* listed.list.changed(yield* sortedByKey(changes));
    this.#last.listed = { lines, list };
    return list;
  }

  static from({ entries }: Stored): LineTable {
    const byKey = new Map<string, [string, LineValue][]>();
    for (const [key, value] of entries) {
      const cut = key.lastIndexOf('/');
      const lines = byKey.get(key.slice(0, cut)) ?? [];
      lines.push([key.slice(cut + 1), value as LineValue]);
      byKey.set(key.slice(0, cut), lines);
    }
    const table = new LineTable();
    for (const [key, lines] of byKey) table.#lines.set(key, LineProperties.from(lines));
    return table;
  }
}

function linesKey(sheetId: string, axis: Axis): string {
  return `${sheetId}/${axis}s`;
}

/** The named styles of a workbook by id, regardless of case. */
export class NamedStyles {
  #styles = new KeyedMap<NamedStyle>();

  copy(): NamedStyles {
    const copy = new NamedStyles();
    copy.#styles = this.#styles.copy();
    return copy;
  }

  get size(): number {
    return this.#styles.size;
  }

  get(id: string): NamedStyle | undefined {
    return this.#styles.get(foldName(id));
  }

  set(style: NamedStyle): void {
    this.#styles.set(foldName(style.id), style);
  }

  delete(id: string): void {
    this.#styles.delete(foldName(id));
  }

  entries(): Generator<readonly [string, NamedStyle]> {
    return this.#styles.sorted();
  }

  static from({ entries }: Stored): NamedStyles {
    const styles = new NamedStyles();
    for (const [key, style] of entries) styles.#styles.set(key, style as NamedStyle);
    return styles;
  }
}

/** The properties of sheets that differ from the defaults. */
export class SheetPropertyTable {
  #values = new KeyedMap<SheetPropertyValue>();

  copy(): SheetPropertyTable {
    const copy = new SheetPropertyTable();
    copy.#values = this.#values.copy();
    return copy;
  }

  get(sheetId: string, key: SheetPropertyKey): SheetPropertyValue {
    return this.#values.get(`${sheetId}/${key}`) ?? sheetPropertyDefaults[key];
  }

  set(sheetId: string, key: SheetPropertyKey, value: SheetPropertyValue): void {
    const path = `${sheetId}/${key}`;
    if (value === sheetPropertyDefaults[key]) this.#values.delete(path);
    else this.#values.set(path, value);
  }

  /** Returns the properties that are set for one sheet. */
  of(sheetId: string): SheetProperties {
    const prefix = `${sheetId}/`;
    const set = [...this.#values.startingWith(prefix)];
    return Object.fromEntries(set.map(([key, value]) => [key.slice(prefix.length), value]));
  }

  entries(): Generator<readonly [string, SheetPropertyValue]> {
    return this.#values.sorted();
  }

  static from({ entries }: Stored): SheetPropertyTable {
    const table = new SheetPropertyTable();
    for (const [key, value] of entries) table.#values.set(key, value as SheetPropertyValue);
    return table;
  }
}

/** The looks of a workbook: formatting of lines, sheets and named styles, beside that of cells. */
export class Looks {
  readonly lines: LineTable;
  readonly styles: NamedStyles;
  readonly properties: SheetPropertyTable;

  constructor(
    lines = new LineTable(),
    styles = new NamedStyles(),
    properties = new SheetPropertyTable(),
  ) {
    this.lines = lines;
    this.styles = styles;
    this.properties = properties;
  }

  copy(): Looks {
    return new Looks(this.lines.copy(), this.styles.copy(), this.properties.copy());
  }

  dropSheet(id: string): void {
    for (const axis of ['row', 'column'] as const) this.lines.set(id, axis, LineProperties.none);
    for (const key of sheetPropertyKeys) {
      this.properties.set(id, key, sheetPropertyDefaults[key]);
    }
  }

  copySheet(from: string, to: string): void {
    for (const axis of ['row', 'column'] as const) {
      this.lines.set(to, axis, this.lines.of(from, axis));
    }
    for (const key of sheetPropertyKeys) {
      this.properties.set(to, key, this.properties.get(from, key));
    }
  }
}
