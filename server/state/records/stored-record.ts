import type { JsonObject } from '../../model/plain-json.ts';
import type { RecordType } from '../../model/record.ts';
import { areaText, type Area } from '../structure/area.ts';
import type { Structure } from '../structure/structure.ts';

/** `cforder` is the order of a sheet's conditional formats: `{ids}`, the strongest first. */
export type StoredType = RecordType | 'cforder';

/** Something that lies on cells without being in them. Never changed in place. */
export interface StoredRecord {
  readonly type: StoredType;
  /** Empty for those that are known by where they lie. */
  readonly id: string;
  readonly sheetId: string;
  /** Areas of the sheet; none for a record of the sheet as a whole. */
  readonly areas: readonly Area[];
  /** Canonical; its formulas relative to the first cell of the first area. */
  readonly value: JsonObject;
  /** Structure that its formulas were written in; undefined when it has none. */
  readonly structure: Structure | undefined;
  /** Formulas as former versions kept them, where those differ. */
  readonly former?: FormerFormulas | undefined;
}

export type FormerFormulas = Pick<StoredRecord, 'value' | 'structure'>;

/** The change that an operation makes to records. */
export interface RecordChange {
  readonly puts: readonly StoredRecord[];
  /** Keys; deleted before the puts are made. */
  readonly deletes: readonly string[];
}

/** A record as a snapshot stores it, beside its key. */
export interface RecordEntry {
  readonly areas: readonly string[];
  readonly value: JsonObject;
  /** Digest of the structure of its formulas. */
  readonly structure?: string;
}

export function recordKey({ type, id, sheetId, areas }: StoredRecord): string {
  const [area] = areas;
  const own = id !== '' ? id : area && type !== 'filter' ? areaText(area) : '';
  return `${type}/${sheetId}/${own}`;
}

export function joined(changes: readonly RecordChange[]): RecordChange {
  return {
    puts: changes.flatMap(({ puts }) => puts),
    deletes: changes.flatMap(({ deletes }) => deletes),
  };
}
