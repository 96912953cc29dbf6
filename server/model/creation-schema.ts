import { z } from 'zod';

import { inputSchema } from './input-schema.ts';
import { operationLimits } from './operation-limits.ts';

export const nameSchema = z
  .string()
  .min(1)
  .max(100)
  .describe('Unique in its namespace; made up if left out');
export const namespaceSchema = z
  .string()
  .min(1)
  .max(100)
  .describe('Your own, which is the default');

const reading = {
  raw: z.boolean().optional().describe('Strings are text, whatever they start with'),
  parse: z.boolean().optional().describe('Strings are read as a person types them'),
};

const initialSheet = z.strictObject({
  name: z.string().min(1).max(operationLimits.textLength),
  rows: z.array(z.array(inputSchema)).optional().describe('From A1 on; null leaves a cell blank'),
  ...reading,
});

/** The body of POST /v1/workbooks. */
export const creationSchema = z.strictObject({
  name: nameSchema.optional(),
  namespace: namespaceSchema.optional(),
  sheets: z
    .array(initialSheet)
    .max(operationLimits.sheetCount)
    .optional()
    .describe('One sheet called Sheet1 when left out'),
  ...reading,
});

/** Fills in reading options that a sheet leaves out with those of the request. */
export function sheetsOf<Sheet extends Reading>({
  raw,
  parse,
  sheets = [],
}: Reading & { readonly sheets?: readonly Sheet[] | undefined }): (Sheet & Reading)[] {
  return sheets.map((sheet) => ({
    ...sheet,
    raw: sheet.raw ?? raw,
    parse: sheet.parse ?? parse,
  }));
}

interface Reading {
  readonly raw?: boolean | undefined;
  readonly parse?: boolean | undefined;
}
