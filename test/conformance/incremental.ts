import {
  compareEdits,
  otherValues,
  type CellEdit,
  type Comparison,
} from '../support/edited-workbook.ts';
import { parseAddress } from '../../server/model/address.ts';
import type { CorpusCase } from './corpus.ts';
import { mutationsOf, sheetKeys } from './run-case.ts';

/**
 * A case as edits: inputs of it are changed one at a time and changed back, and every cell is
 * compared with that of a workbook built anew. So incremental recalculation is held against the
 * full one, wherever the expectations themselves may be right or wrong.
 */
export function editCase(
  corpusCase: CorpusCase,
  editsMost: number,
): Comparison & { readonly editCount: number } {
  const keys = sheetKeys(corpusCase);
  const mutations = [...mutationsOf(corpusCase, keys)];
  const edits = chooseEdits(corpusCase, keys, editsMost);
  if (edits.length === 0) return { editCount: 0, differences: [], changedCount: 0 };
  return { editCount: edits.length, ...compareEdits(mutations, edits) };
}

/** Inputs from all over the case; each in turn becomes another kind of value. */
function chooseEdits(
  { sheets }: CorpusCase,
  keys: ReadonlyMap<string, number>,
  editsMost: number,
): CellEdit[] {
  const inputs = Object.entries(sheets).flatMap(([name, cells]) =>
    Object.entries(cells).flatMap(([address, { f, v = null }]) => {
      const place = parseAddress(address);
      if (f !== undefined || place === undefined) return [];
      return [{ sheet: keys.get(name) ?? 0, ...place, before: v }];
    }),
  );
  const stride = Math.max(1, inputs.length / editsMost);
  const count = Math.min(editsMost, inputs.length);
  return Array.from({ length: count }, (_, index) => {
    const input = inputs[Math.floor(index * stride)];
    if (input === undefined) throw new Error('there is no such input');
    const values = otherValues(input.before);
    return { ...input, after: values[index % values.length] ?? null };
  });
}
