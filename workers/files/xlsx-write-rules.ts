import type { FormatRule, ValidationRule } from '../../server/model/payload-rules.ts';
import type { JsonObject, JsonValue } from '../../server/model/plain-json.ts';
import { operandFormula } from '../../server/model/rule-operand.ts';
import { cornerOf, rangesOf, type FileRecord } from './file-record.ts';
import { formulaToFile } from './formula-export.ts';
import { shiftFormula } from './formula-shift.ts';
import { colorAttributes } from './xlsx-colors.ts';
import { ownStyleElement, styleOf, type FormatStyleList } from './xlsx-dxf.ts';
import { extendedIcons, iconContent, type IconRule } from './xlsx-write-icons.ts';
import { impliedFormula } from '../../server/model/rule-formulas.ts';
import { encodeText, escapeXml } from './xml-text.ts';

/** Characters of a list in a rule; Excel takes a file with more for damaged. */
const listCharactersMost = 255;

interface Placed {
  readonly sqref: string;
  /** Cell to which the formulas of the file are relative. */
  readonly corner: { readonly row: number; readonly column: number };
  /** Returns a formula, relative to the first cell of the first range, as the file spells it. */
  readonly spell: (operand: string | number) => string;
}

function placed(record: FileRecord): Placed {
  const ranges = rangesOf(record);
  const corner = cornerOf(ranges);
  const [first] = ranges;
  const by = first
    ? { rows: corner.row - first.row0, columns: corner.column - first.column0 }
    : { rows: 0, columns: 0 };
  const spell = (operand: string | number) => {
    const formula = `=${operandFormula(operand)}`;
    return escapeXml(formulaToFile(shiftFormula(formula, by)));
  };
  return { sqref: (record.ranges ?? []).join(' '), corner, spell };
}

/** Returns the `dataValidations` of a sheet; empty if a file can hold none of them. */
export function validationsElement(records: readonly FileRecord[]): string {
  const elements = records.map(validationElement).filter((element) => element !== '');
  if (elements.length === 0) return '';
  return `<dataValidations count="${elements.length}">${elements.join('')}</dataValidations>`;
}

function validationElement(record: FileRecord): string {
  const { value } = record;
  const place = placed(record);
  // The record was checked by its schema.
  const rule = value['rule'] as ValidationRule;
  const formulas = validationFormulas(rule, place);
  if (formulas === undefined) return '';
  const type = rule.type === 'any' ? '' : ` type="${rule.type}"`;
  const operator = 'operator' in rule ? ` operator="${rule.operator}"` : '';
  const hidden = rule.type === 'list' && rule.dropdown === false ? ' showDropDown="1"' : '';
  const blank = value['allowBlank'] === true ? ' allowBlank="1"' : '';
  const prompt = messageAttributes(value['prompt'], ['promptTitle', 'prompt']);
  const shown = prompt === '' ? '' : ' showInputMessage="1"';
  const error = messageAttributes(value['error'], ['errorTitle', 'error']);
  const attributes = type + reaction(value['onInvalid']) + operator + blank + hidden + shown;
  return `<dataValidation${attributes}${error}${prompt} sqref="${place.sqref}">${formulas}</dataValidation>`;
}

function validationFormulas(rule: ValidationRule, { spell }: Placed): string | undefined {
  switch (rule.type) {
    case 'any':
      return '';
    case 'custom':
      return `<formula1>${spell(rule.formula1)}</formula1>`;
    case 'list':
      return listFormula(rule, spell);
    default: {
      const second = rule.formula2 === undefined ? '' : spell(rule.formula2);
      const more = second === '' ? '' : `<formula2>${second}</formula2>`;
      return `<formula1>${spell(rule.formula1)}</formula1>${more}`;
    }
  }
}

/** Returns the formula of a list; undefined if a file cannot hold it. */
function listFormula(
  { items, source }: Extract<ValidationRule, { type: 'list' }>,
  spell: Placed['spell'],
): string | undefined {
  if (source !== undefined) return `<formula1>${spell(source)}</formula1>`;
  const texts = (items ?? []).map((item) => {
    return typeof item === 'boolean' ? String(item).toUpperCase() : String(item);
  });
  const list = texts.join(',');
  const isLost = list.length > listCharactersMost || texts.some((text) => text.includes(','));
  if (isLost || list.trim() === '') return undefined;
  return `<formula1>"${escapeXml(list.replaceAll('"', '""'))}"</formula1>`;
}

const reactions: Readonly<Record<string, string>> = {
  reject: ' showErrorMessage="1"',
  warn: ' errorStyle="warning" showErrorMessage="1"',
  inform: ' errorStyle="information" showErrorMessage="1"',
  ignore: '',
};

function reaction(onInvalid: JsonValue | undefined): string {
  return (typeof onInvalid === 'string' && reactions[onInvalid]) || '';
}

function messageAttributes(
  message: JsonValue | undefined,
  [titleName, textName]: readonly [string, string],
): string {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return '';
  const { title, text } = message as JsonObject;
  const named = typeof title === 'string' ? ` ${titleName}="${encodeText(title)}"` : '';
  return typeof text === 'string' ? `${named} ${textName}="${encodeText(text)}"` : named;
}

export interface WrittenFormats {
  readonly elements: string;
  /** Rules that only newer programs read, for the extensions of the sheet. */
  readonly extended: string;
}

/** Returns the conditional formats of a sheet in the order of their priority. */
export function writeFormats(
  records: readonly FileRecord[],
  styles: FormatStyleList,
): WrittenFormats {
  const sorted = records.toSorted((a, b) => priorityOf(a) - priorityOf(b));
  let priority = 0;
  let elements = '';
  let extended = '';
  for (const record of sorted) {
    const place = placed(record);
    const rule = record.value['rule'] as FormatRule;
    const stop = record.value['stopIfTrue'] === true ? ' stopIfTrue="1"' : '';
    const icons = rule.type === 'iconSet' ? extendedIcons(rule, place.spell) : undefined;
    if (icons !== undefined) {
      priority++;
      const inner = icons + ownStyleElement(styleOf(record.value));
      extended += extendedFormat({ inner, priority, stop }, place);
      continue;
    }
    const content = ruleContent(rule, place);
    if (content === undefined) continue;
    priority++;
    const style = styles.indexOf(styleOf(record.value));
    const look = style === undefined ? '' : ` dxfId="${style}"`;
    const start = `<cfRule type="${rule.type}"${look} priority="${priority}"${stop}`;
    const element = `${start}${content.attributes}>${content.inner}</cfRule>`;
    elements += `<conditionalFormatting sqref="${place.sqref}">${element}</conditionalFormatting>`;
  }
  return { elements, extended: extended && extension(extended) };
}

interface ExtendedRule {
  readonly inner: string;
  readonly priority: number;
  readonly stop: string;
}

function extendedFormat({ inner, priority, stop }: ExtendedRule, { sqref }: Placed): string {
  const id = `{00000000-0000-4000-8000-${priority.toString(16).toUpperCase().padStart(12, '0')}}`;
  const rule = `<x14:cfRule type="iconSet" priority="${priority}"${stop} id="${id}">${inner}</x14:cfRule>`;
  return `<x14:conditionalFormatting xmlns:xm="${extendedFormulas}">${rule}<xm:sqref>${sqref}</xm:sqref></x14:conditionalFormatting>`;
}

const extendedSheet = 'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main';
const extendedFormulas = 'http://schemas.microsoft.com/office/excel/2006/main';

function extension(formats: string): string {
  const start = `<ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" xmlns:x14="${extendedSheet}">`;
  const inner = `<x14:conditionalFormattings>${formats}</x14:conditionalFormattings>`;
  return `<extLst>${start}${inner}</ext></extLst>`;
}

function priorityOf({ value }: FileRecord): number {
  const { priority } = value;
  return typeof priority === 'number' ? priority : 0;
}

interface Content {
  readonly attributes: string;
  readonly inner: string;
}

/** Returns the content of a rule; undefined if a file cannot hold it. */
function ruleContent(rule: FormatRule, place: Placed): Content | undefined {
  const { spell } = place;
  switch (rule.type) {
    case 'cellIs': {
      const operands = [rule.formula1, ...(rule.formula2 === undefined ? [] : [rule.formula2])];
      const inner = operands.map((operand) => `<formula>${spell(operand)}</formula>`).join('');
      return { attributes: ` operator="${rule.operator}"`, inner };
    }
    case 'expression':
      return { attributes: '', inner: `<formula>${spell(rule.formula1)}</formula>` };
    case 'colorScale':
    case 'dataBar':
    case 'iconSet':
      return scaleContent(rule, spell);
    case 'top10':
      return { attributes: ` rank="${rule.rank}"${flags(rule, ['percent', 'bottom'])}`, inner: '' };
    case 'aboveAverage':
      return { attributes: averageAttributes(rule), inner: '' };
    case 'timePeriod':
      return { attributes: ` timePeriod="${rule.period}"`, inner: impliedElement(rule, place) };
    default:
      return 'text' in rule || 'formula1' in rule
        ? textContent(rule, place)
        : { attributes: '', inner: impliedElement(rule, place) };
  }
}

function impliedElement(rule: Parameters<typeof impliedFormula>[0], { corner }: Placed): string {
  const formula = impliedFormula(rule, corner);
  return formula === undefined ? '' : `<formula>${escapeXml(formula)}</formula>`;
}

const textOperators: Readonly<Record<string, string>> = {
  containsText: 'containsText',
  notContainsText: 'notContains',
  beginsWith: 'beginsWith',
  endsWith: 'endsWith',
};

function textContent(rule: Extract<FormatRule, { text?: unknown }>, place: Placed): Content {
  const { type, text, formula1 } = rule;
  const said = text === undefined ? '' : ` text="${encodeText(text)}"`;
  const inner =
    formula1 === undefined
      ? impliedElement({ type, ...(text !== undefined && { text }) }, place)
      : `<formula>${place.spell(formula1)}</formula>`;
  return { attributes: ` operator="${textOperators[type] ?? type}"${said}`, inner };
}

function averageAttributes(rule: Extract<FormatRule, { type: 'aboveAverage' }>): string {
  const below = rule.below === true ? ' aboveAverage="0"' : '';
  const equal = rule.equal === true ? ' equalAverage="1"' : '';
  const deviations = rule.deviations ? ` stdDev="${rule.deviations}"` : '';
  return below + deviations + equal;
}

function flags(rule: object, names: readonly string[]): string {
  const members: Readonly<Record<string, unknown>> = { ...rule };
  return names.map((name) => (members[name] === true ? ` ${name}="1"` : '')).join('');
}

type ScaleRule = Extract<FormatRule, { type: 'colorScale' | 'dataBar' | 'iconSet' }>;
type Point = IconRule['points'][number];

function scaleContent(rule: ScaleRule, spell: Placed['spell']): Content | undefined {
  const anchor = ({ at, value, above }: Point) => {
    const said = value === undefined ? '' : ` val="${spell(value)}"`;
    return `<cfvo type="${at}"${said}${above === true ? ' gte="0"' : ''}/>`;
  };
  const hidden = 'showValue' in rule && rule.showValue === false ? ' showValue="0"' : '';
  switch (rule.type) {
    case 'colorScale': {
      const colors = rule.points.map(({ color }) => `<color ${colorAttributes(color)}/>`);
      const points = rule.points.map(anchor).join('');
      return { attributes: '', inner: `<colorScale>${points}${colors.join('')}</colorScale>` };
    }
    case 'dataBar': {
      const { minLength, maxLength } = rule;
      const least = minLength === undefined ? '' : ` minLength="${minLength}"`;
      const most = maxLength === undefined ? '' : ` maxLength="${maxLength}"`;
      const color = `<color ${colorAttributes(rule.color)}/>`;
      const ends = anchor(rule.min) + anchor(rule.max);
      return {
        attributes: '',
        inner: `<dataBar${least}${most}${hidden}>${ends}${color}</dataBar>`,
      };
    }
    case 'iconSet':
      return iconContent(rule, anchor);
  }
}
