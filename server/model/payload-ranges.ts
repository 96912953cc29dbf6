import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';

// Payloads of operations on whole blocks of cells: copy, move, sort, shift, continue.

const text = (maximum: number) => z.string().max(maximum);
const sheet = text(64).min(1).optional().describe('Id or name of a sheet');
const range = text(2_048).min(1);
const source = range.describe('A1 range; may carry the sheet: Plan!B2:C4');
const toSheet = text(64).min(1).optional().describe('Sheet of `to`, when it is another one');
const row = z.int().min(1).max(1_048_576);
const column = z
  .union([
    z.int().min(1).max(16_384),
    z.string().regex(/^[A-Za-z]{1,3}$/u, 'not the letters of a column'),
  ])
  .describe('Column letters of the sheet, or its number from 1');

const series = z.strictObject({
  type: z
    .enum(['auto', 'copy', 'linear', 'growth', 'date'])
    .optional()
    .describe('Default auto: what the cells of the source look like'),
  step: z.number().optional().describe('What each further cell adds, or is multiplied by'),
  unit: z.enum(['day', 'weekday', 'month', 'year']).optional().describe('Of a date series'),
  stop: z.number().optional().describe('The series ends before it passes this number'),
});

export const rangeAutofill = z.strictObject({
  sheet,
  source,
  target: range.describe('The source and what continues it in one direction, or only the latter'),
  series: series.optional(),
});

export const rangeMove = z.strictObject({
  sheet,
  source,
  toSheet,
  to: range.describe('The first cell of the new place'),
});

export const rangeCopy = z.strictObject({
  sheet,
  source,
  toSheet,
  to: range.describe('The first cell of the copy, or an area that holds it several times'),
  paste: z
    .array(z.enum(['values', 'formulas', 'formats']))
    .min(1)
    .max(3)
    .optional()
    .describe('Default formulas (and constants) and formats'),
});

const sortKey = z.strictObject({
  col: column,
  desc: z.boolean().optional(),
  type: z
    .enum(['auto', 'number', 'text'])
    .optional()
    .describe('number reads texts as numbers, text numbers as texts; default auto: neither'),
});

export const rangeSort = z.strictObject({
  sheet,
  range: source,
  keys: z.array(sortKey).min(1).max(limits.sortKeys).optional(),
  header: z.boolean().optional().describe('The first row stays where it is'),
  order: z
    .array(row)
    .min(1)
    .optional()
    .describe('Instead of keys: numbers of rows in their new order; rows left out stay'),
});

export const rangeInsert = z.strictObject({
  sheet,
  range: source,
  shift: z.enum(['right', 'down']).describe('Where the cells that stand there go'),
});

export const rangeDelete = z.strictObject({
  sheet,
  range: source,
  shift: z.enum(['left', 'up']).describe('Where the cells beyond come from'),
});
