import { parseAddress } from '../../../server/model/address.ts';
import { quoteSheet } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { inputText } from '../sheet/input-text.ts';
import type { Conflict } from './review.ts';

/** Texts that the cells of conflicts show in what a merge comes to so far, by the conflict. */
export type Results = ReadonlyMap<string, string>;

/** Ranges of one slice, at most. */
const rangesMost = 100;

interface SliceRows {
  readonly rows: readonly (readonly unknown[])[];
}

/** A merge that is open. */
interface OpenMerge {
  readonly book: string;
  readonly id: string;
}

/** Loads what the cells of conflicts show in an open merge; others than those of cells have none. */
export async function loadResults(
  service: Service,
  { book, id }: OpenMerge,
  conflicts: readonly Conflict[],
): Promise<Results> {
  const placed = conflicts.flatMap((one) => {
    const { sheet, a1 } = one.path ?? {};
    const cell = a1?.merged ?? '';
    const name = sheet?.name ?? '';
    if (name === '' || !parseAddress(cell)) return [];
    return [{ id: one.id, range: `${quoteSheet(name)}!${cell}` }];
  });
  const found = new Map<string, string>();
  for (let first = 0; first < placed.length; first += rangesMost) {
    const part = placed.slice(first, first + rangesMost);
    const query = new URLSearchParams({ ref: `merge:${id}`, lens: 'formatted' });
    for (const { range } of part) query.append('range', range);
    const answer = await service.ask<SliceRows | { readonly slices: readonly SliceRows[] }>(
      `/v1/workbooks/${book}/slice?${query}`,
    );
    const slices = 'slices' in answer ? answer.slices : [answer];
    for (const [at, { rows }] of slices.entries()) {
      const one = part[at];
      if (one) found.set(one.id, inputText(rows[0]?.[0]));
    }
  }
  return found;
}
