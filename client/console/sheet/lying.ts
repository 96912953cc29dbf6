import type { Address } from '../../../server/model/address.ts';
import { parseSheetRange, type Range } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';

/** Merged areas and notes, which lie on the cells of a sheet. */
export interface Lying {
  readonly merged: readonly Range[];
  readonly notes: readonly Address[];
  /** Texts of notes by `row:column`, from 0. */
  readonly texts: ReadonlyMap<string, string>;
}

export const nothingLies: Lying = { merged: [], notes: [], texts: new Map() };

interface Records {
  readonly records: readonly {
    readonly type: string;
    readonly ranges?: readonly string[];
    readonly range?: string;
    readonly a1?: string;
    readonly value?: { readonly text?: string };
  }[];
}

const most = 1_000;

/** Loads the first thousand records that the grid draws. */
export async function loadLying(
  service: Service,
  workbookId: string,
  { sheet, ref }: { readonly sheet: string; readonly ref: string },
): Promise<Lying> {
  const query = new URLSearchParams({ sheet, ref, types: 'cellmerge,note', limit: String(most) });
  const path = `/v1/workbooks/${workbookId}/records?${query}`;
  const { records } = await service.ask<Records>(path);
  const merged: Range[] = [];
  const notes: Address[] = [];
  const texts = new Map<string, string>();
  for (const record of records) {
    const places = record.ranges ?? [record.range ?? record.a1 ?? ''];
    const areas = places.flatMap((place) => parseSheetRange(place)?.areas ?? []);
    if (record.type === 'cellmerge') merged.push(...areas);
    for (const { row0: row, column0: column } of record.type === 'note' ? areas : []) {
      notes.push({ row, column });
      texts.set(`${row}:${column}`, record.value?.text ?? '');
    }
  }
  return { merged, notes, texts };
}
