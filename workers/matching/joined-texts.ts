import { PackingTexts } from './packing-texts.ts';
import { textAt } from './prepared.ts';
import type { PackedTexts } from './shared-arrays.ts';

export interface JoinTextsTask {
  readonly columns: readonly PackedTexts[];
}

/** Joins the texts of several columns with commas, as people see them; empty ones are left out. */
export function joinTexts({ columns }: JoinTextsTask): PackedTexts {
  const rowCount = columns[0]?.ends.length ?? 0;
  const joined = new PackingTexts(rowCount);
  for (let row = 0; row < rowCount; row++) {
    const texts = columns.map((column) => textAt(column, row));
    joined.add(texts.filter((text) => text !== '').join(', '));
  }
  return joined.packed();
}
