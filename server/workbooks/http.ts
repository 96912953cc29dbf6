import { z } from 'zod';

import { jsonType, msgpackTypes, ndjsonType } from '../http/negotiate.ts';
import { route, type FileBody, type Reply, type Route } from '../http/route.ts';
import { roles } from '../model/access.ts';
import { creationSchema, nameSchema, namespaceSchema, sheetsOf } from '../model/creation-schema.ts';
import type { FileReader } from '../model/file-reader.ts';
import type { InitialSheet } from '../model/initial-sheets.ts';
import type { LargeBodies } from '../model/large-bodies.ts';
import { bodyLimits, pages } from '../model/limits.ts';
import { sheetPropertiesSchema } from '../model/payload-lines.ts';
import type { Principal } from '../model/scope.ts';
import type { Beginning, CreatedWorkbook, CreationRequest, WorkbookCreation } from './creation.ts';
import { fileFormat, fileMediaTypes } from './file-format.ts';
import { listAsDropped } from './imported-part.ts';
import { beginWithSheets, refuseRejected } from './initial-sheets.ts';
import type { ListPage, WorkbookRegistry } from './registry.ts';
import type { RegisteredWorkbook } from './sql.ts';
import { addressPath, mainBranch, roleIn, type Workbook } from './workbook.ts';

export interface WorkbookServices {
  readonly registry: WorkbookRegistry;
  readonly creation: WorkbookCreation<unknown>;
  readonly files: FileReader;
  readonly bodies: LargeBodies;
}

const tag = 'Workbooks';

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
  properties: sheetPropertiesSchema,
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
const lifeCycle = {
  state: z.enum(['active', 'archived']),
  archived: z.boolean(),
  archivedAt: time.nullable(),
};
const otherOwner = z.string().optional().describe('Of one that somebody else owns');
const listed = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    namespace: z.string(),
    ...lifeCycle,
    updatedAt: time,
    ownerId: otherOwner,
    head: z.int(),
    role: z.enum(roles).optional(),
    cells: z.int().optional().describe('Of main, filled; in lists, once counted'),
    viaAgent: z.string().optional().describe('Your agent that owns it'),
  })
  .meta({ id: 'ListedWorkbook' });
const registered = z
  .strictObject({
    id: z.string(),
    namespace: z.string(),
    name: z.string(),
    address: z.string().describe('`{namespace}/{name}`'),
    path: z.string().describe('The address as a path, escaped: every route is also below it'),
    ...lifeCycle,
    createdAt: time,
    ownerId: otherOwner,
  })
  .meta({ id: 'RegisteredWorkbook' });

export const describedWorkbook = listed
  .extend({ branch: z.string(), createdAt: time })
  .meta({ id: 'Workbook' });

export function workbookRoutes(services: WorkbookServices): Route[] {
  return [createRoute(services), listRoute(services), getRoute(services), renameRoute(services)];
}

function createRoute({ creation, files, bodies }: WorkbookServices): Route {
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
    files: fileMediaTypes,
    largeBody: 'file',
    texts: 'cells',
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
    handler: async ({ principal, query, body, file, signal, keyed }) => {
      const asked = await askedFor({ files, bodies }, { query, body, file, signal });
      const settle = keyed?.settling(createdReply);
      return createdReply(await creation.create({ principal, ...asked, settle }));
    },
  });
}

interface CreationCall {
  readonly query: z.output<typeof creationQuery>;
  readonly body: z.output<typeof creationSchema> | undefined;
  readonly file: FileBody | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the content of a workbook: from a file, or from JSON that was read here or, where it is
 * large, in the pool.
 */
async function askedFor(
  { files, bodies }: Pick<WorkbookServices, 'files' | 'bodies'>,
  { query, body, file, signal }: CreationCall,
): Promise<Omit<CreationRequest, 'principal'>> {
  const { name, namespace } = { ...query, ...body };
  const format = file && bodyFormatOf(file);
  if (file && format !== undefined) {
    const { chunks } = file;
    const read = await bodies.readCreation({ chunks, format, rule: 'cells', signal });
    const { beginning, sheets } = read;
    return { ...named(query, read), beginning, whenRejected: refuseRejected(sheets) };
  }
  if (file) {
    const beginning = readFile(files, file, query);
    return { name, namespace, beginning, formulaOrigin: 'file', whenRejected: listAsDropped };
  }
  return { name, namespace, ...beginWithRows(body) };
}

function createdReply(value: CreatedWorkbook<unknown>): Reply {
  return { status: 201, headers: { Location: `/v1/workbooks/${value.id}` }, value };
}

function beginWithRows(
  body: z.output<typeof creationSchema> | undefined,
): Pick<CreationRequest, 'beginning' | 'whenRejected'> {
  const sheets: InitialSheet[] = sheetsOf(body ?? {});
  const names = sheets.map(({ name }) => name);
  return { beginning: beginWithSheets(sheets), whenRejected: refuseRejected(names) };
}

function bodyFormatOf({ mediaType }: FileBody): 'json' | 'msgpack' | undefined {
  if (mediaType === jsonType) return 'json';
  return msgpackTypes.includes(mediaType) ? 'msgpack' : undefined;
}

type Named = Pick<CreationRequest, 'name' | 'namespace'>;

/** Names in the body go before those in the query. */
function named(query: Partial<Named>, body: Named): Named {
  return { name: body.name ?? query.name, namespace: body.namespace ?? query.namespace };
}

function readFile(
  files: FileReader,
  file: FileBody,
  { sheet, delimiter, text }: z.output<typeof creationQuery>,
): Beginning {
  const rawText = text === 'true';
  return files.read(file.chunks, fileFormat(file), { sheet, delimiter, rawText });
}

const listQuery = z.strictObject({
  include: z.enum(['archived']).optional(),
  source: z
    .enum(['pg'])
    .optional()
    .describe('The registry: rows with `address` and `path`, sorted by address'),
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
    summary: 'List your workbooks, newest first, or their addresses',
    description: 'Archived workbooks are listed with `include=archived` only.',
    produces: [ndjsonType],
    request: { query: listQuery },
    responses: {
      200: {
        description: 'One page',
        schema: z.strictObject({
          total: z.int(),
          offset: z.int(),
          limit: z.int(),
          workbooks: z.union([z.array(listed), z.array(registered)]),
        }),
      },
    },
    handler: async ({ principal, query }): Promise<Reply> => {
      const { include, source, offset, limit } = query;
      const page = { includeArchived: include === 'archived', offset, limit };
      const read = source === 'pg' ? readAddresses : readWorkbooks;
      const { items, total } = await read(registry, principal, page);
      return { rows: { header: { total, offset, limit }, member: 'workbooks', items } };
    },
  });
}

async function readWorkbooks(registry: WorkbookRegistry, principal: Principal, page: ListPage) {
  const { workbooks, total } = await registry.list(principal, page);
  return {
    items: workbooks.map((one) => {
      const { cells, viaAgent } = one;
      return {
        ...factsOf(one, principal),
        ...(cells !== null && { cells }),
        ...(viaAgent !== null && { viaAgent }),
      };
    }),
    total,
  };
}

async function readAddresses(registry: WorkbookRegistry, principal: Principal, page: ListPage) {
  const { workbooks, total } = await registry.addresses(principal, page);
  return {
    items: workbooks.map((one) => ({ ...addressItem(one), ...ownerOf(one, principal) })),
    total,
  };
}

function getRoute({ registry }: WorkbookServices): Route {
  return route({
    host: 'api',
    method: 'GET',
    path: '/v1/workbooks/:id',
    scope: 'read',
    tag,
    summary: 'Get a workbook',
    description: '`slice` reads values, and the state of a branch names the sheets.',
    request: { params: z.strictObject({ id: z.string() }) },
    responses: {
      200: {
        description: 'The workbook',
        schema: describedWorkbook,
      },
    },
    handler: async ({ principal, params }) =>
      describedFor(principal)(await registry.get(params.id, principal)),
  });
}

const change = z.strictObject({ name: nameSchema.optional() });

function renameRoute({ registry }: WorkbookServices): Route {
  return route({
    host: 'api',
    method: 'PATCH',
    path: '/v1/workbooks/:id',
    scope: 'write',
    tag,
    summary: 'Rename a workbook',
    description: 'Its old address names nothing from then on; its id stays.',
    request: { params: z.strictObject({ id: z.string() }), body: change },
    example: { body: { name: 'budget 2027' } },
    responses: { 200: { description: 'The workbook', schema: describedWorkbook } },
    handler: async ({ principal, params: { id }, body: { name }, keyed }) => {
      const described = describedFor(principal);
      if (name !== undefined) {
        const settle = keyed?.settling(described);
        return described(await registry.rename(id, principal, { name, settle }));
      }
      await registry.writable(id, principal);
      return described(await registry.get(id, principal));
    },
  });
}

function lifeCycleOf({ archived, archivedAt }: Pick<Workbook, 'archived' | 'archivedAt'>) {
  const state = archived ? 'archived' : 'active';
  return { state, archived, archivedAt: archivedAt?.toISOString() ?? null };
}

function ownerOf({ ownerId }: { ownerId: string }, principal: Principal) {
  return ownerId === principal.userId ? {} : { ownerId };
}

function factsOf(workbook: Workbook, principal: Principal) {
  const { id, name, namespace, head, updatedAt } = workbook;
  const role = roleIn(workbook, principal.userId);
  return {
    id,
    name,
    namespace,
    ...lifeCycleOf(workbook),
    updatedAt: updatedAt.toISOString(),
    ...ownerOf(workbook, principal),
    head,
    ...(role && { role }),
  };
}

function addressItem(workbook: RegisteredWorkbook) {
  const { id, namespace, name, createdAt } = workbook;
  return {
    id,
    namespace,
    name,
    address: `${namespace}/${name}`,
    path: addressPath(workbook),
    ...lifeCycleOf(workbook),
    createdAt: createdAt.toISOString(),
  };
}

/** Returns what describes workbooks to a principal. */
export function describedFor(principal: Principal): (workbook: Workbook) => Reply {
  return (workbook) => {
    const { head, createdAt, updatedAt } = workbook;
    const value = {
      ...factsOf(workbook, principal),
      branch: mainBranch,
      createdAt: createdAt.toISOString(),
    };
    const role = roleIn(workbook, principal.userId) ?? '';
    return { value, etag: `${mainBranch}@${head}:${updatedAt.getTime()}${role}` };
  };
}
