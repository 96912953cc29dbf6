import { z } from 'zod';

import { Failure } from '../model/failure.ts';

const columnName = z.string().min(1).max(255);
const columnsMost = 8;
const blockingMost = 4;
const weight = z.number().min(0.01).max(100);

/** A side of a match as it is asked for: one column, or several that count together. */
export const sideSchema = z.strictObject({
  tableId: z.string().min(1).max(255).describe('Id or name of a table'),
  column: columnName.optional().describe('Name of a column'),
  columns: z
    .array(z.union([columnName, z.strictObject({ column: columnName, weight: weight.optional() })]))
    .min(1)
    .max(columnsMost)
    .optional()
    .describe('Instead of column: several, compared in pairs with those of the other side'),
  blocking: z
    .array(columnName)
    .min(1)
    .max(blockingMost)
    .optional()
    .describe('Columns that have to agree with those of the other side'),
});

export type AskedSide = z.output<typeof sideSchema>;

export interface WeightedColumn {
  readonly column: string;
  readonly weight: number;
}

/** A side with its defaults filled in: `column` where there is one alone. */
export interface MatchSide {
  readonly tableId: string;
  readonly column?: string;
  readonly columns?: readonly WeightedColumn[];
  readonly blocking?: readonly string[];
}

/** Names of the columns of a side, in their order. */
export function columnNames({ column, columns }: MatchSide): string[] {
  if (columns) return columns.map((one) => one.column);
  return column === undefined ? [] : [column];
}

/** How much each pair of columns counts. */
export function weightsOf({ columns }: MatchSide): number[] {
  return columns ? columns.map((one) => one.weight) : [1];
}

/** Both sides with their weights, or what is wrong with them. */
export function readSides(left: AskedSide, right: AskedSide): [left: MatchSide, right: MatchSide] {
  const [ofLeft, ofRight] = [listOf(left, '/left'), listOf(right, '/right')];
  if (ofLeft.length !== ofRight.length) {
    throw wrong('/right/columns', `has ${ofRight.length} columns and left has ${ofLeft.length}`);
  }
  const [own = 0, other = 0] = [left.blocking?.length, right.blocking?.length];
  if (own !== other) {
    throw wrong('/right/blocking', `has ${other} columns and left has ${own}`);
  }
  const weights = ofLeft.map(({ weight: first }, at) => {
    const second = ofRight[at]?.weight;
    if (first === undefined || second === undefined || first === second)
      return first ?? second ?? 1;
    throw wrong(`/right/columns/${at}/weight`, `is ${second} and that of left is ${first}`);
  });
  return [sideOf(left, ofLeft, weights), sideOf(right, ofRight, weights)];
}

interface Listed {
  readonly column: string;
  readonly weight?: number | undefined;
}

function listOf({ column, columns }: AskedSide, pointer: string): Listed[] {
  if (column !== undefined && columns !== undefined) {
    throw wrong(`${pointer}/columns`, 'stands beside column: name one of them');
  }
  if (columns) return columns.map((one) => (typeof one === 'string' ? { column: one } : one));
  if (column !== undefined) return [{ column }];
  throw wrong(`${pointer}/column`, 'is missing');
}

function sideOf(
  { tableId, column, blocking }: AskedSide,
  listed: readonly Listed[],
  weights: readonly number[],
): MatchSide {
  const named =
    column === undefined
      ? { columns: listed.map((one, at) => ({ column: one.column, weight: weights[at] ?? 1 })) }
      : { column };
  return { tableId, ...named, ...(blocking && { blocking }) };
}

function wrong(pointer: string, fault: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer} ${fault}.`,
    hint: 'Columns of both sides are compared in pairs, in their order.',
    errors: [{ pointer, code: 'invalid_request', message: fault }],
  });
}
