import { createHash } from 'node:crypto';

import type { FormulaService } from '../model/formula-service.ts';
import { sameJson } from '../model/plain-json.ts';
import type { Range } from '../model/range.ts';
import { recordTypes } from '../model/record.ts';
import { areaText, parseArea, rangeOf, type LineChange } from './area.ts';
import { KeyedMap } from './keyed-map.ts';
import { RangeIndex } from './range-index.ts';
import { shown } from './record-formulas.ts';
import { followAll } from './record-follow.ts';
import {
  recordKey,
  type RecordChange,
  type RecordEntry,
  type StoredRecord,
  type StoredType,
} from './stored-record.ts';
import type { SheetOutline, Structure } from './structure.ts';

/** The notes, rules, links and other records of a branch. */
export class Records {
  readonly #entries: KeyedMap<StoredRecord>;
  readonly #counts = new Map<StoredType, number>();
  /** Where records lie, by type and sheet; made when somebody asks. */
  readonly #placed = new Map<string, Placed>();
  #digest: string | undefined;

  constructor(source?: Records) {
    this.#entries = source ? source.#entries.copy() : new KeyedMap();
    if (!source) return;
    this.#counts = new Map(source.#counts);
    this.#digest = source.#digest;
    for (const [name, placed] of source.#placed) {
      placed.isShared = true;
      this.#placed.set(name, placed);
    }
  }

  copy(): Records {
    return new Records(this);
  }

  /** Made again from what `entries` answered; structures are found by their digest. */
  static fromEntries(
    entries: Iterable<readonly [string, RecordEntry]>,
    structureOf: (digest: string) => Structure,
  ): Records {
    const records = new Records();
    for (const [key, entry] of entries) records.#put(recordOf(key, entry, structureOf));
    return records;
  }

  /** By key: the same for the same content, whatever edits led there. */
  *entries(): Generator<readonly [string, RecordEntry]> {
    for (const [key, { areas, value, structure }] of this.#entries.sorted()) {
      const entry = { areas: areas.map(areaText), value };
      yield [key, structure ? { ...entry, structure: structure.digest } : entry];
    }
  }

  /** What formulas of records were written in, by digest. */
  structures(): Map<string, Structure> {
    const found = new Map<string, Structure>();
    for (const { structure } of this.#entries.values()) {
      if (structure) found.set(structure.digest, structure);
    }
    return found;
  }

  /** SHA-256 in hex over all entries. */
  digest(): string {
    if (this.#digest === undefined) {
      const hash = createHash('sha256');
      for (const entry of this.entries()) hash.update(`${JSON.stringify(entry)}\n`);
      this.#digest = hash.digest('hex');
    }
    return this.#digest;
  }

  get(key: string): StoredRecord | undefined {
    return this.#entries.get(key);
  }

  count(type: StoredType): number {
    return this.#counts.get(type) ?? 0;
  }

  /** Of each type there is. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const type of recordTypes) if (this.count(type) > 0) counts[type] = this.count(type);
    return counts;
  }

  /** The record of that type and id on whichever sheet. */
  withId(type: StoredType, id: string, { sheets }: Structure): StoredRecord | undefined {
    for (const sheet of sheets) {
      const record = this.#entries.get(`${type}/${sheet.id}/${id}`);
      if (record) return record;
    }
    return undefined;
  }

  /** In no particular order, without the cost of sorting. */
  ofSheet(sheetId: string): StoredRecord[] {
    return [...this.#entries.values()].filter((record) => record.sheetId === sheetId);
  }

  /** Of one type and sheet, by key. */
  on(type: StoredType, sheet: SheetOutline): StoredRecord[] {
    if (this.count(type) === 0) return [];
    const keys = this.#placedOn(type, sheet).index.keys();
    return keys.flatMap((key) => this.#entries.get(key) ?? []);
  }

  /** Those that share a cell with the range, by key. */
  meeting(type: StoredType, sheet: SheetOutline, range: Range): StoredRecord[] {
    if (this.count(type) === 0) return [];
    const found = this.#placedOn(type, sheet).index.meeting(range);
    return found.flatMap((key) => this.#entries.get(key) ?? []);
  }

  /** Where a record lies on its sheet as it is now. */
  rangesOf(record: StoredRecord, sheet: SheetOutline): readonly Range[] {
    return this.#placedOn(record.type, sheet).index.ranges(recordKey(record));
  }

  /** `structure` is that of the moment. */
  apply({ puts, deletes }: RecordChange, structure: Structure): void {
    for (const key of deletes) this.#remove(key);
    for (const record of puts) this.#put(record, structure.withId(record.sheetId));
  }

  /** Whether a change would leave all as it is. */
  isSo({ puts, deletes }: RecordChange, to: Structure, formulas: FormulaService): boolean {
    return (
      deletes.every((key) => !this.#entries.has(key)) &&
      puts.every((put) => isSame(this.#entries.get(recordKey(put)), put, { to, formulas }))
    );
  }

  /** To be called when lines of a sheet were deleted or moved. */
  follow(change: LineChange, structure: Structure, formulas: FormulaService): void {
    const own = this.ofSheet(change.before.id);
    if (own.length === 0) return;
    const after = structure.replace(change.after);
    this.apply(followAll(own, change, { structure, formulas, records: this }), after);
  }

  dropSheet(sheetId: string): void {
    for (const record of this.ofSheet(sheetId)) this.#remove(recordKey(record));
  }

  #put(record: StoredRecord, sheet?: SheetOutline): void {
    const key = recordKey(record);
    if (!this.#entries.has(key)) this.#counts.set(record.type, this.count(record.type) + 1);
    this.#entries.set(key, record);
    this.#digest = undefined;
    const placed = this.#ownPlaced(record);
    if (placed && sheet && isCurrent(placed, sheet)) {
      placed.index.add(key, placesOf(record, sheet));
    } else {
      this.#placed.delete(`${record.type}/${record.sheetId}`);
    }
  }

  #remove(key: string): void {
    const record = this.#entries.get(key);
    if (!record) return;
    this.#entries.delete(key);
    this.#counts.set(record.type, this.count(record.type) - 1);
    this.#digest = undefined;
    this.#ownPlaced(record)?.index.remove(key);
  }

  /** The index to write to; a shared one is left to the others and made anew when asked for. */
  #ownPlaced({ type, sheetId }: StoredRecord): Placed | undefined {
    const name = `${type}/${sheetId}`;
    const placed = this.#placed.get(name);
    if (placed?.isShared !== true) return placed;
    this.#placed.delete(name);
    return undefined;
  }

  #placedOn(type: StoredType, sheet: SheetOutline): Placed {
    const name = `${type}/${sheet.id}`;
    const known = this.#placed.get(name);
    if (known && isCurrent(known, sheet)) return known;
    const placed = { sheet, index: new RangeIndex(), isShared: false };
    for (const record of this.#entries.values()) {
      if (record.type !== type || record.sheetId !== sheet.id) continue;
      placed.index.add(recordKey(record), placesOf(record, sheet));
    }
    this.#placed.set(name, placed);
    return placed;
  }
}

interface Placed {
  readonly sheet: SheetOutline;
  readonly index: RangeIndex;
  /** With a copy of the records: then nobody writes to it any more. */
  isShared: boolean;
}

function isCurrent({ sheet: { rows, columns } }: Placed, sheet: SheetOutline): boolean {
  return rows === sheet.rows && columns === sheet.columns;
}

function placesOf({ areas }: StoredRecord, sheet: SheetOutline): Range[] {
  return areas.flatMap((area) => rangeOf(area, sheet) ?? []);
}

function recordOf(
  key: string,
  { areas, value, structure }: RecordEntry,
  structureOf: (digest: string) => Structure,
): StoredRecord {
  const [type = '', sheetId = '', own = '', more] = key.split('/');
  return {
    type: type as StoredType,
    id: more === undefined ? own : '',
    sheetId,
    areas: areas.map(parseArea),
    value,
    structure: structure === undefined ? undefined : structureOf(structure),
  };
}

/** Formulas may be kept relative to different structures and say the same. */
function isSame(
  held: StoredRecord | undefined,
  put: StoredRecord,
  { to, formulas }: { to: Structure; formulas: FormulaService },
): boolean {
  if (!held || held.areas.map(areaText).join() !== put.areas.map(areaText).join()) return false;
  if (held.structure === put.structure) return sameJson(held.value, put.value);
  return sameJson(shown(held, to, formulas), shown(put, to, formulas));
}
