import { z } from 'zod';

import { Failure } from '../model/failure.ts';
import { payloadSchemas } from '../model/operation.ts';
import type { Operation } from '../model/operation.ts';
import { operationLimits as limits } from '../model/operation-limits.ts';
import { columnTypes } from '../model/table-column.ts';
import { tablePayloads } from '../model/payload-tables.ts';

const written = {
  writer: z.string().min(1).max(limits.writerLength).optional(),
  id: z
    .string()
    .min(1)
    .max(limits.operationIdLength)
    .optional()
    .describe('Of the operation: a repeat with it is done once'),
};

const { schema: listed } = payloadSchemas['table.create'].shape;
const column = listed.unwrap().shape.columns.element;

/** Columns by name: definitions, or only types. */
const named = z
  .record(z.string().min(1).max(255), z.union([z.enum(columnTypes), column.omit({ name: true })]))
  .describe('Columns by their names, from left to right: `{"price": "number"}`');

export const createBody = tablePayloads.create
  .extend({ schema: z.union([listed.unwrap(), named]).optional(), ...written })
  .meta({ id: 'TableCreation' });

type CreateBody = z.output<typeof createBody>;

export function createOperation({ writer: _writer, id, schema, ...rest }: CreateBody): Operation {
  const columns = schema === undefined ? undefined : columnsOf(schema);
  const payload = columns === undefined ? rest : { ...rest, schema: { columns } };
  return { ...(id !== undefined && { id }), kind: 'table.create', payload };
}

type Columns = z.output<typeof listed> extends (infer S) | undefined ? S : never;

/** Returns the columns of a schema that lists them or names them. */
export function columnsOf(schema: NonNullable<CreateBody['schema']>): z.output<typeof column>[] {
  if (isListed(schema)) return schema.columns;
  const columns = Object.entries(schema);
  const { length } = columns;
  if (length === 0 || length > limits.columnsPerTable) throw columnCount(length);
  return columns.map(([name, definition]) =>
    typeof definition === 'string' ? { name, type: definition } : { name, ...definition },
  );
}

/** Failure of a wrong number of columns in a record, which its schema cannot check. */
function columnCount(count: number): Failure {
  const message = `A table has 1 to ${limits.columnsPerTable} columns, and this schema names ${count}.`;
  return new Failure('invalidRequest', {
    detail: message,
    hint: 'Send {"price": "number"} with a member for each column, or {"columns": [{"name": "price"}]}.',
    errors: [{ pointer: '/schema', code: count === 0 ? 'too_small' : 'too_big', message }],
  });
}

function isListed(
  schema: object,
): schema is NonNullable<Columns> & { columns: z.output<typeof column>[] } {
  return 'columns' in schema && Array.isArray(schema.columns);
}

const { rename, columnAdd, columnDrop, columnRename, columnAlter, columnMove, keyChange } =
  tablePayloads;

const change = z.discriminatedUnion('change', [
  rename.omit({ table: true }).extend({ change: z.literal('rename') }),
  keyChange.omit({ table: true }).extend({ change: z.literal('key') }),
  columnAdd.omit({ table: true }).extend({ change: z.literal('column.add') }),
  columnDrop.omit({ table: true }).extend({ change: z.literal('column.drop') }),
  columnRename.omit({ table: true }).extend({ change: z.literal('column.rename') }),
  columnAlter.omit({ table: true }).extend({ change: z.literal('column.alter') }),
  columnMove.omit({ table: true }).extend({ change: z.literal('column.move') }),
]);

type Change = z.output<typeof change>;

const changesMost = 100;

export const alterBody = z
  .strictObject({
    name: rename.shape.name.optional().describe('A new name'),
    keyColumn: keyChange.shape.keyColumn.optional().describe('Another key'),
    changes: z
      .array(change)
      .max(changesMost)
      .optional()
      .describe('One after the other, before `name` and `keyColumn`: all of them or none'),
    ...written,
  })
  .meta({ id: 'TableChanges' });

const kinds = {
  rename: 'table.rename',
  key: 'table.key.change',
  'column.add': 'table.column.add',
  'column.drop': 'table.column.drop',
  'column.rename': 'table.column.rename',
  'column.alter': 'table.column.alter',
  'column.move': 'table.column.move',
} as const satisfies Record<Change['change'], Operation['kind']>;

/** The operation of a change, its place in the body, and the prefix of its pointers. */
interface AskedChange {
  readonly operation: Operation;
  readonly pointer: string;
  readonly base: string;
}

/** Makes an operation for each change. */
export function alterOperations(
  { changes = [], name, keyColumn, id }: z.output<typeof alterBody>,
  table: string,
): AskedChange[] {
  const listedChanges = changes.map((wanted, index) => ({
    operation: operationOf(wanted, table),
    pointer: `/changes/${index}`,
    base: `/changes/${index}`,
  }));
  const key = keyColumn === undefined ? [] : [operationOf({ change: 'key', keyColumn }, table)];
  const renamed = name === undefined ? [] : [operationOf({ change: 'rename', name }, table)];
  const all = [
    ...listedChanges,
    ...key.map((operation) => ({ operation, pointer: '/keyColumn', base: '' })),
    ...renamed.map((operation) => ({ operation, pointer: '/name', base: '' })),
  ];
  if (id === undefined) return all;
  return all.map(({ operation, ...places }, index) => {
    const own = index === 0 ? id : `${id}#${index}`;
    return { operation: { ...operation, id: own }, ...places };
  });
}

function operationOf({ change: what, ...payload }: Change, table: string): Operation {
  // Each change is the payload of its kind without the table.
  return { kind: kinds[what], payload: { table, ...payload } } as Operation;
}
