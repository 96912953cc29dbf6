import { cellName, parseAddress, type Address } from '../../../server/model/address.ts';
import type { FormatRule } from '../../../server/model/payload-rules.ts';
import {
  columnCount,
  quoteSheet,
  rangeName,
  rowCount,
  type Range,
} from '../../../server/model/range.ts';
import { impliedFormula } from '../../../server/model/rule-formulas.ts';
import { tokensOf } from '../formula/tokens.ts';

/** A rule, its areas, and the part of them to evaluate. */
export interface RulePlace {
  readonly sheet: string;
  /** All areas of the rule; its formulas are relative to the first cell of the first one. */
  readonly areas: readonly [Range, ...Range[]];
  readonly part: Range;
}

const signs = {
  equal: '=',
  notEqual: '<>',
  lessThan: '<',
  lessThanOrEqual: '<=',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
} as const;

/** Returns a formula that is TRUE for each cell of a part to which a rule applies. */
export function testOf(rule: FormatRule, place: RulePlace): string | undefined {
  const [first] = place.areas;
  const test = conditionOf(rule, { row: first.row0, column: first.column0 }, place);
  if (test === undefined) return undefined;
  const body = carried(`=${test}`, place);
  return `=MAKEARRAY(${rowCount(place.part)},${columnCount(place.part)},LAMBDA(q_r,q_c,${body}))`;
}

type Compared = Pick<Rule<'cellIs'>, 'operator' | 'formula1' | 'formula2'>;
type Rule<Type> = Extract<FormatRule, { readonly type: Type }>;

/** Returns the condition of a rule for its first cell. */
function conditionOf(rule: FormatRule, first: Address, place: RulePlace): string | undefined {
  const cell = cellName(first.row, first.column);
  switch (rule.type) {
    case 'cellIs':
      return comparisonText(rule, cell);
    case 'duplicateValues':
    case 'uniqueValues': {
      const counts = place.areas.map((area) => `COUNTIF(${absolute(area, place.sheet)},${cell})`);
      return `AND(${cell}<>"",${counts.join('+')}${rule.type === 'uniqueValues' ? '=' : '>'}1)`;
    }
    case 'top10':
      return rankText(rule, cell, allOf(place));
    case 'aboveAverage':
      return averageText(rule, cell, allOf(place));
    default:
      return givenText(rule, first);
  }
}

/** Returns the formula that a rule has, or that its type implies; scales and icons have none. */
function givenText(rule: FormatRule, first: Address): string | undefined {
  const own = 'formula1' in rule && typeof rule.formula1 === 'string' ? rule.formula1 : undefined;
  return own?.slice(1) ?? impliedFormula(rule, first);
}

function allOf({ areas, sheet }: RulePlace): string {
  return areas.map((area) => absolute(area, sheet)).join(',');
}

/** Returns a formula that compares a cell, or something else that it names. */
export function comparisonText(rule: Compared, cell: string): string {
  const [low, high] = [operandText(rule.formula1), operandText(rule.formula2 ?? 0)];
  if (rule.operator === 'between') return betweenText(cell, low, high);
  if (rule.operator === 'notBetween') return `NOT(${betweenText(cell, low, high)})`;
  return `${cell}${signs[rule.operator]}(${low})`;
}

function rankText({ rank, percent, bottom }: Rule<'top10'>, cell: string, all: string): string {
  const place = percent === true ? `MAX(1,INT(COUNT(${all})*${rank}/100))` : rank;
  const [name, sign] = bottom === true ? ['SMALL', '<='] : ['LARGE', '>='];
  return `AND(ISNUMBER(${cell}),${cell}${sign}${name}((${all}),MIN(${place},COUNT(${all}))))`;
}

function averageText(rule: Rule<'aboveAverage'>, cell: string, all: string): string {
  const sign = `${rule.below === true ? '<' : '>'}${rule.equal === true ? '=' : ''}`;
  const spread = (rule.deviations ?? 0) * (rule.below === true ? -1 : 1);
  const bound = `AVERAGE(${all})${spread === 0 ? '' : `+(${spread})*STDEV.P(${all})`}`;
  return `AND(ISNUMBER(${cell}),${cell}${sign}${bound})`;
}

function betweenText(cell: string, low: string, high: string): string {
  return `AND(${cell}>=MIN(${low},${high}),${cell}<=MAX(${low},${high}))`;
}

/** Returns a number, a text or a formula as part of a formula. */
export function operandText(operand: number | string): string {
  if (typeof operand === 'number') return String(operand);
  return operand.startsWith('=') ? operand.slice(1) : `"${operand.replaceAll('"', '""')}"`;
}

interface ScalePoint {
  readonly at: 'min' | 'max' | 'num' | 'percent' | 'percentile' | 'formula';
  readonly value?: number | string | undefined;
}

/** Returns a formula for the number where a colour or a bar begins or ends. */
export function pointOf({ at, value = 0 }: ScalePoint, place: RulePlace): string {
  const all = allOf(place);
  const given = operandText(value);
  switch (at) {
    case 'min':
    case 'max':
      return `=${at.toUpperCase()}(${all})`;
    case 'percent':
      return `=MIN(${all})+(MAX(${all})-MIN(${all}))*(${given})/100`;
    case 'percentile':
      return `=PERCENTILE((${all}),(${given})/100)`;
    default:
      return `=${given}`;
  }
}

/** Returns a formula for the numbers of a part; texts where there are none. */
export function numbersOf({ part, sheet }: RulePlace): string {
  const cells = absolute(part, sheet);
  return `=IF(ISNUMBER(${cells}),${cells},"")`;
}

/** Returns a formula for the numbers of a part, as a number format shows them. */
export function shownIn(pattern: string, { part, sheet }: RulePlace): string {
  return `=TEXT(${absolute(part, sheet)},${operandText(pattern)})`;
}

function absolute({ row0, row1, column0, column1 }: Range, sheet: string): string {
  const end = (row: number, column: number) =>
    cellName(row, column).replace(/^([A-Z]+)(\d+)$/u, '$$$1$$$2');
  return `${quoteSheet(sheet)}!${end(row0, column0)}:${end(row1, column1)}`;
}

/** Returns a formula of the first cell for all cells of a part, by row q_r and column q_c. */
function carried(formula: string, place: RulePlace): string {
  const pieces = tokensOf(formula).map(({ kind, text }) =>
    kind === 'reference' && /[A-Za-z]\$?\d/u.test(text) ? carriedReference(text, place) : text,
  );
  return pieces.join('').slice(1);
}

function carriedReference(text: string, place: RulePlace): string {
  const split = text.lastIndexOf('!') + 1;
  const sheet = text.slice(0, split) || `${quoteSheet(place.sheet)}!`;
  const ends = text.slice(split).split(':');
  return ends.map((end) => carriedEnd(end, sheet, place)).join(':');
}

/** Returns a formula for one end of a reference as it moves over the cells of a part. */
function carriedEnd(end: string, sheet: string, { areas: [first], part }: RulePlace): string {
  const cell = parseAddress(end);
  if (!cell) return sheet + end;
  const isColumnFixed = end.startsWith('$');
  const isRowFixed = end.includes('$', 1);
  const row0 = cell.row + (isRowFixed ? 0 : part.row0 - first.row0);
  const column0 = cell.column + (isColumnFixed ? 0 : part.column0 - first.column0);
  if (row0 < 0 || column0 < 0) return '#REF!';
  const range = {
    row0,
    column0,
    row1: row0 + (isRowFixed ? 0 : rowCount(part) - 1),
    column1: column0 + (isColumnFixed ? 0 : columnCount(part) - 1),
  };
  const place = `${isRowFixed ? '1' : 'q_r'},${isColumnFixed ? '1' : 'q_c'}`;
  return `INDEX(${sheet}${rangeName(range)},${place})`;
}
