import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';
import { a1Field, authorField, rangeField, rangesField } from './payload-places.ts';
import { recordIdField, sheetField } from './payload-places.ts';
import {
  comparisons,
  formatDelete,
  formatMove,
  formatSet,
  ruleColor,
  validationDelete,
  validationSet,
} from './payload-rules.ts';
import { isBoundedJson, type JsonObject } from './plain-json.ts';

const text = z.string().min(1).max(limits.textLength);
const place = { sheet: sheetField, a1: a1Field.optional(), range: rangeField.optional() };
const areaPayload = z.strictObject({ sheet: sheetField, range: rangeField });

const noteSet = z.strictObject({
  sheet: sheetField,
  a1: a1Field,
  text,
  author: authorField.optional(),
});
const noteDelete = z.strictObject({ sheet: sheetField, a1: a1Field });

const comment = {
  comment: recordIdField.optional(),
  text: z.string().min(1).max(limits.commentTextLength),
  author: authorField.optional(),
  at: z.iso.datetime().optional().describe('When it was written, for what comes from elsewhere'),
};
const thread = recordIdField.describe('Id of the thread');
const commentAdd = z.strictObject({ thread: thread.optional(), ...place, ...comment });
const commentReply = z.strictObject({ thread, ...comment });
const commentEdit = z.strictObject({ thread, comment: recordIdField, text: comment.text });
const commentResolve = z.strictObject({ thread, resolved: z.boolean() });
const commentDelete = z.strictObject({
  thread,
  comment: recordIdField.optional().describe('The whole thread when left out'),
});

const hyperlinkSet = z.strictObject({
  ...place,
  url: z.string().min(1).max(limits.linkLength).nullable().optional(),
  location: z
    .string()
    .min(1)
    .max(limits.linkLength)
    .nullable()
    .optional()
    .describe('A range or defined name of the workbook: Plan!B2; null, as a null url, deletes'),
  tooltip: z.string().max(255).optional(),
});

const column = z
  .union([
    z.int().min(1).max(16_384),
    z.string().regex(/^[A-Za-z]{1,3}$/u, 'not the letters of a column'),
  ])
  .describe('Column letters, or its number from 1; inside the range');
const filterValue = z.union([z.number(), z.boolean(), z.string().max(255)]);
const condition = z.strictObject({
  operator: z.enum(comparisons).exclude(['between', 'notBetween']),
  value: filterValue,
});
const dateGroup = z.strictObject({
  year: z.int().min(1900).max(9999),
  month: z.int().min(1).max(12).optional(),
  day: z.int().min(1).max(31).optional(),
  hour: z.int().min(0).max(23).optional(),
  minute: z.int().min(0).max(59).optional(),
  second: z.int().min(0).max(59).optional(),
});
const criterion = z.strictObject({
  column,
  values: z.array(filterValue).max(limits.filterValues).optional().describe('What is shown'),
  dates: z
    .array(dateGroup)
    .max(limits.filterValues)
    .optional()
    .describe('Whole years, months, days, hours, minutes or seconds beside the values'),
  blanks: z.boolean().optional().describe('Whether blank cells are shown beside the values'),
  conditions: z.array(condition).min(1).max(2).optional(),
  any: z.boolean().optional().describe('One of the conditions is enough'),
  top: z
    .strictObject({
      count: z.number().min(1).max(500),
      percent: z.boolean().optional(),
      bottom: z.boolean().optional(),
    })
    .optional(),
  dynamic: z.string().max(32).optional().describe('As Excel names it: aboveAverage, thisMonth'),
  color: z
    .strictObject({ of: z.enum(['fill', 'font']), color: ruleColor.optional() })
    .optional()
    .describe('Cells of that color; without one those that have none of their own'),
  icon: z
    .strictObject({ set: z.string().min(1).max(32), index: z.int().min(0).max(4).optional() })
    .optional()
    .describe('Cells with that icon of a set, as Excel names it; without index those with none'),
  hideButton: z.boolean().optional(),
});
const filterSet = z.strictObject({
  sheet: sheetField,
  range: rangeField.describe('With the header; a sheet has one filter'),
  criteria: z.array(criterion).max(limits.filterColumns).optional(),
});
const filterClear = z.strictObject({ sheet: sheetField });

const who = z
  .array(z.string().min(1).max(160))
  .max(limits.protectionNames)
  .describe('Who may write: user ids, writers of yours, `user/writer`, or * for everybody');
const protectSet = z.strictObject({
  id: recordIdField.optional(),
  sheet: sheetField,
  ranges: rangesField.optional().describe('The whole sheet when left out'),
  who,
  name: z.string().min(1).max(255).optional(),
  by: authorField.optional().describe('Who set it: filled in by the service'),
  options: z
    .record(z.string().max(32), z.boolean())
    .optional()
    .describe('What a spreadsheet program lets people do: formatCells, sort, …'),
});
const protectDelete = z.strictObject({ id: recordIdField });

const spec = z
  .record(z.string().max(255), z.unknown())
  .refine(
    (value) => isBoundedJson(value, { characters: limits.specCharacters, depth: limits.specDepth }),
    `at most ${limits.specCharacters} characters of JSON, nested ${limits.specDepth} deep`,
  ) as z.ZodType<JsonObject>;
const objectSet = z.strictObject({
  id: recordIdField.optional(),
  sheet: sheetField,
  anchor: rangeField.describe('The cell at its corner, or the cells that it covers'),
  spec: spec.describe('What it is: kept as it is sent'),
});
const objectDelete = z.strictObject({ id: recordIdField });

/** The kinds of records, in the order of their numbers in the specification. */
export const recordPayloads = {
  'cellmerge.add': areaPayload,
  'cellmerge.remove': areaPayload,
  'note.set': noteSet,
  'note.delete': noteDelete,
  'comment.add': commentAdd,
  'comment.reply': commentReply,
  'comment.edit': commentEdit,
  'comment.resolve': commentResolve,
  'comment.delete': commentDelete,
  'validation.set': validationSet,
  'validation.delete': validationDelete,
  'cf.set': formatSet,
  'cf.delete': formatDelete,
  'cf.move': formatMove,
  'filter.set': filterSet,
  'filter.clear': filterClear,
  'protect.set': protectSet,
  'protect.delete': protectDelete,
  'hyperlink.set': hyperlinkSet,
  'image.set': objectSet,
  'image.delete': objectDelete,
  'chart.set': objectSet,
  'chart.delete': objectDelete,
} as const;

export type RecordKind = keyof typeof recordPayloads;

export function isRecordKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordPayloads, kind);
}

export type FilterCriterion = z.output<typeof criterion>;
