import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';
import { rangesField, recordIdField, sheetField } from './payload-places.ts';

// Rules are those of Excel, member by member. What only planning can tell, such as whether a
// formula can be read, rejects the operation and not the submission.

export const comparisons = [
  'between',
  'notBetween',
  'equal',
  'notEqual',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
] as const;
export type Comparison = (typeof comparisons)[number];

const formula = z.string().min(1).max(limits.formulaLength).describe('A formula starting with =');
const operand = z
  .union([z.number(), z.string().max(limits.formulaLength)])
  .describe('A number, a text, or a formula starting with =');
const operator = z.enum(comparisons);

const listRule = z.strictObject({
  type: z.literal('list'),
  items: z
    .array(z.union([z.number(), z.boolean(), z.string().max(limits.listItemLength)]))
    .min(1)
    .max(limits.listItems)
    .optional(),
  source: formula.optional().describe('A range or name as a formula, instead of items'),
  dropdown: z.boolean().optional().describe('Default true'),
});
const comparisonRule = z.strictObject({
  type: z.enum(['whole', 'decimal', 'date', 'time', 'textLength']),
  operator,
  formula1: operand,
  formula2: operand.optional().describe('For between and notBetween'),
});
const customRule = z.strictObject({ type: z.literal('custom'), formula1: formula });
const anyRule = z.strictObject({ type: z.literal('any') }).describe('Only shows its prompt');

const validationRule = z.discriminatedUnion('type', [
  listRule,
  comparisonRule,
  customRule,
  anyRule,
]);

export const onInvalid = ['reject', 'warn', 'inform', 'ignore'] as const;

const message = z.strictObject({
  title: z.string().max(32).optional(),
  text: z.string().max(255).optional(),
});

export const validationSet = z.strictObject({
  id: recordIdField.optional(),
  sheet: sheetField,
  ranges: rangesField,
  rule: validationRule,
  onInvalid: z
    .enum(onInvalid)
    .optional()
    .describe('Default reject: operations that break the rule are rejected; the others are shown'),
  allowBlank: z.boolean().optional().describe('Default true'),
  prompt: message.optional(),
  error: message.optional(),
});
export const validationDelete = z.strictObject({ id: recordIdField });

export const ruleColor = z.union([
  z.string().regex(/^#[0-9A-F]{6}$/u, 'not a colour such as #1F4E79'),
  z.strictObject({ theme: z.int().min(0).max(11), tint: z.number().min(-1).max(1).optional() }),
]);
const edge = z.strictObject({ style: z.string().max(32), color: ruleColor.optional() });
const formatStyle = z.strictObject({
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  underline: z.enum(['single', 'double', 'none']).optional(),
  strike: z.boolean().optional(),
  color: ruleColor.optional(),
  fill: ruleColor.optional(),
  pattern: edge.optional().describe('Lines over the fill'),
  numberFormat: z.string().max(limits.numberFormatLength).optional(),
  border: z
    .strictObject({
      left: edge.optional(),
      right: edge.optional(),
      top: edge.optional(),
      bottom: edge.optional(),
    })
    .optional(),
});

const at = z.enum(['min', 'max', 'num', 'percent', 'percentile', 'formula']);
const point = { at, value: operand.optional() };
const plainRule = z.strictObject({
  type: z.enum([
    'duplicateValues',
    'uniqueValues',
    'containsBlanks',
    'notContainsBlanks',
    'containsErrors',
    'notContainsErrors',
  ]),
});
export const timePeriods = [
  'today',
  'yesterday',
  'tomorrow',
  'last7Days',
  'thisWeek',
  'lastWeek',
  'nextWeek',
  'thisMonth',
  'lastMonth',
  'nextMonth',
] as const;

const formatRule = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('cellIs'),
    operator,
    formula1: operand,
    formula2: operand.optional(),
  }),
  z.strictObject({ type: z.literal('expression'), formula1: formula }),
  z.strictObject({
    type: z.literal('colorScale'),
    points: z
      .array(z.strictObject({ ...point, color: ruleColor }))
      .min(2)
      .max(3),
  }),
  z.strictObject({
    type: z.literal('dataBar'),
    min: z.strictObject(point),
    max: z.strictObject(point),
    color: ruleColor,
    showValue: z.boolean().optional(),
    minLength: z.int().min(0).max(100).optional(),
    maxLength: z.int().min(0).max(100).optional(),
  }),
  z.strictObject({
    type: z.literal('iconSet'),
    icons: z.string().max(32).describe('As Excel names them: 3Arrows, 4Rating, 5Quarters'),
    own: z
      .array(z.strictObject({ set: z.string().max(32), index: z.int().min(0).max(4) }).nullable())
      .max(5)
      .optional()
      .describe('Icons instead of those of the set; null is none'),
    points: z
      .array(z.strictObject({ ...point, above: z.boolean().optional() }))
      .min(2)
      .max(5),
    reverse: z.boolean().optional(),
    showValue: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('top10'),
    rank: z.int().min(1).max(1_000),
    percent: z.boolean().optional(),
    bottom: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('aboveAverage'),
    below: z.boolean().optional(),
    equal: z.boolean().optional(),
    deviations: z.int().min(0).max(3).optional(),
  }),
  z.strictObject({
    type: z.enum(['containsText', 'notContainsText', 'beginsWith', 'endsWith']),
    text: z.string().max(255).optional(),
    formula1: formula.optional().describe('Instead of a text'),
  }),
  z.strictObject({ type: z.literal('timePeriod'), period: z.enum(timePeriods) }),
  plainRule,
]);

export const formatSet = z.strictObject({
  id: recordIdField.optional(),
  sheet: sheetField,
  ranges: rangesField,
  rule: formatRule,
  style: formatStyle.optional(),
  stopIfTrue: z.boolean().optional(),
  priority: z
    .int()
    .min(1)
    .max(limits.recordCount)
    .optional()
    .describe('Place among the rules of the sheet, from 1; a new rule comes last'),
});
export const formatDelete = z.strictObject({ id: recordIdField });
export const formatMove = z.strictObject({
  id: recordIdField,
  before: recordIdField.optional(),
  after: recordIdField.optional(),
  priority: formatSet.shape.priority,
});

export type ValidationRule = z.output<typeof validationRule>;
export type FormatRule = z.output<typeof formatRule>;
export type FormatStyle = z.output<typeof formatStyle>;
export type StyleColor = z.output<typeof ruleColor>;
export type ValidationPayload = z.output<typeof validationSet>;
export type FormatPayload = z.output<typeof formatSet>;
