import { z } from 'zod';

import { inputSchema } from './input-schema.ts';
import { isWireInput, type WireInput } from './input.ts';
import { operationLimits as limits } from './operation-limits.ts';
import { columnTypes } from './table-column.ts';

// Payloads of the kinds that make, change and fill tables.

const text = (maximum: number) => z.string().max(maximum);
const table = text(255).min(1).describe('Id or name of a table');
const name = text(255).min(1);
const column = name.describe('Name of a column');
const formula = text(limits.formulaLength).min(2);
const allowed = z.array(inputSchema).min(1).max(1_000);

const definition = {
  type: z.enum(columnTypes).optional().describe('Default any'),
  nullable: z.boolean().optional().describe('Default true'),
  default: inputSchema.optional().describe('Of new rows'),
  enum: allowed.optional().describe('The only values there may be'),
  formula: formula
    .optional()
    .describe('Calculated in every row: [@Price]*[@Count]. Cells it names are absolute: Plan!$B$1'),
};

const columnDefinition = z.strictObject({ name, ...definition }).meta({ id: 'TableColumn' });

export const tableStyle = z
  .strictObject({
    name: text(255).min(1).optional().describe('For example TableStyleMedium2'),
    firstColumn: z.boolean().optional(),
    lastColumn: z.boolean().optional(),
    rowStripes: z.boolean().optional(),
    columnStripes: z.boolean().optional(),
  })
  .describe('How spreadsheet programs paint it')
  .meta({ id: 'TableStyle' });

export type TableStyle = z.output<typeof tableStyle>;

const create = z.strictObject({
  name,
  sheetRange: text(2_048)
    .min(1)
    .optional()
    .describe('Cells that are there, header and totals included; default a sheet of its own'),
  keyColumn: column.optional(),
  schema: z
    .strictObject({
      columns: z.array(columnDefinition).min(1).max(limits.columnsPerTable),
    })
    .optional()
    .describe('The columns from left to right; without it the header cells name them'),
  headerRow: z.boolean().optional().describe('Default true'),
  totalsRow: z.boolean().optional().describe('Default false'),
  style: tableStyle.optional(),
});

const drop = z.strictObject({
  table,
  keepCells: z
    .boolean()
    .optional()
    .describe('Default: those of a table with a sheet of its own go with it, all others stay'),
});

const place = {
  before: column.optional(),
  after: column.optional().describe('Default: the last column'),
};

const columnAlter = z.strictObject({
  table,
  column,
  type: z.enum(columnTypes).optional(),
  nullable: z.boolean().optional(),
  default: inputSchema.optional().describe('Null takes it away'),
  enum: allowed.nullable().optional().describe('Null takes it away'),
  formula: formula.nullable().optional().describe('Null takes it away; the cells stay'),
});

/** A row by the names of its columns, or in the order that `columns` gives them. */
export type TableRow = Readonly<Record<string, WireInput>> | readonly WireInput[];

export function isRowList(row: TableRow): row is readonly WireInput[] {
  return Array.isArray(row);
}

const rowsMeta = {
  description: 'Rows by the names of their columns, or lists in the order of `columns`',
  type: 'array',
  maxItems: limits.rowsPerOperation,
  items: { anyOf: [{ type: 'object' }, { type: 'array' }] },
} as const;

// By hand, as inputs are: ten thousand rows are a hundred thousand of them.
const rows = z
  .unknown()
  .superRefine((value, context) => {
    const fault = rowsFault(value);
    if (fault) context.addIssue({ code: 'custom', ...fault });
  })
  .meta(rowsMeta) as z.ZodType<readonly TableRow[]>;

interface RowsFault {
  readonly path: (string | number)[];
  readonly message: string;
}

function rowsFault(value: unknown): RowsFault | undefined {
  if (!Array.isArray(value)) return { path: [], message: 'not a list of rows' };
  if (value.length > limits.rowsPerOperation) {
    return { path: [], message: `at most ${limits.rowsPerOperation} rows` };
  }
  let cellCount = 0;
  let characterCount = 0;
  for (const [index, row] of value.entries()) {
    if (typeof row !== 'object' || row === null) {
      return { path: [index], message: 'a row is an object or a list' };
    }
    const members = row as Record<string, unknown>;
    for (const member in members) {
      const input = members[member];
      if (!isWireInput(input)) {
        const message = 'not a number, text, boolean, null or {"error": code}';
        return { path: [index, Array.isArray(row) ? Number(member) : member], message };
      }
      cellCount++;
      if (typeof input === 'string') characterCount += input.length;
    }
  }
  return sizeFault(cellCount, characterCount);
}

function sizeFault(cellCount: number, characterCount: number): RowsFault | undefined {
  if (cellCount > limits.cellsPerRowsOperation) {
    return { path: [], message: `at most ${limits.cellsPerRowsOperation} values: send several` };
  }
  if (characterCount <= limits.charactersPerRowsOperation) return undefined;
  const most = limits.charactersPerRowsOperation;
  return { path: [], message: `at most ${most} characters of text: send several` };
}

const written = {
  table,
  columns: z
    .array(column)
    .min(1)
    .max(limits.columnsPerTable)
    .optional()
    .describe('What the rows that are lists hold; default all columns from left to right'),
  rows,
  raw: z.boolean().optional().describe('Strings are text, whatever they start with'),
  onInvalid: z
    .enum(['reject', 'skip'])
    .optional()
    .describe('Rows that do not fit the schema: reject the operation (default) or leave them out'),
};

/** Payloads by what they do; operation.ts gives them their kinds. */
export const tablePayloads = {
  create,
  drop,
  rename: z.strictObject({ table, name }),
  columnAdd: z.strictObject({ table, column, ...definition, ...place }),
  columnDrop: z.strictObject({ table, column }),
  columnRename: z.strictObject({ table, column, name }),
  columnAlter,
  columnMove: z.strictObject({ table, column, ...place }),
  keyChange: z.strictObject({ table, keyColumn: column }),
  rowsImport: z.strictObject(written),
  rowsUpsert: z.strictObject(written),
  rowsDelete: z.strictObject({
    table,
    keys: z
      .array(z.union([z.number(), text(limits.textLength).min(1)]))
      .min(1)
      .max(limits.rowsPerOperation),
    onMissing: z
      .enum(['error', 'ignore'])
      .optional()
      .describe('Keys of no row: reject the operation (default) or do the others'),
  }),
};
