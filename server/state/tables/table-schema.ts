import { referenceFlags } from '../../model/formula-service.ts';
import type { WireInput } from '../../model/input.ts';
import { foldName } from '../../model/names.ts';
import { Rejection } from '../../model/rejection.ts';
import {
  keyTypes,
  plainColumn,
  readColumnValue,
  typeOf,
  type ColumnDefinition,
  type ValueReading,
} from '../../model/table-column.ts';
import { carryLate } from '../references/late-formulas.ts';
import { carryLateNames } from '../references/late-names.ts';
import type { PlanContext } from '../plan/plan.ts';

const columnNameLength = 255;
const absolute = { row0: 1, column0: 2, row1: 4, column1: 8 } as const;
const { wholeColumns, wholeRows, oneCell } = referenceFlags;

export function badTable(message: string): Rejection {
  return new Rejection('bad_table', message);
}

/** The column as it is kept: checked, with its formula in the addresses of the head. */
export function checkedColumn(
  sent: ColumnDefinition,
  sheetId: string | undefined,
  context: PlanContext,
): ColumnDefinition {
  const { name, formula } = sent;
  checkColumnName(name);
  const date1904 = context.settings.get('dateSystem') === 1904;
  const reading = { raw: false, date1904 };
  for (const option of sent.enum ?? []) {
    checkValue(option, { column: { ...sent, enum: undefined }, reading, what: 'enum' });
  }
  if (sent.default !== undefined && sent.default !== null) {
    checkValue(sent.default, { column: sent, reading, what: 'default' });
  }
  if (formula === undefined) return plainColumn(sent);
  if (sent.default !== undefined || sent.enum || sent.nullable === false) {
    throw badTable(`${name} is calculated: it has no default, enum or nullable`);
  }
  return plainColumn({ ...sent, formula: checkedFormula(formula, sheetId, context) });
}

function checkValue(
  value: WireInput,
  about: { column: ColumnDefinition; reading: ValueReading; what: 'enum' | 'default' },
): void {
  const { column, reading, what } = about;
  const read = readColumnValue(value, column, reading);
  const isFormula = typeof value === 'string' && value.startsWith('=');
  const fault = isFormula ? 'a formula is no value' : read;
  if (typeof fault === 'string') throw badTable(`${column.name}, ${what}: ${fault}`);
}

export function checkColumnName(name: string): void {
  if (name.length > columnNameLength) {
    throw badTable(`the name of a column has at most ${columnNameLength} characters`);
  }
  if (name.trim() === '') throw badTable('a column needs a name');
}

/**
 * Checks a column formula: every row has it, so cells it names have to be the same from everywhere.
 */
function checkedFormula(sent: string, sheetId: string | undefined, context: PlanContext): string {
  const { coding, formulaOrigin } = context;
  const formula = sent.startsWith('=') ? sent : `=${sent}`;
  coding.checkFormula(formula, formulaOrigin);
  for (const { flags, start, end } of coding.formulas.references(formula)) {
    if (isAbsolute(flags)) continue;
    const reference = formula.slice(start, end);
    const message = `${reference}: a calculated column names [@columns], names or $A$1`;
    throw new Rejection('bad_formula', message);
  }
  return carryLateNames(carryLate(formula, sheetId, context), sheetId, context);
}

function isAbsolute(flags: number): boolean {
  const { row0, column0, row1, column1 } = absolute;
  if ((flags & wholeColumns) !== 0) return (flags & column0) !== 0 && (flags & column1) !== 0;
  if ((flags & wholeRows) !== 0) return (flags & row0) !== 0 && (flags & row1) !== 0;
  const start = (flags & row0) !== 0 && (flags & column0) !== 0;
  return start && ((flags & oneCell) !== 0 || ((flags & row1) !== 0 && (flags & column1) !== 0));
}

export function checkNames(columns: readonly ColumnDefinition[]): void {
  const seen = new Set<string>();
  for (const { name } of columns) {
    const folded = foldName(name);
    if (seen.has(folded)) throw badTable(`two columns are called ${name}`);
    seen.add(folded);
  }
}

/** Throws a rejection unless a column may tell the rows apart. */
export function checkKeyColumn(column: ColumnDefinition): void {
  if (column.formula !== undefined) throw badTable(`${column.name} is calculated: it is no key`);
  if (keyTypes.includes(typeOf(column))) return;
  throw badTable(`${column.name} is of type ${typeOf(column)}: a key is a text, number or date`);
}
