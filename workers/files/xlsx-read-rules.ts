import {
  comparisons,
  timePeriods,
  type FormatStyle,
  type StyleColor,
} from '../../server/model/payload-rules.ts';
import { canonicalObject, type JsonObject } from '../../server/model/plain-json.ts';
import { plainOperand } from '../../server/model/rule-operand.ts';
import { formulaFromFile } from './formula-import.ts';
import { shiftFormula, type Offset } from './formula-shift.ts';
import { isExternal } from './formula-tokens.ts';
import { impliedFormula } from '../../server/model/rule-formulas.ts';
import type { SheetRenames } from './sheet-renames.ts';
import { readColor } from './xlsx-colors.ts';
import { readFormatStyle } from './xlsx-dxf.ts';
import { isTrue } from './xml-reader.ts';
import { childOf, childrenOf, textAttribute, type XmlElement } from './xml-tree.ts';

/** A reason why a rule cannot be kept. */
export class RuleLoss extends Error {}

/** Context of the formulas of a rule. */
export interface RuleContext {
  /** Cell to which the file's formulas are relative. */
  readonly corner: { readonly row: number; readonly column: number };
  /** Distance from there to the first cell of the first range. */
  readonly shift: Offset;
  readonly renames: SheetRenames;
  readonly acceptsFormula: ((formula: string) => boolean) | undefined;
}

const comparisonNames: ReadonlySet<string> = new Set(comparisons);
const compared = new Set(['whole', 'decimal', 'date', 'time', 'textLength']);

export function readValidation(element: XmlElement, context: RuleContext): JsonObject {
  const { attributes } = element;
  const type = attributes['type'] ?? 'none';
  return canonicalObject({
    rule: validationRule(type, element, context),
    onInvalid: reactionOf(element),
    allowBlank: isTrue(attributes['allowBlank']),
    prompt: messageOf(element, ['promptTitle', 'prompt'], 'showInputMessage'),
    error: messageOf(element, ['errorTitle', 'error']),
  });
}

function validationRule(type: string, element: XmlElement, context: RuleContext): object {
  if (type === 'none') return { type: 'any' };
  const formula1 = operandOf(childOf(element, 'formula1'), context);
  if (formula1 === undefined) throw new RuleLoss('it has no formula');
  if (type === 'list') return listRule(element, formula1);
  if (type === 'custom') return { type, formula1: asFormula(formula1) };
  if (!compared.has(type)) throw new RuleLoss(`it is of the unknown type ${type}`);
  const operator = operatorOf(element, 'between');
  const isBetween = operator === 'between' || operator === 'notBetween';
  const formula2 = isBetween ? operandOf(childOf(element, 'formula2'), context) : undefined;
  return { type, operator, formula1: measured(formula1), formula2: formula2 && measured(formula2) };
}

/** Returns a measure: Excel reads a text as a formula that computes one. */
function measured(operand: string | number): string | number {
  const isText = typeof operand === 'string' && !operand.startsWith('=');
  return isText ? asFormula(operand) : operand;
}

function listRule(element: XmlElement, source: string | number): object {
  const dropdown = !isTrue(element.attributes['showDropDown']);
  if (typeof source === 'string' && source.startsWith('=')) {
    return { type: 'list', source, dropdown };
  }
  const items = String(source)
    .split(',')
    .map((item) => item.trim());
  return { type: 'list', items, dropdown };
}

function asFormula(operand: string | number): string {
  if (typeof operand === 'number') return `=${operand}`;
  return operand.startsWith('=') ? operand : `="${operand.replaceAll('"', '""')}"`;
}

const reactions: Readonly<Record<string, string>> = {
  stop: 'reject',
  warning: 'warn',
  information: 'inform',
};

function reactionOf({ attributes }: XmlElement): string {
  if (!isTrue(attributes['showErrorMessage'])) return 'ignore';
  return reactions[attributes['errorStyle'] ?? 'stop'] ?? 'reject';
}

function messageOf(
  element: XmlElement,
  [titleName, textName]: readonly [string, string],
  flag?: string,
): object | undefined {
  if (flag !== undefined && !isTrue(element.attributes[flag])) return undefined;
  const title = textAttribute(element, titleName)?.slice(0, 32) || undefined;
  const text = textAttribute(element, textName)?.slice(0, 255) || undefined;
  return title === undefined && text === undefined ? undefined : { title, text };
}

export function readFormat(
  element: XmlElement,
  context: RuleContext,
  styles: readonly FormatStyle[],
): JsonObject {
  const { attributes } = element;
  const type = attributes['type'] ?? 'none';
  // Rules for newer programs have their style within them.
  const own = childOf(element, 'dxf');
  const style = own ? readFormatStyle(own) : styles[Number(attributes['dxfId'] ?? NaN)];
  const isEmpty = style === undefined || Object.keys(style).length === 0;
  return canonicalObject({
    rule: formatRule(type, element, context),
    style: isEmpty ? undefined : style,
    stopIfTrue: isTrue(attributes['stopIfTrue']),
  });
}

function formatRule(type: string, element: XmlElement, context: RuleContext): object {
  switch (type) {
    case 'cellIs':
    case 'expression':
      return formulaRule(type, element, context);
    case 'colorScale':
    case 'dataBar':
    case 'iconSet':
      return scaleRule(type, element, context);
    case 'containsText':
    case 'notContainsText':
    case 'beginsWith':
    case 'endsWith':
      return textRule(type, element, context);
    default:
      return plainRule(type, element);
  }
}

/** Formulas of a rule, which those for newer programs call `f`. */
function formulasOf({ children }: XmlElement): XmlElement[] {
  return children.filter(({ name }) => name === 'formula' || name === 'f');
}

function formulaRule(type: string, element: XmlElement, context: RuleContext): object {
  const [first, second] = formulasOf(element);
  const formula1 = operandOf(first, context);
  if (formula1 === undefined) throw new RuleLoss('it has no formula');
  if (type === 'expression') return { type, formula1: asFormula(formula1) };
  const operator = operatorOf(element, 'equal');
  const isBetween = operator === 'between' || operator === 'notBetween';
  const formula2 = isBetween ? operandOf(second, context) : undefined;
  return { type, operator, formula1, formula2 };
}

function textRule(type: string, element: XmlElement, context: RuleContext): object {
  const text = textAttribute(element, 'text')?.slice(0, 255);
  const [formula] = formulasOf(element);
  const implied = impliedFormula({ type, ...(text !== undefined && { text }) }, context.corner);
  const isImplied = formula?.text.trim() === implied;
  const formula1 = isImplied ? undefined : operandOf(formula, context);
  if (text === undefined && formula1 === undefined) throw new RuleLoss('it has no text');
  return { type, text, formula1: formula1 === undefined ? undefined : asFormula(formula1) };
}

const alone = new Set([
  'duplicateValues',
  'uniqueValues',
  'containsBlanks',
  'notContainsBlanks',
  'containsErrors',
  'notContainsErrors',
]);
const periods: ReadonlySet<string> = new Set(timePeriods);

function plainRule(type: string, element: XmlElement): object {
  if (alone.has(type)) return { type };
  if (type === 'top10') return topRule(element);
  if (type === 'aboveAverage') return averageRule(element);
  const period = element.attributes['timePeriod'] ?? '';
  if (type === 'timePeriod' && periods.has(period)) return { type, period };
  throw new RuleLoss(`it is of the unknown type ${type}`);
}

function topRule({ attributes }: XmlElement): object {
  const rank = Math.min(1_000, Math.max(1, Math.trunc(Number(attributes['rank'] ?? 10)) || 10));
  const percent = isTrue(attributes['percent']) || undefined;
  return { type: 'top10', rank, percent, bottom: isTrue(attributes['bottom']) || undefined };
}

function averageRule({ attributes }: XmlElement): object {
  const deviations = Number(attributes['stdDev'] ?? 0);
  return {
    type: 'aboveAverage',
    below: isOff(attributes['aboveAverage']) || undefined,
    equal: isTrue(attributes['equalAverage']) || undefined,
    deviations: [1, 2, 3].includes(deviations) ? deviations : undefined,
  };
}

/** Returns whether an attribute is switched off that is on by default. */
function isOff(flag: string | undefined): boolean {
  return flag !== undefined && !isTrue(flag);
}

type ScaleType = 'colorScale' | 'dataBar' | 'iconSet';

function scaleRule(type: ScaleType, element: XmlElement, context: RuleContext): object {
  const scale = childOf(element, type);
  if (!scale) throw new RuleLoss(`it has no ${type}`);
  const points = childrenOf(scale, 'cfvo').map((point) => pointOf(point, context));
  if (type === 'iconSet') return iconRule(scale, points);
  const colors = childrenOf(scale, 'color').flatMap(
    ({ attributes }) => readColor(attributes) ?? [],
  );
  if (type === 'dataBar') return barRule(scale, points, colors);
  const isUsable = points.length === colors.length && [2, 3].includes(points.length);
  if (!isUsable) throw new RuleLoss('its colors do not fit its points');
  return { type, points: points.map((point, at) => ({ ...point, color: colors[at] })) };
}

function iconRule(scale: XmlElement, points: readonly object[]): object {
  const { attributes } = scale;
  const icons = attributes['iconSet'] ?? '3TrafficLights1';
  const own = isTrue(attributes['custom']) ? childrenOf(scale, 'cfIcon').map(ownIcon) : undefined;
  const isUsable = points.length === Number(icons.slice(0, 1)) && points.length >= 3;
  const isWhole = own === undefined || own.length === points.length;
  if (!isUsable || !isWhole) throw new RuleLoss('its icons do not fit its points');
  return {
    type: 'iconSet',
    icons: icons.slice(0, 32),
    own,
    points,
    reverse: isTrue(attributes['reverse']) || undefined,
    showValue: isOff(attributes['showValue']) ? false : undefined,
  };
}

/** Returns an icon of any set; null stands for none. */
function ownIcon({ attributes }: XmlElement): object | null {
  const set = attributes['iconSet'] ?? '';
  if (set === 'NoIcons') return null;
  const index = Number(attributes['iconId'] ?? NaN);
  const isIcon = set !== '' && Number.isInteger(index) && index >= 0 && index <= 4;
  if (!isIcon) throw new RuleLoss('one of its icons is unknown');
  return { set: set.slice(0, 32), index };
}

function barRule(
  { attributes }: XmlElement,
  [min, max]: readonly object[],
  [color]: readonly StyleColor[],
): object {
  if (!min || !max || color === undefined) throw new RuleLoss('its bar has no ends or no color');
  const length = (name: string) => {
    const value = Number(attributes[name] ?? NaN);
    return Number.isInteger(value) && value >= 0 && value <= 100 ? value : undefined;
  };
  const lengths = { minLength: length('minLength'), maxLength: length('maxLength') };
  const showValue = isOff(attributes['showValue']) ? false : undefined;
  return { type: 'dataBar', min, max, color, showValue, ...lengths };
}

const anchors = new Set(['min', 'max', 'num', 'percent', 'percentile', 'formula']);

function pointOf(element: XmlElement, context: RuleContext): object {
  const { attributes } = element;
  const at = attributes['type'] ?? '';
  if (!anchors.has(at)) throw new RuleLoss(`it has a point of the unknown type ${at}`);
  const above = isOff(attributes['gte']) || undefined;
  if (at === 'min' || at === 'max') return { at, above };
  const said = attributes['val'] ?? childOf(element, 'f')?.text ?? '';
  const value = readOperand(said, context);
  if (value === undefined) throw new RuleLoss('it has a point without a value');
  return { at, value: measured(value), above };
}

function operatorOf({ attributes }: XmlElement, fallback: string): string {
  const operator = attributes['operator'] ?? fallback;
  if (comparisonNames.has(operator)) return operator;
  throw new RuleLoss(`it compares by ${operator}`);
}

/** Returns the formula of an operand, which newer parts of a file keep in an element of its own. */
function operandOf(
  element: XmlElement | undefined,
  context: RuleContext,
): string | number | undefined {
  if (!element) return undefined;
  return readOperand((childOf(element, 'f') ?? element).text, context);
}

function readOperand(text: string, context: RuleContext): string | number | undefined {
  if (text.trim() === '') return undefined;
  if (isExternal(text)) throw new RuleLoss('it refers to another workbook');
  const operand = plainOperand(formulaFromFile(context.renames.respell(text)));
  if (typeof operand === 'number' || !operand.startsWith('=')) return operand;
  const { acceptsFormula, shift } = context;
  if (acceptsFormula && !acceptsFormula(operand)) throw new RuleLoss('its formula cannot be read');
  return shiftFormula(operand, shift);
}
