import { z } from 'zod';

import { operationLimits as limits } from './operation-limits.ts';

/** Members that payloads of many kinds have in common. */
export const sheetField = z.string().min(1).max(64).describe('Id or name of a sheet').optional();
export const a1Field = z.string().min(1).max(128).describe('A1 address of a cell');
export const rangeField = z
  .string()
  .min(1)
  .max(2_048)
  .describe('A1 range; may carry the sheet: Plan!B2:C4');
export const rangesField = z
  .array(rangeField)
  .min(1)
  .max(limits.areasPerRange)
  .describe('A1 ranges of one sheet; formulas are relative to the first cell of the first');

/** Ids that records have, or that a client gives them. */
export const recordIdField = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,63}$/u, 'not an id: a letter, then up to 63 letters, digits and _ . -')
  .describe('Of the record; made up when left out');

export const authorField = z
  .string()
  .min(1)
  .max(limits.writerLength)
  .describe('Who is shown as its author; the writer when left out');
