import { parseAddress } from '../../../server/model/address.ts';
import { quoteSheet } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { inputText } from '../sheet/input-text.ts';
import type { Conflict } from './review.ts';

/** Texts of the cells of conflicts in the merge so far, by conflict. */
export type Results = ReadonlyMap<string, string>;

/** Most ranges of one slice. */
const rangesMost = 100;

interface SliceRows {
  readonly rows: readonly (readonly unknown[])[];
}

/** An open merge. */
interface OpenMerge {
  readonly book: string;
  readonly id: string;
}

/** Loads the texts of conflict cells in an open merge; other conflicts have none. */
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
