import {
  compareEdits,
  otherValues,
  type CellEdit,
  type Comparison,
} from '../support/edited-workbook.ts';
import { parseAddress } from '../../server/model/address.ts';
import { isFormulaInput } from '../../server/model/cell-value.ts';
import type { CorpusCase } from './corpus.ts';
import { inputOf, isOfFile, mutationsOf, sheetKeys } from './run-case.ts';

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
  corpusCase: CorpusCase,
  keys: ReadonlyMap<string, number>,
  editsMost: number,
): CellEdit[] {
  const isLegacy = isOfFile(corpusCase);
  const inputs = Object.entries(corpusCase.sheets).flatMap(([name, cells]) =>
    Object.entries(cells).flatMap(([address, cell]) => {
      const place = parseAddress(address);
      const before = inputOf(cell, address, isLegacy);
      if (isFormulaInput(before) || place === undefined) return [];
      return [{ sheet: keys.get(name) ?? 0, ...place, before }];
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
