import { z } from 'zod';

import { nameSchema, namespaceSchema } from '../../model/creation-schema.ts';
import { Failure } from '../../model/failure.ts';
import type { InitialSheet } from '../../model/initial-sheets.ts';
import type { WireInput } from '../../model/input.ts';
import { inputSchema } from '../../model/input-schema.ts';
import { operationLimits } from '../../model/operation-limits.ts';
import { payloadSchemas } from '../../model/operation.ts';
import { referenceName } from '../../model/reference.ts';
import type { RejectionError } from '../../model/rejection.ts';
import type { Beginning, CreationRequest } from '../../workbooks/creation.ts';
import { listAsDropped } from '../../workbooks/imported-part.ts';
import { beginWithSheets, refuseRejected } from '../../workbooks/initial-sheets.ts';
import { mainBranch, mainBranchNo } from '../../workbooks/workbook.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { position } from './arguments.ts';
import { parseCsvRows } from './csv-rows.ts';
import { readTables } from './table-lookup.ts';
import { tool } from './tool.ts';

const tablesMost = 20;

const sheet = z
  .strictObject({
    name: z.string().min(1).max(operationLimits.textLength),
    rows: z
      .array(z.array(inputSchema))
      .optional()
      .describe('From A1 on. A text with = is a formula; null leaves a cell blank'),
    csv: z
      .string()
      .optional()
      .describe(
        'Instead of rows: CSV, read as a person types it; a field that is no formula stays text',
      ),
  })
  .refine(({ rows, csv }) => rows === undefined || csv === undefined, 'has rows or csv, not both');

const input = z.strictObject({
  name: nameSchema.optional(),
  namespace: namespaceSchema.optional(),
  sheets: z
    .array(sheet)
    .max(operationLimits.sheetCount)
    .optional()
    .describe('Default: one, Sheet1'),
  tables: z
    .array(payloadSchemas['table.create'])
    .max(tablesMost)
    .optional()
    .describe('Tables over the cells of the sheets, or with a sheet of their own'),
  xlsx_base64: z
    .string()
    .optional()
    .describe('Instead of sheets and tables: an .xlsx file. Larger ones: POST /v1/workbooks'),
});

const output = z.object({
  id: z.string(),
  address: z.string(),
  ref: position,
  url: z.string().describe('Of the same over HTTP'),
  sheets: z.array(z.object({ name: z.string(), used: z.string().nullable() })),
  tables: z.array(z.object({ id: z.string(), name: z.string() })),
  dropped: z
    .array(z.looseObject({ what: z.string(), count: z.int(), why: z.string() }))
    .describe('What of a file could not be kept'),
});

type Given = z.output<typeof input>;

export function workbookCreate(services: McpServices): Tool {
  return tool(services, {
    name: 'workbook_create',
    title: 'Create a workbook',
    description:
      'Makes a workbook from rows, CSV, tables or an .xlsx file: all of it or nothing. Formulas are computed at once.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false },
    run: async (given, { principal }) => {
      await services.checkAccess(undefined, { action: 'create', hasBody: true }, principal);
      const { name, namespace } = given;
      const from = beginning(services, given);
      const made = await services.creation.create({ principal, name, namespace, ...from });
      const address = { workbookId: made.id, branchNo: mainBranchNo };
      const place = { address, branch: mainBranch, seq: made.head, isPinned: false };
      const { tables } = await readTables(services, place);
      const { sheets } = await services.branches.outline(address);
      const shown = {
        id: made.id,
        address: `${made.namespace}/${made.name}`,
        ref: referenceName(mainBranch, made.head),
        url: `${services.addresses.baseUrl}/v1/workbooks/${made.id}`,
        sheets: sheets.map((one) => ({ name: one.name, used: one.used })),
        tables: tables.map((table) => ({ id: table.id, name: table.name })),
        dropped: made.dropped.map((part) => ({ ...part })),
      };
      return { shown };
    },
  });
}

function beginning(
  { files, formulas }: McpServices,
  { sheets = [], tables = [], xlsx_base64: file }: Given,
): Pick<CreationRequest, 'beginning' | 'whenRejected' | 'formulaOrigin'> {
  if (file === undefined) {
    const initial = sheets.map((one, at) => sheetOf(one, at, formulas));
    const refuseCells = refuseRejected(initial.map(({ name }) => name));
    const whenRejected: CreationRequest['whenRejected'] = (operation, error) => {
      if (operation.kind === 'table.create')
        throw refusedTable(tables.indexOf(operation.payload), error);
      return refuseCells(operation, error);
    };
    return { beginning: sheetsThenTables(initial, tables), whenRejected };
  }
  if (sheets.length > 0 || tables.length > 0) {
    throw badFile('Send a file, or sheets and tables, not both.');
  }
  const bytes = Buffer.from(file, 'base64');
  if (bytes.length === 0) throw badFile('The file is empty, or is not written in base64.');
  const read = files.read([new Uint8Array(bytes)], 'xlsx', {});
  return { beginning: read, whenRejected: listAsDropped, formulaOrigin: 'file' };
}

/** Yields sheets before tables, which need their cells. */
async function* sheetsThenTables(
  sheets: readonly InitialSheet[],
  tables: NonNullable<Given['tables']>,
): Beginning {
  for await (const chunk of beginWithSheets(sheets)) yield chunk;
  if (tables.length > 0) yield tables.map((payload) => ({ kind: 'table.create', payload }));
  return { dropped: [] };
}

function refusedTable(
  index: number,
  { code, message, hint, pointer = '' }: RejectionError,
): Failure {
  const place = `/tables/${index}`;
  const errors = [{ pointer: place + pointer, code, message }];
  return new Failure('submissionRejected', { detail: `${place}: ${message}`, hint, errors });
}

function sheetOf(
  { name, rows, csv }: NonNullable<Given['sheets']>[number],
  at: number,
  formulas: McpServices['formulas'],
): InitialSheet {
  if (csv === undefined) return { name, rows };
  // As a file over HTTP: a field that is no formula stays what it is.
  const kept = (field: WireInput): WireInput =>
    isFormula(field) && !formulas.check(field, 'person').ok ? `'${field}` : field;
  const fields = parseCsvRows(csv, `/sheets/${at}/csv`);
  return { name, rows: fields.map((row) => row.map(kept)), parse: true };
}

function isFormula(field: WireInput): field is string {
  return typeof field === 'string' && field.length > 1 && field.startsWith('=');
}

function badFile(message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `/xlsx_base64: ${message}`,
    errors: [{ pointer: '/xlsx_base64', code: 'invalid_value', message }],
  });
}
