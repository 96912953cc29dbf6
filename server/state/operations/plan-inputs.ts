import { isFormulaInput, type Input } from '../../model/cell-value.ts';
import { readInput, writeInput, type WireInput } from '../../model/input.ts';
import { momentFormat } from '../../model/moment-format.ts';
import {
  daysSince1904,
  readEntered,
  staysText,
  textPattern,
  type TypedInput,
} from '../../model/typed-input.ts';
import { carryLate } from '../references/late-formulas.ts';
import { carryLateNames } from '../references/late-names.ts';
import type { PlanContext } from '../plan/plan.ts';

export interface ReadingFlags {
  readonly raw?: boolean | undefined;
  readonly parse?: boolean | undefined;
  readonly legacy?: boolean | undefined;
  /**
   * Returns whether the cell has a number format. In a text cell all but formulas stay as typed; a
   * General one takes the format of a formula that yields a date or a time.
   */
  readonly hasPattern?: ((pattern: string) => boolean) | undefined;
}

/** An input as it is written, and as the journal spells it. */
export interface ReadInput {
  readonly input: Input;
  readonly wire: WireInput;
  /** The number format that a typed text implies. */
  readonly format: string | undefined;
  /** True if the formula text at the head differs from the one sent. */
  readonly moved: boolean;
}

/** Reads one wire input at the base and carries its formula to the head. */
export function readAt(
  sent: WireInput,
  flags: ReadingFlags,
  sheetId: string,
  context: PlanContext,
): ReadInput {
  const wire = wellFormed(sent);
  const isTyped = flags.parse === true && flags.raw !== true && typeof wire === 'string';
  const typed = isTyped ? readInto(wire, flags, context) : undefined;
  const input = typed ? withLegacy(typed.input, flags) : readInput(wire, flags);
  const format = typed?.format;
  if (typeof input !== 'object' || input === null || 'error' in input) {
    return { input, wire: typed ? writeInput(input) : wire, format, moved: false };
  }
  context.coding.checkFormula(input.formula, context.formulaOrigin);
  const placed = carryLate(input.formula, sheetId, context);
  const formula = carryLateNames(placed, sheetId, context);
  const moved = formula !== input.formula;
  return { input: moved ? { ...input, formula } : input, wire: formula, format, moved };
}

/** Reads a typed text as Excel does in the cell: a cell formatted as text takes no number. */
function readInto(text: string, { hasPattern }: ReadingFlags, context: PlanContext): TypedInput {
  const entered = readEntered(text, context.year);
  const typed = is1904(context) ? daysSince1904(entered, text) : entered;
  const { input } = typed;
  if (staysText(input)) return hasPattern?.(textPattern) === true ? { input: text } : typed;
  const isFormula = isFormulaInput(input);
  const format = isFormula ? momentFormat(input.formula) : undefined;
  return format !== undefined && hasPattern?.(generalPattern) === true ? { input, format } : typed;
}

const generalPattern = 'General';

function is1904({ settings, formulaOrigin }: PlanContext): boolean {
  return formulaOrigin !== 'journal' && settings.get('dateSystem') === 1904;
}

/** Replaces lone surrogates, which the UTF-8 of the journal cannot hold. */
function wellFormed(wire: WireInput): WireInput {
  return typeof wire === 'string' ? wire.replaceAll(loneSurrogates, '\uFFFD') : wire;
}

const loneSurrogates = /\p{Surrogate}/gu;

function withLegacy(input: Input, { legacy }: ReadingFlags): Input {
  const isFormula = isFormulaInput(input);
  return isFormula && legacy === true ? { ...input, legacy: true } : input;
}
