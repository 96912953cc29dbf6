import type { FormulaService } from '../../model/formula-service.ts';
import type { JsonObject } from '../../model/plain-json.ts';
import { quoteSheet } from '../../model/range.ts';
import { referenceText } from '../formulas/formula-text.ts';

export const allAbsolute = 15;

/** A stored location as people write it: Plan!B2. */
export function plainLocation(formula: string, formulas: FormulaService): string {
  return respell(formula, 0, formulas).slice(1);
}

export function withPlainLocation(value: JsonObject, formulas: FormulaService): JsonObject {
  const { location } = value;
  if (typeof location !== 'string') return value;
  return { ...value, location: plainLocation(location, formulas) };
}

/** Spells all references with these `$`. */
export function respell(text: string, dollars: number, formulas: FormulaService): string {
  let spelled = text;
  for (const reference of formulas.references(text).toReversed()) {
    const { start, end, sheet, flags } = reference;
    const prefix = sheet === undefined ? '' : `${quoteSheet(sheet)}!`;
    const kept = flags & ~allAbsolute;
    const name = referenceText({ ...reference, flags: kept | dollars });
    spelled = spelled.slice(0, start) + prefix + name + spelled.slice(end);
  }
  return spelled;
}
