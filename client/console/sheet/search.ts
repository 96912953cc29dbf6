import { cellName, parseAddress, type Address } from '../../../server/model/address.ts';
import { cellCount, quoteSheet, rangeName, type Range } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { inputText } from './input-text.ts';

export interface Found extends Address {
  /** Name of its sheet. */
  readonly sheet: string;
  readonly input: string;
}

/** How a text has to fit, and where it is looked for. */
export interface FindWays {
  readonly isCaseKept: boolean;
  /** True for cells that hold nothing but the text. */
  readonly isWhole: boolean;
  readonly isEverywhere: boolean;
  /** True to look at values in the place of inputs. */
  readonly isOfValues: boolean;
}

export const usualWays: FindWays = {
  isCaseKept: false,
  isWhole: false,
  isEverywhere: false,
  isOfValues: false,
};

interface Place {
  readonly workbookId: string;
  readonly sheet: string;
  readonly ref: string;
}

/** Cells that are counted automatically: the limit of a slice. */
export const talliedMost = 250_000;

/** A search, and its matches so far. */
export interface Finding {
  /** Tells what is looked for, and where; another one is another search. */
  readonly of: string;
  readonly cells: readonly Found[];
  readonly pageCount: number;
  /** Where the search continues; null at the end of the sheet. */
  readonly next: string | null;
}

interface FoundPage {
  readonly cells: readonly {
    readonly sheet: string;
    readonly cell: string;
    readonly value: unknown;
  }[];
  readonly next: string | null;
}

/** Cells that the service searches for one page. */
export const cellsPerPage = 100_000;

/** Returns the name of a search: equal for the same text and ways on the same sheet. */
export function nameOfFinding({ sheet }: Pick<Place, 'sheet'>, text: string, ways: FindWays) {
  return JSON.stringify([text, ways, ways.isEverywhere ? '' : sheet]);
}

/** Begins a search for a text, sheet by sheet and row by row. */
export function beginFinding(place: Place, text: string, ways: FindWays): Finding {
  const { workbookId, sheet, ref } = place;
  const query = new URLSearchParams({
    q: text,
    ref,
    ...(!ways.isEverywhere && { sheet }),
    lens: ways.isOfValues ? 'value' : 'input',
    match: ways.isWhole ? 'whole' : 'contains',
    case: String(ways.isCaseKept),
    limit: '1000',
  });
  return {
    of: nameOfFinding(place, text, ways),
    cells: [],
    pageCount: 0,
    next: `/v1/workbooks/${workbookId}/find?${query}`,
  };
}

/** Searches the next page of cells, at the position where the search began. */
export async function findMore(
  service: Service,
  finding: Finding,
  signal: AbortSignal,
): Promise<Finding> {
  if (finding.next === null) return finding;
  const { cells, next } = await service.ask<FoundPage>(finding.next, { signal });
  const found = cells.flatMap(({ sheet, cell, value }): Found[] => {
    const at = parseAddress(cell);
    return at ? [{ ...at, sheet, input: inputText(value) }] : [];
  });
  const { pageCount } = finding;
  return { ...finding, cells: [...finding.cells, ...found], pageCount: pageCount + 1, next };
}

interface Replacing {
  readonly text: string;
  readonly by: string;
  readonly isCaseKept: boolean;
}

/** Returns an input with a text replaced. */
export function replacedIn({ input }: Found, { text, by, isCaseKept }: Replacing): string {
  const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return input.replaceAll(new RegExp(pattern, isCaseKept ? 'gu' : 'giu'), () => by);
}

export interface Tally {
  readonly count: number;
  readonly sum: number;
  readonly numbers: number;
}

export function countOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + cellCount(range), 0);
}

/** Makes the service count and add up the selection, whatever its size. Errors are left out. */
export async function tallyThere(
  service: Service,
  { workbookId, sheet, ref }: Place,
  { ranges, signal }: { readonly ranges: readonly Range[]; readonly signal: AbortSignal },
): Promise<Tally> {
  const areas = ranges.map(textOf).join(',');
  const formulas = ['COUNTA(', 'AGGREGATE(9,6,', 'AGGREGATE(2,6,'].map((call) => {
    return { formula: `=${call}${areas})`, sheet };
  });
  const path = `/v1/workbooks/${workbookId}/scenario`;
  const answer = await service.ask<{
    readonly formulas: readonly { readonly rows: readonly (readonly unknown[])[] }[];
  }>(path, { body: { ref, formulas }, signal });
  const [count = 0, sum = 0, numbers = 0] = answer.formulas.map(({ rows }) => Number(rows[0]?.[0]));
  return { count, sum, numbers };
}

/** Counts and adds up a selection within the limit of a slice. */
export async function tally(
  service: Service,
  place: Place,
  ranges: readonly Range[],
): Promise<Tally> {
  const slices = await Promise.all(
    ranges.map((range) => sliceOf(service, place, { range, lens: 'value' })),
  );
  let [count, sum, numbers] = [0, 0, 0];
  for (const value of slices.flat(2)) {
    if (value !== null) count++;
    if (typeof value !== 'number') continue;
    sum += value;
    numbers++;
  }
  return { count, sum, numbers };
}

async function sliceOf(
  service: Service,
  { workbookId, sheet, ref }: Place,
  { range, lens }: { readonly range: Range; readonly lens: string },
): Promise<readonly (readonly unknown[])[]> {
  const query = new URLSearchParams({ ref, lens, range: `${quoteSheet(sheet)}!${textOf(range)}` });
  const path = `/v1/workbooks/${workbookId}/slice?${query}`;
  return (await service.ask<{ rows: readonly (readonly unknown[])[] }>(path)).rows;
}

function textOf(range: Range): string {
  const name = rangeName(range);
  return name.includes(':') ? name : cellName(range.row0, range.column0);
}
