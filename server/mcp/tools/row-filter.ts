import { z } from 'zod';

import { Failure } from '../../model/failure.ts';
import { foldName } from '../../model/names.ts';
import { inputSchema } from '../../model/input-schema.ts';
import type { WireInput } from '../../model/input.ts';
import { readColumnValue, type ColumnDefinition } from '../../model/table-column.ts';
import type { TableSummary } from '../../state/structure/tables.ts';
import { cellText } from './grid-text.ts';
import { columnAt } from './table-lookup.ts';

export const conditions = z
  .array(
    z.strictObject({
      column: z.string().min(1).max(255),
      op: z.enum(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'in', 'blank']).default('eq'),
      value: inputSchema
        .optional()
        .describe('For a column of dates: 2026-01-31, 2026-01-31T14:30:00, or a day number'),
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
export function rowFilter(
  table: TableSummary,
  where: readonly Condition[],
  date1904: boolean,
): (row: Row) => boolean {
  const tests = where.map((condition, index) => {
    const at = columnAt(table, condition.column, `/where/${index}/column`);
    const column = table.schema.columns[at];
    const fits = testOf(column ? dated(condition, { column, index, date1904 }) : condition);
    return (row: Row) => fits(row[at] ?? null);
  });
  return (row) => tests.every((fits) => fits(row));
}

interface Asked {
  readonly column: ColumnDefinition;
  readonly index: number;
  readonly date1904: boolean;
}

/** Replaces texts in a condition on a column of dates by day numbers. */
function dated(condition: Condition, { column, index, date1904 }: Asked): Condition {
  const { op, value, values } = condition;
  const { type } = column;
  if ((type !== 'date' && type !== 'datetime') || op === 'contains') return condition;
  const read = (wire: WireInput, member: string): WireInput => {
    if (typeof wire !== 'string') return wire;
    const day = readColumnValue(
      wire,
      { name: column.name, type: 'datetime' },
      { raw: true, date1904 },
    );
    if (typeof day !== 'string' && typeof day.input === 'number') return day.input;
    throw noDate(column.name, `/where/${index}/${member}`);
  };
  return {
    ...condition,
    ...(value !== undefined && { value: read(value, 'value') }),
    ...(values && { values: values.map((one, at) => read(one, `values/${at}`)) }),
  };
}

function noDate(name: string, pointer: string): Failure {
  const message = `${name} holds dates: write 2026-01-31, 2026-01-31T14:30:00, or a day number.`;
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}`,
    hint: 'Correct the condition, or leave it out.',
    errors: [{ pointer, code: 'invalid_value', message }],
  });
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

/** Returns whether values are equal; texts regardless of case, as in formulas. */
function isSame(a: WireInput, b: WireInput): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldName(a) === foldName(b);
  if (typeof a === 'object' && typeof b === 'object') return a?.error === b?.error;
  return a === b;
}

function isOrdered(a: WireInput, b: WireInput): boolean {
  return typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
}

/** Sorts as a spreadsheet does: numbers, texts, booleans, errors, and blanks at the end. */
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
