import type { Address } from '../../../server/model/address.ts';
import { parseSheetRange, type Range } from '../../../server/model/range.ts';
import type { OnCells } from '../grid/source.ts';
import type { Service } from '../service.ts';
import type { Comment, Thread } from './comments.ts';

/** Merged areas, notes and comments, which lie on the cells of a sheet. */
export interface Lying extends OnCells {
  /** Texts of notes by `row:column`, from 0. */
  readonly texts: ReadonlyMap<string, string>;
  readonly threads: readonly Thread[];
}

export const nothingLies: Lying = {
  merged: [],
  notes: [],
  texts: new Map(),
  threads: [],
  commented: [],
};

interface Records {
  readonly records: readonly {
    readonly type: string;
    readonly id?: string;
    readonly ranges?: readonly string[];
    readonly range?: string;
    readonly a1?: string;
    readonly value?: {
      readonly text?: string;
      readonly resolved?: boolean;
      readonly comments?: readonly Comment[];
    };
  }[];
}

const most = 1_000;

/** Loads the first thousand records that the grid draws. */
export async function loadLying(
  service: Service,
  workbookId: string,
  { sheet, ref }: { readonly sheet: string; readonly ref: string },
): Promise<Lying> {
  const query = new URLSearchParams({
    sheet,
    ref,
    types: 'cellmerge,note,thread',
    limit: String(most),
  });
  const path = `/v1/workbooks/${workbookId}/records?${query}`;
  const { records } = await service.ask<Records>(path);
  const merged: Range[] = [];
  const notes: Address[] = [];
  const texts = new Map<string, string>();
  const threads: Thread[] = [];
  for (const record of records) {
    const places = record.ranges ?? [record.range ?? record.a1 ?? ''];
    const areas = places.flatMap((place) => parseSheetRange(place)?.areas ?? []);
    if (record.type === 'cellmerge') merged.push(...areas);
    const [first] = areas;
    if (record.type === 'thread' && first) {
      const { comments = [], resolved: isResolved = false } = record.value ?? {};
      const at = { row: first.row0, column: first.column0 };
      threads.push({ id: record.id ?? '', at, isResolved, comments });
    }
    for (const { row0: row, column0: column } of record.type === 'note' ? areas : []) {
      notes.push({ row, column });
      texts.set(`${row}:${column}`, record.value?.text ?? '');
    }
  }
  const commented = threads.filter(({ isResolved }) => !isResolved).map(({ at }) => at);
  return { merged, notes, texts, threads, commented };
}
