import type { Input } from '../../server/model/cell-value.ts';
import { sameEitherWay } from './formula-arrays.ts';
import { relativeForm, shiftFormula } from './formula-shift.ts';

/** A formula, written for the first cell that has it; other cells hold it as filled from there. */
export interface FormulaTemplate {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** True for a legacy scalar that would have another value as a dynamic formula. */
  readonly isLegacy: boolean;
}

/** Cell of a formula. */
export interface FormulaPlace {
  readonly row: number;
  readonly column: number;
  /** True when the cell has no dynamic-array flag. */
  readonly isScalar: boolean;
}

/** All distinct formulas of a workbook: one that is filled to a million cells is stored once. */
export class FormulaTable {
  readonly templates: FormulaTemplate[] = [];
  readonly #known = new Map<string, number>();

  /** Returns the number of the template for a text (with its `=`) in a cell. */
  intern(text: string, { row, column, isScalar }: FormulaPlace): number {
    const key = `${isScalar ? 's' : 'd'}${relativeForm(text, { rows: row, columns: column })}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const isLegacy = isScalar && !sameEitherWay(text);
    const index = this.templates.push({ text, row, column, isLegacy }) - 1;
    this.#known.set(key, index);
    return index;
  }

  textAt(index: number, row: number, column: number): string {
    const template = this.templates[index];
    if (template === undefined) return '=#REF!';
    const by = { rows: row - template.row, columns: column - template.column };
    return shiftFormula(template.text, by);
  }

  inputAt(index: number, row: number, column: number): Input {
    const formula = this.textAt(index, row, column);
    return this.templates[index]?.isLegacy === true ? { formula, legacy: true } : { formula };
  }
}
