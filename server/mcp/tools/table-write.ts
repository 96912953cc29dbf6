import { z } from 'zod';

import type { BranchAddress } from '../../branches/journal-store.ts';
import type { SubmissionAnswer } from '../../branches/submission.ts';
import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import { payloadSchemas, type Operation } from '../../model/operation.ts';
import { referenceName } from '../../model/reference.ts';
import { addCounts, noRows } from '../../state/plan/row-counts.ts';
import { operationCounts } from '../../tables/writing/operation-counts.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { branch, expectHead, idempotencyKey, position, workbook, writer } from './arguments.ts';
import { parseCsvRows } from './csv-rows.ts';
import { Desk } from './desk.ts';
import { requestOf } from './range-write.ts';
import { readTables, tableNamed } from './table-lookup.ts';
import { tool } from './tool.ts';

const made = payloadSchemas['table.create'].shape;
const written = payloadSchemas['rows.upsert'].shape;
const key = z.union([z.number(), z.string().min(1)]);

const create = z.strictObject({
  name: made.name,
  keyColumn: made.keyColumn,
  schema: made.schema,
  sheetRange: made.sheetRange,
});

const input = z.strictObject({
  workbook,
  branch,
  table: z.string().min(1).max(255).optional().describe('Id or name of a table that is there'),
  create: create
    .optional()
    .describe('Instead of table: makes one first, {name, keyColumn, schema}'),
  mode: z
    .enum(['import', 'upsert', 'delete'])
    .default('upsert')
    .describe('upsert: by key; import: append; delete: rows of these keys'),
  rows: written.rows.optional(),
  columns: written.columns,
  csv: z
    .string()
    .min(1)
    .optional()
    .describe('Instead of rows: CSV whose first line names the columns'),
  keys: z.array(key).min(1).max(100_000).optional().describe('Of delete'),
  on_invalid: written.onInvalid,
  expect_head: expectHead,
  idempotency_key: idempotencyKey,
  writer,
});

const output = z.object({
  ref: position,
  table: z.object({ id: z.string(), name: z.string() }),
  created: z.boolean(),
  inserted: z.int(),
  updated: z.int(),
  unchanged: z.int().describe('Rows that had these values already'),
  deleted: z.int(),
  rejected: z.int().describe('Rows left out, with on_invalid'),
});

type Given = z.output<typeof input>;

export function tableWrite(services: McpServices): Tool {
  const desk = new Desk(services);
  return tool(services, {
    name: 'table_write',
    title: 'Write rows of a table',
    description:
      'Makes a table, or adds, changes or deletes rows by their key. All of it is done, or nothing. Rows that do not fit the schema are named.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    run: async (given, { principal }) => {
      const ops = operationsOf(given);
      const { id } = await desk.branch(given.workbook, given.branch, principal);
      const address = await services.branches.address(id, given.branch);
      const answer = await services.branches.submit(address, requestOf(given, principal, ops));
      const counted = await countRows(services, address, answer);
      const seq = answer.results.at(-1)?.seq ?? answer.lastSeq ?? answer.head;
      const place = { address, branch: given.branch, seq, isPinned: true };
      const { tables } = await readTables(services, place);
      const table = tableNamed(tables, given.create?.name ?? given.table ?? '');
      const ref = referenceName(given.branch, seq);
      const created = given.create !== undefined;
      return {
        shown: { ref, table: { id: table.id, name: table.name }, created, ...counted },
        cells: counted.inserted + counted.updated,
      };
    },
  });
}

function operationsOf(given: Given): Operation[] {
  const { table: named, create: making } = given;
  const table = making?.name ?? named;
  if (table === undefined || (making && named !== undefined)) {
    throw wrong('/table', 'Name a table that is there, or create one.');
  }
  const ops: Operation[] = making ? [{ kind: 'table.create', payload: making }] : [];
  const filling = fillingOf(given, table);
  if (filling) return [...ops, filling];
  if (making) return ops;
  throw wrong('/rows', `${given.mode} needs rows, or csv.`);
}

/** Undefined where no rows are given. */
function fillingOf(given: Given, table: string): Operation | undefined {
  const { mode, keys, on_invalid: onInvalid } = given;
  if (mode === 'delete') {
    if (!keys) throw wrong('/keys', 'delete needs the keys of the rows.');
    return { kind: 'rows.delete', payload: { table, keys } };
  }
  const rows = rowsOf(given);
  if (!rows) return undefined;
  const payload = { table, ...rows, ...(onInvalid && { onInvalid }) };
  return mode === 'import' ? { kind: 'rows.import', payload } : { kind: 'rows.upsert', payload };
}

function rowsOf({ rows: given, columns: named, csv }: Given) {
  if (csv === undefined) return given && { rows: given, ...(named && { columns: named }) };
  if (given) throw wrong('/csv', 'Send rows or csv, not both.');
  const [head = [], ...lines] = parseCsvRows(csv, '/csv');
  return { columns: head.map(String), rows: lines.map((line) => line.map(typed)) };
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A field of a CSV: plain numbers and truth values are those, everything else stays a text. */
function typed(field: WireInput): WireInput {
  if (typeof field !== 'string' || field === '') return field === '' ? null : field;
  if (plainNumber.test(field) && Number.isFinite(Number(field))) return Number(field);
  const upper = field.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return upper === 'TRUE';
  return field.startsWith('=') ? `'${field}` : field;
}

function wrong(pointer: string, message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}`,
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

/** Adds up the counts that the operations have; a repeat has those of the first time. */
async function countRows(
  { branches }: McpServices,
  address: BranchAddress,
  { results }: SubmissionAnswer,
) {
  let sum = noRows;
  for (const result of results) {
    sum = addCounts(sum, await operationCounts(branches, address, result));
  }
  const { inserted, updated, unchanged, deleted, rejectedCount: rejected } = sum;
  return { inserted, updated, unchanged, deleted, rejected };
}
