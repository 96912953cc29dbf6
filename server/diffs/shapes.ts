import { z } from 'zod';

// Schemas of the answers, for the reference.

const position = z.strictObject({ branch: z.string(), seq: z.int() });
const change = z.enum(['added', 'modified', 'removed']);
const input = z
  .union([z.number(), z.string(), z.boolean(), z.null(), z.strictObject({ error: z.string() })])
  .describe('As `cells.set` takes it');
const any = z.unknown();
const count = z.int();

const side = z
  .strictObject({
    input,
    array: z.string().optional(),
    legacy: z.literal(true).optional(),
    value: any.optional().describe('With values=true'),
    text: z.string().optional(),
  })
  .nullable();

const writtenBy = {
  by: z
    .string()
    .optional()
    .describe('Name of who wrote it, where the journal says it within reach'),
  actor: z.string().optional().describe('Id of the same'),
  writer: z.string().optional().describe('Name that the client wrote under, of its own choice'),
  at: z.string().optional().describe('The operation, as branch@seq; not of a deleted branch'),
};

const origin = {
  ...writtenBy,
  merge: z
    .strictObject({ id: z.string(), ...writtenBy })
    .optional()
    .describe('The merge by which it came to this branch'),
};

const cell = z.strictObject({
  sheet: z.string(),
  a1: z
    .strictObject({ from: z.string().nullable(), to: z.string().nullable() })
    .describe('Where it stands on each side; null where its row or column is not there'),
  row: z.string().describe('Id of the row, the same on both sides'),
  col: z.string(),
  change,
  before: side,
  after: side,
  cause: z.enum(['edited', 'moved']),
  ...origin,
});

const collapsed = z.strictObject({
  sheet: z.string(),
  range: z.string(),
  change,
  formula: z.string().nullable().describe('In R1C1; null where it is no formula'),
  count,
  before: any.describe('`mixed` where the cells held different things'),
  after: any,
  cause: z.enum(['edited', 'moved']).optional(),
  ...origin,
});

const value = z.strictObject({
  sheet: z.string(),
  a1: z.string(),
  before: any,
  after: any,
  cause: z.enum(['edited', 'moved', 'recalculated']),
  beforeText: z.string().optional(),
  afterText: z.string().optional(),
  via: z.array(z.string()).optional().describe('Cells it reads whose values differ, some of them'),
});

const others = z.record(z.string(), any);

export const diffSummary = z.strictObject({
  cells: count,
  cellsAdded: count,
  cellsModified: count,
  cellsRemoved: count,
  rowsInserted: count,
  rowsDeleted: count,
  rowsMoved: count,
  colsInserted: count,
  colsDeleted: count,
  colsMoved: count,
  sheets: count,
  formats: count,
  names: count,
  tables: count,
  records: count,
  properties: count,
  settings: count,
  values: count.optional(),
});

const diffHead = z.strictObject({
  from: position,
  to: position,
  relation: z
    .enum(['same', 'ahead', 'behind', 'diverged'])
    .describe('Of `to`, as seen from `from`'),
  base: z
    .strictObject({ branch: z.string().nullable(), seq: z.int() })
    .nullable()
    .describe('The last position that both have in common'),
  summary: diffSummary.describe('Of the whole diff, not of the page'),
});

const diffPage = diffHead
  .extend({
    total: count,
    offset: count,
    limit: count,
    structure: z.array(others).describe('`op` says what: rows.insert, cols.move, sheet.rename, …'),
    cells: z.array(cell),
    collapsed: z.array(collapsed).describe('Cells with the same formula, one entry for all'),
    values: z.array(value).optional().describe('With values=true'),
    formats: z.array(others).describe('Properties that differ, before and after'),
    names: z.array(others),
    tables: z.array(others).describe('`changes` leads to the rows'),
    records: z.array(others).describe('Notes, rules, links, charts, …'),
    properties: z.array(others).describe('Of rows, columns and sheets'),
    settings: z.array(others),
    styles: z.array(others),
    policy: z.array(others).describe('Of the branch $settings'),
    next: z.string().nullable().describe('The address of the next page'),
  })
  .meta({ id: 'DiffPage' });

const daffTables = diffHead
  .extend({
    tables: z.array(others).describe('A sheet and its rows'),
  })
  .meta({ id: 'DaffTables', description: 'With format=daff' });

export const diffAnswer = z.union([diffPage, daffTables]);

const row = z.record(z.string(), input).nullable();

const tableChangesHead = z.strictObject({
  from: position,
  to: position,
  table: z.string(),
  name: z.string(),
  key: z.string().nullable().describe('The key column; rows are known by themselves without'),
  change: change.nullable().describe('Of the table itself; null where nothing differs'),
  schema: z.array(others),
  total: count,
});

export const tableChangesStat = tableChangesHead
  .extend({ added: count, modified: count, removed: count })
  .meta({ id: 'TableChangesStat' });

export const tableChangesPage = tableChangesHead
  .extend({
    offset: count,
    limit: count,
    next: z.string().nullable(),
    changes: z.array(
      z.strictObject({
        key: input,
        change,
        before: row,
        after: row,
        columns: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'TableChangesPage' });
