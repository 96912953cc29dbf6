import type { FormulaService } from '../../model/formula-service.ts';
import { sameJson, type JsonObject } from '../../model/plain-json.ts';
import type { Range } from '../../model/range.ts';
import { recordTypes } from '../../model/record.ts';
import { areaText, parseArea, rangeOf, type LineChange } from '../structure/area.ts';
import { LeavingLines } from '../cells/end-spans.ts';
import { KeyedMap } from '../ids/keyed-map.ts';
import { lineChange, type LineStep } from '../structure/line-steps.ts';
import { RangeIndex } from '../ids/range-index.ts';
import { keptFormulas, rewrittenRecords } from './record-ends.ts';
import { currentValue, firstCell, readValue, shown, valueInIds } from './record-formulas.ts';
import type { LinkWatch } from './links-apart.ts';
import { followAll, followRecord } from './record-follow.ts';
import {
  recordKey,
  type RecordChange,
  type RecordEntry,
  type StoredRecord,
  type StoredType,
} from './stored-record.ts';
import type { StepReferences } from '../references/step-references.ts';
import { orderOf, type SheetOutline, type Structure } from '../structure/structure.ts';
import {
  headDigest,
  idsDigest,
  type SectionEntry,
  type SectionWriting,
  type StoredSection,
} from '../structure/section.ts';

/** The records of one type on one sheet. */
interface Group {
  readonly type: StoredType;
  readonly sheetId: string;
  readonly records: KeyedMap<StoredRecord>;
  /** Index by place; made when somebody asks. */
  placed: Placed | undefined;
}

interface Placed {
  readonly sheet: SheetOutline;
  readonly index: RangeIndex;
  /** Is true once a copy of the records has it too: then nobody writes to it any more. */
  isShared: boolean;
}

interface Following {
  readonly references: StepReferences;
  readonly formulas: FormulaService;
  /** Left out where no links are followed. */
  readonly links?: LinkWatch | undefined;
}

interface FollowingSort extends Omit<Following, 'references'> {
  /** Before the sort. */
  readonly structure: Structure;
}

/** The notes, rules, links and other records of a branch. */
export class Records {
  /** Groups by type and sheet; none of them is empty. */
  readonly #groups = new Map<string, Group>();
  /** Counts by type: every operation asks whether there are rules at all. */
  readonly #counts = new Map<StoredType, number>();

  copy(): Records {
    const copy = new Records();
    for (const [name, group] of this.#groups) {
      if (group.placed) group.placed.isShared = true;
      copy.#groups.set(name, { ...group, records: group.records.copy() });
    }
    for (const [type, count] of this.#counts) copy.#counts.set(type, count);
    return copy;
  }

  /** Reads records that `entries` gave. */
  static from(stored: StoredSection): Records {
    const records = new Records();
    // Nothing but `entries` writes them, and what is stored is read back by its hash.
    for (const [key, entry] of stored.entries) {
      records.#put(recordOf(key, entry as RecordEntry, stored));
    }
    return records;
  }

  /** Yields entries by key: the same for the same content, whatever edits led there. */
  *entries(writing: SectionWriting): Generator<SectionEntry> {
    for (const { records } of this.#sortedGroups()) {
      for (const [key, record] of records.sorted()) yield [key, entryOf(record, writing)];
    }
  }

  /** Structures that the entries name. */
  *structures(writing: SectionWriting): Generator<Structure> {
    for (const { records } of this.#groups.values()) {
      for (const record of records.values()) {
        const { structure } = storedFormulas(record, writing);
        if (structure && typeof structure !== 'string') yield structure;
      }
    }
  }

  get(key: string): StoredRecord | undefined {
    return this.#groups.get(groupOf(key))?.records.get(key);
  }

  count(type: StoredType): number {
    return this.#counts.get(type) ?? 0;
  }

  /** Number of records by type, without types that have none. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const type of recordTypes) if (this.count(type) > 0) counts[type] = this.count(type);
    return counts;
  }

  /** The record of that type and id on whichever sheet. */
  withId(type: StoredType, id: string, { sheets }: Structure): StoredRecord | undefined {
    for (const sheet of sheets) {
      const record = this.get(`${type}/${sheet.id}/${id}`);
      if (record) return record;
    }
    return undefined;
  }

  /** Records of one type and sheet, by key. */
  on(type: StoredType, { id }: { readonly id: string }): StoredRecord[] {
    const group = this.#groups.get(`${type}/${id}`);
    return group ? [...group.records.sorted()].map(([, record]) => record) : [];
  }

  /** Records that share a cell with the range, by key. */
  meeting(type: StoredType, sheet: SheetOutline, range: Range): StoredRecord[] {
    const group = this.#groups.get(`${type}/${sheet.id}`);
    if (!group) return [];
    const found = placedOn(group, sheet).index.meeting(range);
    return found.flatMap((key) => group.records.get(key) ?? []);
  }

  /** Ranges of a record on its sheet as it is now. */
  rangesOf(record: StoredRecord, sheet: SheetOutline): readonly Range[] {
    const group = this.#groups.get(`${record.type}/${sheet.id}`);
    return group ? placedOn(group, sheet).index.ranges(recordKey(record)) : [];
  }

  /** `structure` is that of the moment. */
  apply({ puts, deletes }: RecordChange, structure: Structure): void {
    for (const key of deletes) this.#remove(key);
    for (const record of puts) this.#put(record, structure.withId(record.sheetId));
  }

  /** Returns whether a change would leave all as it is. */
  isSo({ puts, deletes }: RecordChange, to: Structure, formulas: FormulaService): boolean {
    return (
      deletes.every((key) => !this.get(key)) &&
      puts.every((put) => isSame(this.get(recordKey(put)), put, { to, formulas }))
    );
  }

  /** Follows one step of an edit of the lines of a sheet. */
  followStep(step: LineStep, { references, formulas, links }: Following): void {
    const { before, axis, leaving } = step;
    const change = lineChange(step);
    const order = orderOf(before, axis);
    const ids = leaving.flatMap(({ from, count }) => order.spansAt(from, count));
    const lines = new LeavingLines(before.id, axis, ids);
    const rewritten = rewrittenRecords(this.all(), lines, { change, references, formulas });
    this.apply({ puts: rewritten, deletes: [] }, references.before);
    if (leaving.length === 0) return;
    this.#follow(change, { structure: references.before, formulas, links });
  }

  /** Follows a sort of whole rows of a sheet. */
  followSort(change: LineChange, following: FollowingSort): void {
    const { structure, formulas } = following;
    const after = structure.replace(change.after);
    const kept = keptFormulas(this.all(), { before: structure, after }, formulas);
    this.apply({ puts: kept, deletes: [] }, structure);
    this.#follow(change, following);
  }

  #follow(change: LineChange, { structure, formulas, links }: FollowingSort): void {
    const own = [...this.#groups.values()]
      .filter(({ sheetId }) => sheetId === change.before.id)
      .flatMap(({ records }) => [...records.values()]);
    if (own.length === 0) return;
    const after = structure.replace(change.after);
    this.apply(followAll(own, change, this), after);
    const linked = own.filter(({ type }) => type === 'hyperlink');
    if (!links || change.moved.length === 0 || linked.length < 2) return;
    const moved = linked.flatMap((was) => {
      const is = followRecord(was, change);
      return is ? [[was, is] as const] : [];
    });
    this.apply(links.apart({ links: moved, change }, { structure: after, formulas }), after);
  }

  *all(): Generator<StoredRecord> {
    for (const { records } of this.#groups.values()) yield* records.values();
  }

  dropSheet(id: string): void {
    for (const [name, { type, sheetId, records }] of this.#groups) {
      if (sheetId !== id) continue;
      this.#groups.delete(name);
      this.#counts.set(type, this.count(type) - records.size);
    }
  }

  #sortedGroups(): Group[] {
    const names = [...this.#groups].sort(([a], [b]) => (`${a}/` < `${b}/` ? -1 : 1));
    return names.map(([, group]) => group);
  }

  #put(record: StoredRecord, sheet?: SheetOutline): void {
    const key = recordKey(record);
    const group = this.#groupFor(record);
    if (!group.records.has(key)) this.#counts.set(record.type, this.count(record.type) + 1);
    group.records.set(key, record);
    const { placed } = group;
    if (placed?.isShared === false && sheet && isCurrent(placed, sheet)) {
      placed.index.add(key, placesOf(record, sheet));
    } else {
      group.placed = undefined;
    }
  }

  #remove(key: string): void {
    const name = groupOf(key);
    const group = this.#groups.get(name);
    if (!group?.records.delete(key)) return;
    this.#counts.set(group.type, this.count(group.type) - 1);
    if (group.placed?.isShared === false) group.placed.index.remove(key);
    else group.placed = undefined;
    if (group.records.size === 0) this.#groups.delete(name);
  }

  #groupFor({ type, sheetId }: StoredRecord): Group {
    const name = `${type}/${sheetId}`;
    const known = this.#groups.get(name);
    if (known) return known;
    const records = new KeyedMap<StoredRecord>();
    const group: Group = { type, sheetId, records, placed: undefined };
    this.#groups.set(name, group);
    return group;
  }
}

/** The type and sheet of a key. */
function groupOf(key: string): string {
  return key.slice(0, key.indexOf('/', key.indexOf('/') + 1));
}

function entryOf(record: StoredRecord, writing: SectionWriting): RecordEntry {
  const { value, structure } = storedFormulas(record, writing);
  const entry = { areas: record.areas.map(areaText), value };
  if (!structure) return entry;
  return { ...entry, structure: typeof structure === 'string' ? structure : structure.digest };
}

/** The value with formulas as the form has them, and what they are of. */
function storedFormulas(
  record: StoredRecord,
  { form, structure: head, formulas }: SectionWriting,
): { readonly value: JsonObject; readonly structure: Structure | string | undefined } {
  const { value, structure } = { ...record, ...record.former };
  if (!structure) return { value, structure };
  if (form === 'ids') return { value: valueInIds(record, head, formulas), structure: idsDigest };
  const former = { ...record, value, structure };
  const current = form === 'heads' ? currentValue(former, head, formulas) : undefined;
  return current ? { value: current, structure: headDigest } : { value, structure };
}

function placedOn(group: Group, sheet: SheetOutline): Placed {
  const { placed: known, records } = group;
  if (known && isCurrent(known, sheet)) return known;
  const index = new RangeIndex();
  for (const [key, record] of records.sorted()) index.add(key, placesOf(record, sheet));
  const placed = { sheet, index, isShared: false };
  group.placed = placed;
  return placed;
}

function isCurrent({ sheet: { rows, columns } }: Placed, sheet: SheetOutline): boolean {
  return rows === sheet.rows && columns === sheet.columns;
}

function placesOf({ areas }: StoredRecord, sheet: SheetOutline): Range[] {
  return areas.flatMap((area) => rangeOf(area, sheet) ?? []);
}

function recordOf(
  key: string,
  { areas: texts, value, structure }: RecordEntry,
  { structureOf, formulaAt }: StoredSection,
): StoredRecord {
  const [type = '', sheetId = '', own = '', more] = key.split('/');
  const areas = texts.map(parseArea);
  const id = more === undefined ? own : '';
  const record = { type: type as StoredType, id, sheetId, areas, value, structure: undefined };
  if (structure === undefined) return record;
  if (structure !== idsDigest) return { ...record, structure: structureOf(structure) };
  const home = firstCell(record, structureOf(headDigest));
  if (!home) throw new Error('a record with formulas lies nowhere');
  return { ...record, ...readValue(value, home, formulaAt) };
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
