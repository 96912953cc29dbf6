import { z } from 'zod';

import { errorCodes } from './cell-value.ts';
import { isWireInput, type WireInput } from './input.ts';

const inputMeta = {
  id: 'Input',
  description:
    'Number, text, boolean, null, {"error":"#N/A"}, or a formula starting with =. A leading \' is dropped and keeps the rest as text; "" blanks the cell, and "\'" is a text of length zero',
  anyOf: [
    { type: 'number' },
    { type: 'string' },
    { type: 'boolean' },
    { type: 'null' },
    {
      type: 'object',
      properties: { error: { enum: errorCodes } },
      required: ['error'],
      additionalProperties: false,
    },
  ],
};

// A hand-written check: admission of a dense block spends a third of its time in a zod union.
export const inputSchema = z
  .unknown()
  .refine(isWireInput, 'not a number, text, boolean, null or {"error": code}')
  .meta(inputMeta) as z.ZodType<WireInput>;
