import { z } from 'zod';

import { foldName } from '../../model/names.ts';
import { inputSchema } from '../../model/input-schema.ts';
import type { WireInput } from '../../model/input.ts';
import type { TableSummary } from '../../state/structure/tables.ts';
import { cellText } from './grid-text.ts';
import { columnAt } from './table-lookup.ts';

export const conditions = z
  .array(
    z.strictObject({
      column: z.string().min(1).max(255),
      op: z.enum(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'in', 'blank']).default('eq'),
      value: inputSchema.optional(),
      values: z.array(inputSchema).max(1_000).optional().describe('Of in'),
    }),
  )
  .max(20);

export const ordering = z
  .array(z.strictObject({ column: z.string().min(1).max(255), desc: z.boolean().default(false) }))
  .max(10);

type Row = readonly WireInput[];
type Condition = z.output<typeof conditions>[number];

/** Says whether a row fulfils all conditions. */
export function rowFilter(table: TableSummary, where: readonly Condition[]): (row: Row) => boolean {
  const tests = where.map((condition, index) => {
    const at = columnAt(table, condition.column, `/where/${index}/column`);
    const fits = testOf(condition);
    return (row: Row) => fits(row[at] ?? null);
  });
  return (row) => tests.every((fits) => fits(row));
}

function testOf({ op, value = null, values = [] }: Condition): (cell: WireInput) => boolean {
  switch (op) {
    case 'blank':
      return (cell) => cell === null;
    case 'eq':
      return (cell) => isSame(cell, value);
    case 'ne':
      return (cell) => !isSame(cell, value);
    case 'in':
      return (cell) => values.some((one) => isSame(cell, one));
    case 'contains': {
      const part = foldName(cellText(value));
      return (cell) => cell !== null && foldName(cellText(cell)).includes(part);
    }
    default: {
      const fits = comparisons[op];
      return (cell) => isOrdered(cell, value) && fits(compareValues(cell, value));
    }
  }
}

const comparisons = {
  lt: (difference: number) => difference < 0,
  le: (difference: number) => difference <= 0,
  gt: (difference: number) => difference > 0,
  ge: (difference: number) => difference >= 0,
} as const;

/** Texts are the same whatever their case, as in the formula language. */
function isSame(a: WireInput, b: WireInput): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldName(a) === foldName(b);
  if (typeof a === 'object' && typeof b === 'object') return a?.error === b?.error;
  return a === b;
}

function isOrdered(a: WireInput, b: WireInput): boolean {
  return typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
}

/** Sorts as a spreadsheet does: numbers, texts, truth values, errors, and blanks at the end. */
export function rowOrder(
  table: TableSummary,
  order: z.output<typeof ordering>,
): ((a: Row, b: Row) => number) | undefined {
  if (order.length === 0) return undefined;
  const keys = order.map(({ column, desc }, index) => ({
    at: columnAt(table, column, `/order/${index}/column`),
    sign: desc ? -1 : 1,
  }));
  return (a, b) => {
    for (const { at, sign } of keys) {
      const [left, right] = [a[at] ?? null, b[at] ?? null];
      // Blanks stay at the end, whichever way the rest goes.
      if (left === null || right === null) {
        if (left === right) continue;
        return left === null ? 1 : -1;
      }
      const difference = compareValues(left, right);
      if (difference !== 0) return difference * sign;
    }
    return 0;
  };
}

const ranks = ['number', 'string', 'boolean', 'object'];

function compareValues(a: WireInput, b: WireInput): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') {
    const [left, right] = [foldName(a), foldName(b)];
    return left < right ? -1 : Number(left > right);
  }
  return ranks.indexOf(typeof a) - ranks.indexOf(typeof b);
}
