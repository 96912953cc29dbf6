import type { JsonObject } from '../../model/plain-json.ts';
import { joined, type RecordChange, type StoredRecord } from './stored-record.ts';

/** The records of a state; the order of a sheet's conditional formats is one of them. */
interface Orders {
  readonly records: { get(key: string): StoredRecord | undefined };
}

/** Returns the ids of the conditional formats of a sheet, in order of precedence. */
export function orderOn({ id }: { readonly id: string }, { records }: Orders): string[] {
  const value = records.get(orderKey(id))?.value;
  return value ? idsOf(value) : [];
}

export function orderOf(sheetId: string, ids: readonly string[]): RecordChange {
  if (ids.length === 0) return { puts: [], deletes: [orderKey(sheetId)] };
  const place = { type: 'cforder', id: '', sheetId, areas: [], structure: undefined } as const;
  return { puts: [{ ...place, value: { ids } }], deletes: [] };
}

/** Returns the change that removes deleted records from the orders. */
export function withoutFormats(gone: readonly StoredRecord[], orders: Orders): RecordChange {
  const ids = new Set(gone.map(({ id }) => id));
  const sheetIds = new Set(gone.map(({ sheetId }) => sheetId));
  return joined(
    [...sheetIds].map((id) => {
      const order = orderOn({ id }, orders);
      return orderOf(
        id,
        order.filter((other) => !ids.has(other)),
      );
    }),
  );
}

export function idsOf({ ids }: JsonObject): string[] {
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
}

function orderKey(sheetId: string): string {
  return `cforder/${sheetId}/`;
}
