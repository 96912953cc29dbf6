import { z } from 'zod';

import { ndjsonType } from '../http/negotiate.ts';
import { route, type FileBody, type Reply, type Route } from '../http/route.ts';
import type { FileFormat, FileReader } from '../model/file-reader.ts';
import { bodyLimits, pages } from '../model/limits.ts';
import { inputSchema } from '../model/input-schema.ts';
import { operationLimits } from '../model/operation-limits.ts';
import type { Beginning, CreationRequest, WorkbookCreation } from './creation.ts';
import { listAsDropped } from './imported-part.ts';
import { beginWithSheets, refuseRejected } from './initial-sheets.ts';
import type { WorkbookRegistry } from './registry.ts';
import { mainBranch, type Workbook } from './workbook.ts';

export interface WorkbookServices {
  readonly registry: WorkbookRegistry;
  readonly creation: WorkbookCreation<unknown>;
  readonly files: FileReader;
}

const tag = 'Workbooks';

const formats: Readonly<Record<string, FileFormat>> = {
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'text/csv': 'csv',
};

const nameSchema = z
  .string()
  .min(1)
  .max(100)
  .describe('Unique in its namespace; made up if left out');
const namespaceSchema = z.string().min(1).max(100).describe('Your own, which is the default');

const initialSheet = z.strictObject({
  name: z.string().min(1).max(operationLimits.textLength),
  rows: z.array(z.array(inputSchema)).optional().describe('From A1 on; null leaves a cell blank'),
});

const creationSchema = z.strictObject({
  name: nameSchema.optional(),
  namespace: namespaceSchema.optional(),
  sheets: z
    .array(initialSheet)
    .max(operationLimits.sheetCount)
    .optional()
    .describe('One sheet called Sheet1 when left out'),
});

const creationQuery = z.strictObject({
  name: nameSchema.optional(),
  namespace: namespaceSchema.optional(),
  sheet: z.string().max(31).optional().describe('Name of the one sheet of a CSV file'),
  delimiter: z.string().length(1).optional().describe('Of a CSV file; found by itself otherwise'),
  text: z.enum(['true', 'false']).optional().describe('Keep the fields of a CSV file as text'),
});

const sheetSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  index: z.int(),
  rows: z.int(),
  columns: z.int(),
  used: z.string().nullable().describe('Tight range around all cells that are not blank'),
});

const created = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    namespace: z.string(),
    branch: z.string(),
    head: z.int(),
    sheets: z.array(sheetSchema),
    dropped: z.array(
      z.strictObject({
        what: z.string(),
        where: z.string().optional(),
        count: z.int(),
        why: z.string(),
      }),
    ),
  })
  .meta({ id: 'CreatedWorkbook' });

const time = z.string().meta({ format: 'date-time' });
const listed = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    namespace: z.string(),
    archived: z.boolean(),
    updatedAt: time,
  })
  .meta({ id: 'ListedWorkbook' });

export function workbookRoutes(services: WorkbookServices): Route[] {
  return [createRoute(services), listRoute(services), getRoute(services)];
}

function createRoute({ creation, files }: WorkbookServices): Route {
  return route({
    host: 'api',
    method: 'POST',
    path: '/v1/workbooks',
    scope: 'write',
    tag,
    summary: 'Create a workbook, empty, from rows, or from a file',
    description:
      'Send JSON, or a file with the Content-Type of .xlsx or .csv and the rest in the query. What of a file is not kept is listed in `dropped`.',
    bodyLimitBytes: bodyLimits.fileBytes,
    files: Object.keys(formats),
    bodyOptional: true,
    request: { query: creationQuery, body: creationSchema },
    example: {
      body: {
        name: 'budget',
        sheets: [
          {
            name: 'Plan',
            rows: [
              ['Rent', 1200],
              ['Total', '=B1'],
            ],
          },
        ],
      },
    },
    responses: { 201: { description: 'The new workbook', schema: created } },
    handler: async ({ principal, query, body, file }) => {
      const { name, namespace } = { ...query, ...body };
      const from = file
        ? { beginning: readFile(files, file, query), whenRejected: listAsDropped }
        : { beginning: beginWithSheets(body?.sheets ?? []), whenRejected: refuseRejected };
      const request: CreationRequest = { principal, name, namespace, ...from };
      const value = await creation.create(request);
      return { status: 201, headers: { Location: `/v1/workbooks/${value.id}` }, value };
    },
  });
}

function readFile(
  files: FileReader,
  { mediaType, bytes }: FileBody,
  { sheet, delimiter, text }: z.output<typeof creationQuery>,
): Beginning {
  const rawText = text === 'true';
  return files.read(bytes, formats[mediaType] ?? 'csv', { sheet, delimiter, rawText });
}

const listQuery = z.strictObject({
  include: z.enum(['archived']).optional(),
  source: z.enum(['pg']).optional().describe('The registry of {namespace}/{name} addresses'),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(pages.listMost).default(pages.listDefault),
});

function listRoute({ registry }: WorkbookServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks',
    scope: 'read',
    tag,
    summary: 'List your workbooks, newest first',
    produces: [ndjsonType],
    request: { query: listQuery },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          total: z.int(),
          offset: z.int(),
          limit: z.int(),
          workbooks: z.array(listed),
        }),
      },
    },
    handler: async ({ principal, query }): Promise<Reply> => {
      const { include, offset, limit } = query;
      const includeArchived = include === 'archived';
      const { workbooks, total } = await registry.list(principal, {
        includeArchived,
        offset,
        limit,
      });
      const items = workbooks.map(({ id, name, namespace, archived, updatedAt }) => {
        return { id, name, namespace, archived, updatedAt: updatedAt.toISOString() };
      });
      return { rows: { header: { total, offset, limit }, member: 'workbooks', items } };
    },
  });
}

function getRoute({ registry }: WorkbookServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id',
    scope: 'read',
    tag,
    summary: 'One workbook',
    request: { params: z.strictObject({ id: z.string() }) },
    responses: {
      200: {
        description: 'The workbook',
        schema: listed.extend({ branch: z.string(), head: z.int(), createdAt: time }),
      },
    },
    handler: async ({ principal, params }) => describe(await registry.get(params.id, principal)),
  });
}

function describe(workbook: Workbook): Reply {
  const { id, name, namespace, archived, head, createdAt, updatedAt } = workbook;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  const value = { id, name, namespace, archived, branch: mainBranch, head, ...times };
  return { value, etag: `${mainBranch}@${head}:${updatedAt.getTime()}` };
}
