import { cellName, type Address } from '../../../server/model/address.ts';
import { cellCount, quoteSheet, rangeName, type Range } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { inputText } from './input-text.ts';

export interface Found extends Address {
  readonly input: string;
}

interface Place {
  readonly workbookId: string;
  readonly sheet: string;
  readonly ref: string;
}

/** Cells that are looked through, and that are counted: the most that a slice answers. */
export const searchedMost = 250_000;

/** Returns the cells of a range whose input holds a text, whatever its case, row by row. */
export async function findCells(
  service: Service,
  { workbookId, sheet, ref }: Place,
  { text, used }: { readonly text: string; readonly used: Range },
): Promise<readonly Found[]> {
  const range = limited(used);
  const rows = await sliceOf(service, { workbookId, sheet, ref }, { range, lens: 'input' });
  const wanted = text.toLowerCase();
  return rows.flatMap((row, down) =>
    row.flatMap((cell, across) => {
      const input = inputText(cell);
      const isFound = input.toLowerCase().includes(wanted);
      return isFound ? [{ row: range.row0 + down, column: range.column0 + across, input }] : [];
    }),
  );
}

/** Returns what replacing a text in a found cell makes of it, whatever the case of the text. */
export function replacedIn({ input }: Found, text: string, by: string): string {
  const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return input.replaceAll(new RegExp(pattern, 'giu'), () => by);
}

export interface Tally {
  readonly count: number;
  readonly sum: number;
  readonly numbers: number;
}

/** Counts and adds up what is selected. */
export async function tally(
  service: Service,
  place: Place,
  ranges: readonly Range[],
): Promise<Tally | undefined> {
  const all = ranges.reduce((sum, range) => sum + cellCount(range), 0);
  if (all > searchedMost) return undefined;
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

function limited(used: Range): Range {
  const width = used.column1 - used.column0 + 1;
  const rows = Math.max(1, Math.floor(searchedMost / width));
  return { ...used, row1: Math.min(used.row1, used.row0 + rows - 1) };
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
