import { z } from 'zod';

import type { BranchAddress } from '../../branches/journal-store.ts';
import type { SubmissionAnswer } from '../../branches/submission.ts';
import { readPathReference, type Place } from '../../branches/place.ts';
import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import { foldName } from '../../model/names.ts';
import { payloadSchemas, type Operation } from '../../model/operation.ts';
import { tablePayloads } from '../../model/payload-tables.ts';
import { addCounts, noRows } from '../../state/plan/row-counts.ts';
import { columnsOf, createBody, createOperation } from '../../tables/schema-body.ts';
import { submitForTable } from '../../tables/table-writer.ts';
import { operationCounts } from '../../tables/writing/operation-counts.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import {
  anyValue,
  branch,
  expectHead,
  idempotencyKey,
  position,
  workbook,
  writer,
} from './arguments.ts';
import { parseCsvRows } from './csv-rows.ts';
import { Targets } from './targets.ts';
import { requestOf } from './range-write.ts';
import { readTables, tableNamed } from './table-lookup.ts';
import { tool } from './tool.ts';
import { positionName } from './submitting.ts';

const made = payloadSchemas['table.create'].shape;
const written = payloadSchemas['rows.upsert'].shape;
const { onMissing } = tablePayloads.rowsDelete.shape;
const key = z.union([z.number(), z.string().min(1)]);
/** Rows left out that a result names. */
const rejectedMost = 100;

const create = z.strictObject({
  name: made.name,
  keyColumn: made.keyColumn,
  schema: createBody.shape.schema,
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
    .describe(
      'upsert: changes the rows whose key is there and adds the others; import: the table has these rows afterwards and no others; delete: rows of these keys',
    ),
  rows: written.rows.optional(),
  columns: written.columns,
  csv: z
    .string()
    .min(1)
    .optional()
    .describe('Instead of rows: CSV whose first line names the columns'),
  keys: z.array(key).min(1).max(100_000).optional().describe('Of delete'),
  on_invalid: written.onInvalid.describe(
    'Rows that do not fit: reject refuses all (default), skip leaves them out and lists them',
  ),
  on_missing: onMissing.describe(
    'Of delete, keys of no row: error refuses all (default), ignore deletes the others',
  ),
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
  rejected: z
    .array(
      z.object({
        row: z.int().describe('Place in what was sent, from 0'),
        key: anyValue,
        column: z.string().nullable(),
        code: z.string(),
        message: z.string(),
      }),
    )
    .describe(`Rows left out by on_invalid or on_missing, the first ${rejectedMost}`),
  rejected_count: z.int().describe('All of them; a repeat lists none'),
});

type Given = z.output<typeof input>;

export function tableWrite(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'table_write',
    title: 'Write rows of a table',
    description:
      'Makes a table, or adds, changes, replaces or deletes rows by their key. All of it is done, or nothing: a row that does not fit the schema refuses the call, which names it, unless on_invalid leaves such rows out.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async (given, { principal }) => {
      const named = nameOf(given);
      const { id } = await targets.branch(given.workbook, given.branch, principal);
      const head = await services.branches.locate(id, readPathReference(given.branch));
      const { address } = head;
      const ops = await operationsOf(services, head, { given, table: named });
      const request = {
        ...(await requestOf(services.branches, head, { given, principal, ops })),
        passesNoops: true,
      };
      const answer = await submitForTable(services.branches, address, {
        request,
        pointerOf: (index, within) => pointerInto(given, ops[index], within),
      }).catch(throwAboutCsv);
      const counted = await countRows(services, address, answer);
      const seq = answer.results.at(-1)?.seq ?? answer.lastSeq ?? answer.head;
      const place = { address, branch: given.branch, seq, isPinned: true };
      const { tables } = await readTables(services, place);
      const table = tableNamed(tables, named);
      const ref = await positionName(services.branches, head, seq);
      const created = given.create !== undefined;
      return {
        shown: { ref, table: { id: table.id, name: table.name }, created, ...counted },
        cells: counted.inserted + counted.updated,
      };
    },
  });
}

/** Returns the name of the table, existing or created by the call. */
function nameOf({ table, create: making }: Given): string {
  const named = making?.name ?? table;
  if (named !== undefined && !(making && table !== undefined)) return named;
  throw wrong('/table', 'Name a table that is there, or create one.');
}

interface Writing {
  readonly given: Given;
  readonly table: string;
}

async function operationsOf(
  services: McpServices,
  head: Place,
  { given, table }: Writing,
): Promise<Operation[]> {
  const { create: making } = given;
  const ops: Operation[] = making ? [creationOf(making)] : [];
  const filling = await fillingOf(services, head, { given, table });
  if (filling) return [...ops, filling];
  if (making) return ops;
  throw wrong('/rows', `${given.mode} needs rows, or csv.`);
}

/** Fails where the schema names no column or too many, and says so of the argument. */
function creationOf(making: NonNullable<Given['create']>): Operation {
  try {
    return createOperation(making);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const errors = error.errors.map((one) => ({ ...one, pointer: `/create${one.pointer}` }));
    throw new Failure(error.key, { detail: error.detail, errors, cause: error });
  }
}

/** Returns undefined where no rows are given. */
async function fillingOf(
  services: McpServices,
  head: Place,
  { given, table }: Writing,
): Promise<Operation | undefined> {
  const { mode, keys, on_invalid: onInvalid, on_missing: ifMissing } = given;
  checkParts(given);
  if (mode === 'delete') {
    if (!keys) throw wrong('/keys', 'delete needs the keys of the rows.');
    return {
      kind: 'rows.delete',
      payload: { table, keys, ...(ifMissing && { onMissing: ifMissing }) },
    };
  }
  const rows = await rowsOf(services, head, { given, table });
  if (!rows) return undefined;
  const payload = { table, ...rows, ...(onInvalid && { onInvalid }) };
  return mode === 'import' ? { kind: 'rows.import', payload } : { kind: 'rows.upsert', payload };
}

/** Fails for arguments that the mode does not use. */
function checkParts({ mode, ...given }: Given): void {
  const others =
    mode === 'delete'
      ? (['rows', 'csv', 'columns', 'on_invalid', 'create'] as const)
      : (['keys', 'on_missing'] as const);
  const unused = others.find((name) => given[name] !== undefined);
  if (unused !== undefined) {
    const wanted = mode === 'delete' ? 'keys' : 'rows or csv';
    throw wrong(`/${unused}`, `mode ${mode} takes ${wanted} and has no use for ${unused}.`);
  }
  if (given.csv === undefined) return;
  if (given.rows) throw wrong('/csv', 'Send rows or csv, not both.');
  if (given.columns) throw wrong('/columns', 'The first line of the csv names the columns.');
}

async function rowsOf(services: McpServices, place: Place, { given, table }: Writing) {
  const { rows, columns: named, csv } = given;
  if (csv === undefined) return rows && { rows, ...(named && { columns: named }) };
  const [head = [], ...lines] = parseCsvRows(csv, '/csv');
  const names = head.map((name) => (typeof name === 'string' ? name : ''));
  const known = given.create
    ? columnsOf(given.create.schema ?? { columns: [] })
    : tableNamed((await readTables(services, place)).tables, table).schema.columns;
  const textNames = new Set(
    known.flatMap(({ name, type }) => (type === 'text' ? [foldName(name)] : [])),
  );
  const areTexts = names.map((name) => textNames.has(foldName(name)));
  const read = lines.map((line) => line.map((field, at) => typed(field, areTexts[at] === true)));
  // A field of a file is never a formula.
  return { columns: names, rows: read, raw: true };
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A field of a CSV: plain numbers and booleans are those, but in a column of texts. */
function typed(field: WireInput, isText: boolean): WireInput {
  if (field === '') return null;
  if (typeof field !== 'string' || isText) return field;
  if (plainNumber.test(field) && Number.isFinite(Number(field))) return Number(field);
  const upper = field.toUpperCase();
  return upper === 'TRUE' || upper === 'FALSE' ? upper === 'TRUE' : field;
}

/** A pointer into the payload of an operation as one into the arguments that it was made of. */
function pointerInto(given: Given, op: Operation | undefined, within: string): string {
  if (op?.kind === 'table.create') return `/create${within}`;
  if (within === '/table') return given.create ? '/create/name' : '/table';
  if (given.csv === undefined) return within;
  return within.startsWith('/rows/') ? `/csv${within}` : '/csv';
}

function wrong(pointer: string, message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}`,
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

const csvPlace = /^\/csv\/rows\/(\d+)/;

/** A text has no pointers into it, so that the message says which of its rows is refused. */
function throwAboutCsv(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const [fault] = error.errors;
  const row = csvPlace.exec(fault?.pointer ?? '')?.[1];
  if (!fault || row === undefined) throw error;
  const message = `Row ${Number(row) + 1} after the header: ${fault.message}`;
  const errors = [{ ...fault, pointer: '/csv', message }];
  const hint = error.hint ?? 'Correct that row of the CSV.';
  throw new Failure(error.key, { detail: message, hint, errors, cause: error });
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
  const { inserted, updated, unchanged, deleted, rejectedCount } = sum;
  const rejected = sum.rejected.slice(0, rejectedMost);
  return { inserted, updated, unchanged, deleted, rejected, rejected_count: rejectedCount };
}
