import type { Service } from '../service.ts';
import { loadSheet, type BranchState, type SheetOutline } from '../sheet/sheet-loading.ts';
import type { ComparedSheet, ComparedSide } from './compared-source.ts';
import { marksOf, type DiffPage } from './diff-page.ts';
import { LinePairs } from './line-pairs.ts';

/** A sheet at two positions; undefined at one without it. */
export interface ComparedOutline {
  readonly from: SheetOutline | undefined;
  readonly to: SheetOutline | undefined;
}

/** Returns the name of a sheet at the later position, or its last one. */
export function nameOfCompared({ from, to }: ComparedOutline): string {
  return to?.name ?? from?.name ?? '';
}

/** Ends of a comparison: two positions, or the target of a merge and its result. */
export interface ComparedEnds {
  readonly book: string;
  /** Positions such as `main@118`; the result of an open merge is `merge:<id>`. */
  readonly from: string;
  readonly to: string;
  /** The open merge between the two; undefined for two positions. */
  readonly merge?: { readonly id: string; readonly digest: string };
}

const entriesMost = 10_000;

/** Returns the sheets of both positions by id: those of the later one, then the removed ones. */
export async function loadComparedOutlines(
  service: Service,
  { book, from, to }: ComparedEnds,
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
  const query = new URLSearchParams({ ref: position });
  const path = `/v1/workbooks/${workbookId}/branches/main/state?${query}`;
  return (await service.ask<BranchState>(path)).sheets;
}

/** Loads a sheet at both positions with its first ten thousand differences. */
export async function loadComparedSheet(
  service: Service,
  { sheet, ...ends }: ComparedEnds & { readonly sheet: ComparedOutline },
  signal: AbortSignal,
): Promise<ComparedSheet> {
  const { book, from, to } = ends;
  const name = nameOfCompared(sheet);
  const ask = (kinds: string) => {
    const path = diffPath(ends, { sheet: name, kinds, limit: String(entriesMost) });
    return service.ask<DiffPage>(path, { signal });
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

/** Returns the address of a page of differences. */
export function diffPath(
  { book, from, to, merge }: ComparedEnds,
  wish: Readonly<Record<string, string>>,
): string {
  const of = merge ? `merges/${merge.id}/diff` : 'diff';
  const query = new URLSearchParams(merge ? wish : { from, to, ...wish });
  return `/v1/workbooks/${book}/${of}?${query}`;
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
