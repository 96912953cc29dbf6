import { z } from 'zod';

import { referenceTo } from '../../branches/place.ts';
import { cellName } from '../../model/address.ts';
import { parseRange, quoteSheet } from '../../model/range.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { anyValue, budget, nextCall, position, range, ref, workbook } from './arguments.ts';
import { Targets } from './targets.ts';
import { columnTypes, csvText, markdownText } from './grid-text.ts';
import {
  errorCells,
  headingsOf,
  readRanges,
  readRangeText,
  type ReadRange,
} from './range-reading.ts';
import { tool } from './tool.ts';
import { positionName } from './submitting.ts';

const rangesMost = 20;
const errorsMost = 20;

const input = z.strictObject({
  workbook,
  ranges: z
    .array(range)
    .min(1)
    .max(rangesMost)
    .describe('A1 ranges, of the first sheet or Sheet!A1:C9'),
  ref,
  lens: z
    .enum(['value', 'formula', 'both', 'input', 'formatted'])
    .default('value')
    .describe(
      'Computed values; formula texts; both; what was entered; or texts as a person sees them',
    ),
  format: z
    .enum(['rows', 'csv', 'markdown', 'cells'])
    .default('rows')
    .describe('rows: lists; csv and markdown: text; cells: only those that hold something'),
  max_cells: z.int().min(1).max(budget.cells).default(budget.cells),
});

const readRange = z.object({
  sheet: z.string(),
  range: z.string().describe('What was read of it'),
  rows: z.array(z.array(anyValue)).optional(),
  formulas: z
    .array(z.array(anyValue))
    .optional()
    .describe('With lens both; null where there is none'),
  csv: z.string().optional(),
  markdown: z.string().optional(),
  cells: z
    .array(z.object({ cell: z.string(), value: anyValue, formula: z.string().optional() }))
    .optional(),
  types: z
    .array(z.enum(['number', 'text', 'boolean', 'error', 'mixed', 'empty']))
    .optional()
    .describe('Of each column'),
  errors: z.array(z.object({ cell: z.string(), error: z.string() })).describe('The first of them'),
});

const output = z.object({
  ref: position,
  ranges: z.array(readRange),
  next: nextCall,
});

type Given = z.output<typeof input>;

export function rangeRead(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'range_read',
    title: 'Read ranges',
    description:
      'Reads cells at any position of a workbook. A result has at most 4,000 cells and about 40 KB; next has the arguments for the rest.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal }) => {
      const ranges = given.ranges.map((text, index) => readRangeText(text, `/ranges/${index}`));
      const place = await targets.place(given.workbook, given.ref, principal);
      const { lens, max_cells: cells } = given;
      const read = await readRanges(services, place, {
        ranges,
        lens,
        budget: { ...budget, cells },
      });
      const at = await positionName(services.branches, place, read.seq);
      const shown = read.ranges.map((one) => shownRange(one, given));
      const next =
        read.rest.length === 0
          ? null
          : {
              ...given,
              ref: referenceTo(place, read.seq),
              ranges: read.rest.slice(0, rangesMost),
            };
      const text = textOf(at, read.ranges, read.rest);
      return { shown: { ref: at, ranges: shown, next }, text, cells: read.cells };
    },
  });
}

export function shownRange(read: ReadRange, { lens, format }: Pick<Given, 'lens' | 'format'>) {
  const { sheet, range: name, rows, formulas } = read;
  const isValues = lens === 'value' || lens === 'both';
  const found = {
    sheet,
    range: name,
    ...(isValues && { types: columnTypes(rows) }),
    errors: errorCells(read, errorsMost),
  };
  const beside = formulas ? { formulas } : {};
  switch (format) {
    case 'rows':
      return { ...found, rows, ...beside };
    case 'csv':
      return { ...found, csv: csvText(rows), ...beside };
    case 'markdown':
      return { ...found, markdown: markdownText(rows, headingsOf(name)), ...beside };
    case 'cells':
      return { ...found, cells: filledCells(read) };
  }
}

function filledCells({ range: name, rows, formulas }: ReadRange) {
  const area = parseRange(name);
  const row0 = area?.row0 ?? 0;
  const column0 = area?.column0 ?? 0;
  return rows.flatMap((row, down) =>
    row.flatMap((value, right) => {
      if (value === null) return [];
      const formula = formulas?.[down]?.[right];
      const beside = typeof formula === 'string' ? { formula } : {};
      return [{ cell: cellName(row0 + down, column0 + right), value, ...beside }];
    }),
  );
}

/** Writes the ranges in lines, for models that are shown text alone. */
export function textOf(at: string, ranges: readonly ReadRange[], rest: readonly string[]): string {
  const parts = ranges.map(({ sheet, range: name, rows, formulas }) => {
    const heading = `${quoteSheet(sheet)}!${name} at ${at}`;
    const beside = formulas ? `\nformulas:\n${csvText(formulas)}` : '';
    return `${heading}\n${csvText(rows)}${beside}`;
  });
  const more = rest.length === 0 ? [] : [`More: read ${rest.join(', ')} with ref ${at}.`];
  return [...parts, ...more].join('\n\n');
}
