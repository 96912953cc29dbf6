import { parsePosition } from '../address.ts';
import type { Service } from '../service.ts';
import { loadSheet, loadState, type SheetOutline } from '../sheet/sheet-loading.ts';
import type { ComparedSheet, ComparedSide } from './compared-source.ts';
import { marksOf, type DiffPage } from './diff-page.ts';
import { LinePairs } from './line-pairs.ts';

/** A sheet at two positions; undefined where it is not there. */
export interface ComparedOutline {
  readonly from: SheetOutline | undefined;
  readonly to: SheetOutline | undefined;
}

/** The name that a sheet has now, or had at last. */
export function nameOfCompared({ from, to }: ComparedOutline): string {
  return to?.name ?? from?.name ?? '';
}

interface Compared {
  readonly book: string;
  /** Positions such as `main@118`. */
  readonly from: string;
  readonly to: string;
}

const entriesMost = 10_000;

/** Returns the sheets of both positions by their ids: those of the later one, then those that are gone. */
export async function loadComparedOutlines(
  service: Service,
  { book, from, to }: Compared,
): Promise<readonly ComparedOutline[]> {
  const [before, after] = await Promise.all([
    sheetsAt(service, book, from),
    sheetsAt(service, book, to),
  ]);
  const known = new Map(before.map((sheet) => [sheet.id, sheet]));
  const there = new Set(after.map(({ id }) => id));
  return [
    ...after.map((sheet) => ({ from: known.get(sheet.id), to: sheet })),
    ...before.filter(({ id }) => !there.has(id)).map((sheet) => ({ from: sheet, to: undefined })),
  ];
}

async function sheetsAt(
  service: Service,
  workbookId: string,
  position: string,
): Promise<readonly SheetOutline[]> {
  const { sheets } = await loadState(service, { workbookId, ...parsePosition(position) });
  return sheets;
}

/** Loads a sheet at both positions, and what differs in it: the first ten thousand entries. */
export async function loadComparedSheet(
  service: Service,
  { book, from, to, sheet }: Compared & { readonly sheet: ComparedOutline },
  signal: AbortSignal,
): Promise<ComparedSheet> {
  const query = new URLSearchParams({ from, to, limit: String(entriesMost) });
  const name = nameOfCompared(sheet);
  query.set('sheet', name);
  const ask = async (kinds: string) => {
    query.set('kinds', kinds);
    return service.ask<DiffPage>(`/v1/workbooks/${book}/diff?${query}`, { signal });
  };
  const [structure, cells, before, after] = await Promise.all([
    ask('structure'),
    ask('cells'),
    sideOf(service, { book, ref: from, sheet: sheet.from }),
    sideOf(service, { book, ref: to, sheet: sheet.to }),
  ]);
  const changes = structure.structure.filter((change) => change['sheet'] === name);
  const pairs = (axis: 'rows' | 'cols') => {
    const member = axis === 'rows' ? 'rows' : 'columns';
    const counts = {
      from: before?.shape[member].count ?? 0,
      to: after?.shape[member].count ?? 0,
    };
    return LinePairs.of(axis, counts, changes);
  };
  return {
    book,
    from: before,
    to: after,
    rows: pairs('rows'),
    columns: pairs('cols'),
    marks: marksOf(cells).get(name) ?? new Map(),
  };
}

interface AskedSide {
  readonly book: string;
  readonly ref: string;
  readonly sheet: SheetOutline | undefined;
}

async function sideOf(
  service: Service,
  { book, ref, sheet }: AskedSide,
): Promise<ComparedSide | undefined> {
  if (!sheet) return undefined;
  return { name: sheet.name, ref, ...(await loadSheet(service, book, { sheet, ref })) };
}
