import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';
import { colorSchema } from './payload-formats.ts';

// The kinds that set properties of rows, columns, sheets and of the workbook.

const sheet = z.string().min(1).max(64).describe('Id or name of a sheet');
const count = z.int().min(1).max(1_048_576);

const size = {
  px: z.number().min(1).max(limits.linePixels).optional().describe('At 96 dots an inch'),
  auto: z.literal(true).optional().describe('As high or wide as the content asks for'),
};
const hide = { hidden: z.boolean().optional().describe('Default true') };
const group = {
  level: z.int().min(0).max(7).optional().describe('0 takes the lines out of all groups'),
  collapsed: z.boolean().optional().describe('Folds the lines away, or shows them again'),
};

/** Payloads of `rows.…` or `cols.…`; `line` is how a row or a column is named. */
export function linePropertyKinds<Line extends z.ZodType>(line: Line) {
  const span = z.strictObject({ from: line, count: count.optional() });
  const lines = {
    sheet,
    from: line.optional(),
    count: count.optional(),
    spans: z.array(span).min(1).max(10_000).optional().describe('Several pieces instead of one'),
  };
  return {
    size: z.strictObject({ ...lines, ...size }),
    hide: z.strictObject({ ...lines, ...hide }),
    group: z.strictObject({ ...lines, ...group }),
  };
}

export const inheritSchema = z
  .enum(['before', 'after', 'none'])
  .optional()
  .describe('The neighbour whose formats and size the new lines get; default before');

const pixels = z.number().min(1).max(limits.linePixels).nullable().optional();
const flag = z.boolean().nullable().optional();

/** Sheet properties; each is a register, and null resets it. */
export const sheetPropertySchemas = {
  tabColor: colorSchema.nullable().optional(),
  hidden: z
    .union([z.boolean(), z.literal('veryHidden')])
    .nullable()
    .optional()
    .describe('veryHidden sheets are not offered to people for showing'),
  fileSheet: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .optional()
    .describe('Name in the file it came from, by which exports give its charts back'),
  freezeRows: z.int().min(0).max(1_048_575).nullable().optional(),
  freezeCols: z.int().min(0).max(16_383).nullable().optional(),
  gridlines: flag.describe('Default true'),
  rtl: flag.describe('Columns run from right to left'),
  zoom: z.int().min(10).max(400).nullable().optional().describe('Percent'),
  rowPx: pixels.describe('Height of rows that have none of their own'),
  colPx: pixels.describe('Width of columns that have none of their own'),
  summaryBelow: flag.describe('Buttons of row groups stand below them; default true'),
  summaryRight: flag.describe('Buttons of column groups stand right of them; default true'),
};

/** Sheet properties that are set, as they are read. */
export const sheetPropertiesSchema = z
  .strictObject({
    colPx: z.number().optional(),
    fileSheet: z.string().optional(),
    freezeCols: z.int().optional(),
    freezeRows: z.int().optional(),
    gridlines: z.boolean().optional(),
    hidden: z.union([z.boolean(), z.literal('veryHidden')]).optional(),
    rowPx: z.number().optional(),
    rtl: z.boolean().optional(),
    summaryBelow: z.boolean().optional(),
    summaryRight: z.boolean().optional(),
    tabColor: colorSchema.optional(),
    zoom: z.int().optional(),
  })
  .describe('What sheet.props set; all else is default');

export const sheetPropertiesSet = z.strictObject({ sheet, ...sheetPropertySchemas });

export const propsSet = z.strictObject({
  title: z.string().max(limits.titleLength).nullable().optional(),
  description: z.string().max(limits.commentLength).nullable().optional(),
  labels: z
    .array(z.string().min(1).max(limits.labelLength))
    .max(limits.labelCount)
    .nullable()
    .optional()
    .describe('All of them: what is left out is gone'),
});
