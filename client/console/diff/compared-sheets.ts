import { parsePosition } from '../address.ts';
import type { Service } from '../service.ts';
import { loadSheet, loadState, type SheetOutline } from '../sheet/sheet-loading.ts';
import type { ComparedSheet, ComparedSide } from './compared-source.ts';
import { marksOf, type DiffPage } from './diff-page.ts';
import { LinePairs } from './line-pairs.ts';

/** The name of a sheet at two positions; undefined where it is not there. */
export interface ComparedName {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface Compared {
  readonly book: string;
  /** Positions such as `main@118`. */
  readonly from: string;
  readonly to: string;
}

const entriesMost = 10_000;

/** Returns the sheets of both positions by their ids: those of the later one, then those that are gone. */
export async function loadComparedNames(
  service: Service,
  { book, from, to }: Compared,
): Promise<readonly ComparedName[]> {
  const [before, after] = await Promise.all([
    sheetsAt(service, book, from),
    sheetsAt(service, book, to),
  ]);
  const known = new Map(before.map(({ id, name }) => [id, name]));
  const there = new Set(after.map(({ id }) => id));
  return [
    ...after.map(({ id, name }) => ({ from: known.get(id), to: name })),
    ...before.filter(({ id }) => !there.has(id)).map(({ name }) => ({ from: name, to: undefined })),
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
  { book, from, to, sheet }: Compared & { readonly sheet: ComparedName },
  signal: AbortSignal,
): Promise<ComparedSheet> {
  const query = new URLSearchParams({ from, to, limit: String(entriesMost) });
  const name = sheet.to ?? sheet.from ?? '';
  query.set('sheet', name);
  const ask = async (kinds: string) => {
    query.set('kinds', kinds);
    return service.ask<DiffPage>(`/v1/workbooks/${book}/diff?${query}`, { signal });
  };
  const [structure, cells, before, after] = await Promise.all([
    ask('structure'),
    ask('cells'),
    sideOf(service, { book, ref: from, name: sheet.from }),
    sideOf(service, { book, ref: to, name: sheet.to }),
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

async function sideOf(
  service: Service,
  {
    book,
    ref,
    name,
  }: { readonly book: string; readonly ref: string; readonly name: string | undefined },
): Promise<ComparedSide | undefined> {
  const sheets = name === undefined ? [] : await sheetsAt(service, book, ref);
  const sheet = sheets.find((one) => one.name === name);
  if (!sheet || name === undefined) return undefined;
  return { name, ref, ...(await loadSheet(service, book, { sheet, ref })) };
}
