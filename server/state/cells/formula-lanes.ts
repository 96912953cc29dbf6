import { cellTag, type Block } from './block.ts';

/** Lanes of a block one after another that hold one formula. */
export interface FormulaLanes {
  readonly from: number;
  /** One past the last lane. */
  readonly to: number;
  /** Number of the formula in the dictionary. */
  readonly index: number;
}

/** Returns the lanes of a block with formulas, in order; those with the same one are joined. */
export function formulaLanes(block: Block): FormulaLanes[] {
  const found: FormulaLanes[] = [];
  if (block.formulaWrites === 0 || block.filledCount === 0) return found;
  const { low, tags, numbers } = block.lanes;
  let to = 0;
  for (let at = nextFormula(tags, 0); at >= 0; at = nextFormula(tags, to)) {
    const index = numbers[at] ?? 0;
    to = at + 1;
    while (tags[to] === cellTag.formula && numbers[to] === index) to++;
    found.push({ from: low + at, to: low + to, index });
  }
  return found;
}

function nextFormula(tags: Uint8Array, from: number): number {
  return tags.indexOf(cellTag.formula, from);
}
