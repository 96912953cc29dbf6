import type { Place } from '../branches/place.ts';
import type { Environment } from '../model/environment.ts';
import { cellCount, parseRange } from '../model/range.ts';
import type { WireInput } from '../model/input.ts';
import type { BranchSource } from './branch-source.ts';
import type { Models } from './models.ts';
import { readSliceFormats } from './shown-slices.ts';
import { SliceReader } from './slice.ts';

/** Values of a few cells at the head of a branch, with the formats that they are shown in. */
export interface ViewportValues {
  /** Sequence of the values. */
  readonly seq: number;
  readonly rows: readonly (readonly WireInput[])[];
  readonly formats: readonly (readonly string[])[];
}

export interface ViewportParts {
  readonly models: Pick<Models, 'use'>;
  readonly source: Pick<BranchSource, 'readAt'>;
  readonly environment: Environment;
}

/** Reads values and formats; undefined if the range is malformed or too large. */
export async function readViewport(
  { models, source, environment }: ViewportParts,
  head: Place,
  { sheet, range: text, cellsMost }: { sheet: string; range: string; cellsMost: number },
): Promise<ViewportValues | undefined> {
  const range = parseRange(text);
  if (!range || cellCount(range) > cellsMost) return undefined;
  const { seq, slices } = await models.use(head, true, async (view) => ({
    seq: view.position.seq,
    slices: await new SliceReader(view, 'value', environment).read([{ sheet, areas: [range] }]),
  }));
  const { slices: looks } = await source.readAt(head.address, seq, (state) =>
    readSliceFormats(state, slices),
  );
  const rows = slices[0]?.rows ?? [];
  const [own] = looks;
  const width = rows[0]?.length ?? 0;
  const formats = rows.map((row, at) =>
    row.map((_, column) => own?.patterns.get(own.cells[at * width + column] ?? 0) ?? 'General'),
  );
  return { seq, rows, formats };
}
