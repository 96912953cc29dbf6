import type { JsonObject } from '../../model/plain-json.ts';
import { rangeName, type Range } from '../../model/range.ts';
import { recordIdPrefixes } from '../../model/record.ts';
import { areaOf } from '../structure/area.ts';
import { orderOf, orderOn } from '../records/format-order.ts';
import { checkRoom } from '../plan/plan-record-target.ts';
import type { PlanContext } from '../plan/plan.ts';
import { asWritten, mapFormulas, relative } from '../records/record-formulas.ts';
import { recordKey, type RecordChange, type StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** A range that a record, or a part of it, gets. */
export interface Placed {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/** Rewrites a record's formula for another sheet, in the addresses of the head. */
export type Carry = (formula: string, homeId: string, sheetId: string) => string;

const unchanged: Carry = (formula) => formula;

/** Collects the changes of records whose cells move. */
export class RecordDraft {
  readonly #context: PlanContext;
  readonly #carry: Carry;
  readonly #puts = new Map<string, StoredRecord>();
  readonly #deletes = new Set<string>();
  #madeCount = 0;

  constructor(context: PlanContext, carry = unchanged) {
    this.#context = context;
    this.#carry = carry;
  }

  rangesOf(record: StoredRecord): readonly Range[] {
    const { records, head } = this.#context;
    const sheet = head.withId(record.sheetId);
    return sheet ? records.rangesOf(record, sheet) : [];
  }

  /** Returns the merged cells of a sheet, as they are before the changes. */
  mergedOn(sheet: SheetOutline): Range[] {
    const merged = this.#context.records.on('cellmerge', sheet);
    return merged.flatMap((record) => this.rangesOf(record));
  }

  /** Moves a record to new ranges: on several sheets it is split, without ranges deleted. */
  place(record: StoredRecord, placed: readonly Placed[]): void {
    if (this.#isThere(record, placed)) return;
    const made = isKnownByPlace(record)
      ? placed.map(({ sheet, range }) => this.#made(record, sheet, [range]))
      : this.#bySheet(record, placed);
    this.#replace(record, made);
  }

  /** Changes the value of a record. */
  change(record: StoredRecord, change: (value: JsonObject) => JsonObject): void {
    const key = recordKey(record);
    const held = this.#puts.get(key) ?? record;
    this.#puts.set(key, { ...held, value: change(held.value) });
  }

  /** Rewrites the formulas of records that do not move. */
  carryOthers(): void {
    for (const record of this.#context.records.all()) {
      const key = recordKey(record);
      if (!record.structure || this.#puts.has(key) || this.#deletes.has(key)) continue;
      const value = this.#carried(record, record.sheetId);
      if (value.hasChanged) {
        const { head: structure } = this.#context;
        this.#puts.set(key, { ...record, value: value.value, structure, former: undefined });
      }
    }
  }

  /** Returns all changes; undefined when there are none. */
  finish(): RecordChange | undefined {
    this.#orderFormats();
    for (const key of this.#puts.keys()) this.#deletes.delete(key);
    if (this.#puts.size === 0 && this.#deletes.size === 0) return undefined;
    this.#checkRoom();
    const puts = [...this.#puts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record);
    return { puts, deletes: [...this.#deletes].sort() };
  }

  #isThere(record: StoredRecord, placed: readonly Placed[]): boolean {
    const ranges = this.rangesOf(record);
    return (
      ranges.length === placed.length &&
      placed.every(({ sheet, range }, at) => {
        const held = ranges[at];
        return sheet.id === record.sheetId && held && rangeName(held) === rangeName(range);
      })
    );
  }

  /**
   * Splits a record by sheet. Its own sheet keeps the id or, if the record leaves that, the first
   * one.
   */
  #bySheet(record: StoredRecord, placed: readonly Placed[]): StoredRecord[] {
    const sheets = new Map<string, SheetOutline>();
    for (const { sheet } of placed) sheets.set(sheet.id, sheet);
    const keeperId = sheets.has(record.sheetId) ? record.sheetId : placed[0]?.sheet.id;
    return [...sheets.values()].map((sheet) => {
      const ranges = placed.flatMap((one) => (one.sheet.id === sheet.id ? [one.range] : []));
      const made = this.#made(record, sheet, ranges);
      return sheet.id === keeperId ? made : { ...made, id: this.#newId(record) };
    });
  }

  #newId({ type }: StoredRecord): string {
    const { branch, sequence } = this.#context.next();
    const prefix = type === 'cforder' ? undefined : recordIdPrefixes[type];
    if (prefix === undefined) throw new Error(`a ${type} is known by its place`);
    return `${prefix}${branch}.${sequence}.${this.#madeCount++}`;
  }

  #made(record: StoredRecord, sheet: SheetOutline, ranges: readonly Range[]): StoredRecord {
    const areas = ranges.map((range) => areaOf(sheet, range));
    const placed = { ...record, sheetId: sheet.id, areas };
    if (!record.structure) return placed;
    const { value } = this.#carried(record, sheet.id);
    return { ...placed, value, structure: this.#context.head, former: undefined };
  }

  /**
   * Rewrites the formulas of a record as read in its first cell; they are stored relative to it.
   */
  #carried(record: StoredRecord, sheetId: string): { value: JsonObject; hasChanged: boolean } {
    const { head, coding } = this.#context;
    const [range] = this.rangesOf(record);
    if (!range) return { value: record.value, hasChanged: false };
    const cell = { row: range.row0, column: range.column0 };
    let hasChanged = false;
    const carried = mapFormulas(asWritten(record, head, coding.formulas), (formula) => {
      const text = this.#carry(formula, record.sheetId, sheetId);
      hasChanged ||= text !== formula;
      return text;
    });
    return { value: relative(carried, cell, coding.formulas), hasChanged };
  }

  #replace(record: StoredRecord, made: readonly StoredRecord[]): void {
    const key = recordKey(record);
    this.#deletes.add(key);
    for (const one of made) this.#puts.set(recordKey(one), one);
  }

  #checkRoom(): void {
    const { records } = this.#context;
    const counts = new Map<StoredRecord['type'], number>();
    for (const [key, { type }] of this.#puts) {
      if (!records.get(key)) counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    for (const key of this.#deletes) {
      const type = records.get(key)?.type;
      if (type) counts.set(type, (counts.get(type) ?? 0) - 1);
    }
    for (const [type, count] of counts) if (count > 0) checkRoom(type, count, this.#context);
  }

  /** Puts conditional formats that come to a sheet last in its order. */
  #orderFormats(): void {
    const gone = new Set<string>();
    for (const key of this.#deletes) if (!this.#puts.has(key)) gone.add(key);
    const added = [...this.#puts.values()].filter(
      (record) => record.type === 'cf' && !this.#context.records.get(recordKey(record)),
    );
    for (const sheet of this.#context.head.sheets) {
      const order = orderOn(sheet, this.#context);
      const left = order.filter((id) => !gone.has(`cf/${sheet.id}/${id}`));
      const come = added.filter(({ sheetId }) => sheetId === sheet.id);
      if (left.length === order.length && come.length === 0) continue;
      const change = orderOf(sheet.id, [...left, ...come.map(({ id }) => id)]);
      for (const key of change.deletes) this.#deletes.add(key);
      for (const record of change.puts) this.#puts.set(recordKey(record), record);
    }
  }
}

/** Returns whether a record has no id; its cells identify it, and it has one area. */
function isKnownByPlace({ id }: StoredRecord): boolean {
  return id === '';
}
