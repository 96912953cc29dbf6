import { cellName, type Address } from '../../../server/model/address.ts';
import type { Comparison } from '../../../server/model/payload-rules.ts';
import { holdsCell, parseSheetRange, quoteSheet, type Range } from '../../../server/model/range.ts';
import { enteredInput } from '../store/entered-input.ts';
import { comparisonText, operandText, testOf } from '../store/rule-formulas.ts';
import type { ValidationRecord } from './choices.ts';
import type { SheetSession } from './sheet-session.ts';

/** A rule that warns of an input and does not refuse it. */
export interface WarnedRule {
  readonly areas: readonly [Range, ...Range[]];
  /** Formula that is TRUE for allowed inputs of the first cell. */
  readonly formula: string;
  readonly text: string;
}

type Rule = NonNullable<NonNullable<ValidationRecord['value']>['rule']>;

const usualText = 'its rule asks for something else';

/** Returns the rules that warn of an input and do not refuse it. */
export function warnedRulesOf(records: readonly ValidationRecord[]): readonly WarnedRule[] {
  return records.flatMap(({ ranges = [], value = {} }): WarnedRule[] => {
    const { rule, onInvalid, error } = value;
    const [first, ...others] = ranges.flatMap((range) => parseSheetRange(range)?.areas ?? []);
    if (!first || !rule || (onInvalid !== 'warn' && onInvalid !== 'inform')) return [];
    const formula = conditionOf(rule, cellName(first.row0, first.column0));
    const text = error?.text ?? usualText;
    return formula === undefined ? [] : [{ areas: [first, ...others], formula, text }];
  });
}

function conditionOf(rule: Rule, cell: string): string | undefined {
  const { type, items, source, operator, formula1 } = rule;
  if (type === 'list') {
    if (source !== undefined) return `=COUNTIF(${source.slice(1)},${cell})>0`;
    const options = (items ?? []).map((item) => `${cell}=${valueText(item)}`);
    return `=OR(${options.join(',')})`;
  }
  if (type === 'custom') return String(formula1);
  if (operator === undefined || formula1 === undefined) return undefined;
  const compared = { ...rule, operator: operator as Comparison, formula1 };
  if (type === 'textLength') return `=${comparisonText(compared, `LEN(${cell})`)}`;
  const whole = type === 'whole' ? `INT(${cell})=${cell},` : '';
  return `=IF(ISNUMBER(${cell}),AND(${whole}${comparisonText(compared, cell)}),FALSE)`;
}

function valueText(item: unknown): string {
  return typeof item === 'boolean' ? String(item) : operandText(item as string | number);
}

/** Warns of an input that breaks a rule of its cell, after calculating its value. */
export async function warnOf(session: SheetSession, at: Address, typed: string): Promise<void> {
  const { service, source, records, clipboard } = session;
  const rule = records.warned.find(({ areas }) => areas.some((area) => holdsCell(area, at)));
  if (!rule) return;
  clipboard.tell('');
  if (typed === '') return;
  const { workbookId, sheet, ref } = source;
  const part = { row0: at.row, row1: at.row, column0: at.column, column1: at.column };
  const kind = { type: 'expression', formula1: rule.formula } as const;
  const formula = testOf(kind, { sheet, areas: rule.areas, part });
  const name = cellName(at.row, at.column);
  const input = await enteredInput(service, { workbookId, ref }, typed);
  const set = [{ cell: `${quoteSheet(sheet)}!${name}`, input }];
  const body = { ref, set, formulas: [{ formula, sheet }] };
  const { formulas } = await service.ask<{
    readonly formulas: readonly { readonly rows: readonly (readonly unknown[])[] }[];
  }>(`/v1/workbooks/${workbookId}/scenario`, { body });
  if (formulas[0]?.rows[0]?.[0] !== false) return;
  clipboard.tell(`Look at ${name}: ${rule.text}. Ctrl+Z takes the input back.`);
}
