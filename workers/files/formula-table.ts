import type { Input } from '../../server/model/cell-value.ts';
import { sameEitherWay } from './formula-arrays.ts';
import { relativeForm, shiftFormula } from './formula-shift.ts';

/** A formula, written for the cell it was first seen in; other cells hold it filled to there. */
export interface FormulaTemplate {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  /** A legacy scalar that would mean something else as a dynamic formula. */
  readonly isLegacy: boolean;
}

/** Where a formula was met. */
export interface FormulaPlace {
  readonly row: number;
  readonly column: number;
  /** The cell carries no dynamic-array flag. */
  readonly isScalar: boolean;
}

/** Every distinct formula of a workbook once: equal ones filled to a million cells are one. */
export class FormulaTable {
  readonly templates: FormulaTemplate[] = [];
  readonly #known = new Map<string, number>();

  /** The number of the template for this text (with its `=`) in this cell. */
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
