import { z } from 'zod';

import { route, type Call, type FileBody, type Reply, type Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import type { WorkbookRegistry } from '../../workbooks/registry.ts';
import type { Admission } from './admission.ts';
import type { LinkServices } from '../links/http.ts';
import { reconciliationLimits as limits } from './limits.ts';
import { manifestOf, manifestSchema } from './manifest.ts';
import { isCallback, previewPage, previewPolicy, scriptOf } from './page.ts';
import { readBatch, readExtension } from './questions.ts';
import { typeOf, type Reconciliation } from './reconciliation.ts';
import type { ReconciliationLink } from './sql.ts';

export interface ReconciliationServices extends LinkServices {
  readonly registry: Pick<WorkbookRegistry, 'visible' | 'writable' | 'ownerOf'>;
  readonly reconciliation: Reconciliation;
  readonly admission: Admission;
}

const formType = 'application/x-www-form-urlencoded';
const scriptType = 'application/javascript';
const htmlType = 'text/html';
const root = '/v1/reconciliation/:token';
const params = z.strictObject({ token: z.string() });
const callback = z
  .string()
  .refine(isCallback, 'not the name of a function')
  .optional()
  .describe('Name of a function, for JSONP: the answer is a script that calls it');
const field = z.string().optional();
const shared = {
  host: 'api',
  scope: null,
  tag: 'Matching',
  limit: 'read',
  // OpenRefine's JSONP adds a parameter of its own.
  lenient: true,
  // A protocol of others, which its own manifest and docs/matching.md describe.
  hidden: true,
} as const;

const entity = z.object({ id: z.string(), name: z.string() });
const candidate = entity.extend({
  score: z.number().describe('From 0 to 100'),
  match: z.boolean().describe('True for one that no other rivals'),
  type: z.array(entity),
  features: z.array(z.object({ id: z.string(), value: z.union([z.number(), z.boolean()]) })),
});
const results = z
  .record(z.string(), z.object({ result: z.array(candidate) }))
  .meta({ id: 'ReconciliationResults' });
const extension = z
  .object({
    meta: z.array(entity),
    rows: z.record(z.string(), z.record(z.string(), z.array(z.record(z.string(), z.unknown())))),
  })
  .meta({ id: 'ReconciliationExtension' });
const answer = z.union([manifestSchema, results, extension]);

type Asked = Pick<Call<{ token: string }>, 'params'> & {
  readonly query: { readonly callback?: string | undefined };
};

export function reconciliationRoutes(services: ReconciliationServices): Route[] {
  return [
    askRoute(services),
    postRoute(services),
    suggestRoute(services),
    proposeRoute(services),
    previewRoute(services),
  ];
}

function askRoute(services: ReconciliationServices): Route {
  return route({
    ...shared,
    method: 'GET',
    path: root,
    summary: 'Reconciliation: describe the service, or answer queries',
    description:
      'The manifest of the Reconciliation Service API 0.2, or, with `queries` or `extend`, the answers to these. POST takes longer batches.',
    produces: [scriptType],
    request: { params, query: z.strictObject({ queries: field, extend: field, callback }) },
    responses: { 200: { description: 'The manifest or the answers', schema: answer } },
    handler: (call) =>
      serve(services, call, async (link) => {
        const { queries, extend } = call.query;
        if (queries !== undefined || extend !== undefined) {
          return answerOf(services, link, { queries, extend });
        }
        const table = await services.reconciliation.tableOf(link);
        return manifestOf(table, { token: call.params.token, baseUrl: services.baseUrl });
      }),
  });
}

function postRoute(services: ReconciliationServices): Route {
  return route({
    ...shared,
    method: 'POST',
    path: root,
    summary: 'Reconciliation: answer a batch of queries',
    description: `A form with \`queries\`, at most ${limits.queriesPerBatch} of them as JSON, or with \`extend\`: rows by their ids and the columns that are wanted.`,
    files: [formType],
    bodyLimitBytes: limits.bodyBytes,
    idempotency: 'none',
    request: { params },
    responses: { 200: { description: 'The answers', schema: z.union([results, extension]) } },
    handler: (call) =>
      serve(services, { params: call.params, query: {} }, (link) =>
        answerOf(services, link, fieldsOf(call.file)),
      ),
  });
}

function suggestRoute(services: ReconciliationServices): Route {
  const query = z.strictObject({
    prefix: z.string().max(limits.queryLength).default(''),
    cursor: z.coerce.number().int().min(0).max(limits.suggestionsSkipped).default(0),
    callback,
  });
  return route({
    ...shared,
    method: 'GET',
    path: `${root}/suggest/:kind`,
    summary: 'Reconciliation: suggest rows, columns or the table by how they begin',
    description: `\`kind\` is entity, property or type. At most ${limits.suggestions} at a time; \`cursor\` says how many to skip.`,
    produces: [scriptType],
    request: { params: params.extend({ kind: z.enum(['entity', 'property', 'type']) }), query },
    example: { query: 'prefix=nor' },
    responses: {
      200: {
        description: 'Suggestions',
        schema: z
          .object({ result: z.array(entity.extend({ notable: z.array(entity).optional() })) })
          .meta({ id: 'ReconciliationSuggestions' }),
      },
    },
    handler: (call) =>
      serve(services, call, async (link) => {
        const { prefix, cursor: skip } = call.query;
        const { reconciliation } = services;
        const { kind } = call.params;
        if (kind === 'entity')
          return { result: await reconciliation.suggest(link, { prefix, skip }) };
        const table = await reconciliation.tableOf(link);
        const columns = table.table.columns.map(({ name }) => ({ id: name, name }));
        const all = kind === 'type' ? [typeOf(table)] : columns;
        const folded = prefix.toLowerCase();
        const fitting = all.filter(({ name }) => name.toLowerCase().includes(folded));
        return { result: fitting.slice(skip, skip + limits.suggestions) };
      }),
  });
}

function proposeRoute(services: ReconciliationServices): Route {
  const query = z.strictObject({
    type: z.string().optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    callback,
  });
  return route({
    ...shared,
    method: 'GET',
    path: `${root}/properties`,
    summary: 'Reconciliation: list the columns that data can be extended with',
    description: 'Columns of the table in their order; their ids are their names.',
    produces: [scriptType],
    request: { params, query },
    responses: {
      200: {
        description: 'The columns',
        schema: z
          .object({ type: z.string(), properties: z.array(entity), limit: z.int() })
          .meta({ id: 'ReconciliationProperties' }),
      },
    },
    handler: (call) =>
      serve(services, call, async (link) => {
        const { limit } = call.query;
        const table = await services.reconciliation.tableOf(link);
        const columns = table.table.columns.slice(0, limit);
        const properties = columns.map(({ name }) => ({ id: name, name }));
        return { type: table.table.id, properties, limit };
      }),
  });
}

function previewRoute(services: ReconciliationServices): Route {
  return route({
    ...shared,
    method: 'GET',
    path: `${root}/preview`,
    summary: 'Reconciliation: show a row as a small page',
    description: 'For the frame that OpenRefine opens: nothing in it runs or is loaded.',
    produces: [htmlType],
    request: { params, query: z.strictObject({ id: z.string().max(limits.queryLength) }) },
    example: { query: 'id=C-4' },
    responses: { 200: { description: 'The page', types: [htmlType] } },
    handler: (call) =>
      opened(services, call.params.token, async (link): Promise<Reply> => {
        const row = await services.reconciliation.row(link, call.query.id);
        if (!row) throw new Failure('notFound', { detail: 'No row of the table has this id.' });
        const headers = { 'Content-Security-Policy': previewPolicy };
        return { bytes: previewPage(row), type: `${htmlType}; charset=utf-8`, headers };
      }),
  });
}

/** Runs a request for whoever has the address, as long as the workbook is there. */
async function opened(
  { links, registry, admission }: ReconciliationServices,
  token: string,
  run: (link: ReconciliationLink) => Promise<Reply>,
): Promise<Reply> {
  const link = await links.open(token);
  await registry.ownerOf(link.workbookId);
  return admission.run(link.id, () => run(link));
}

function serve(
  services: ReconciliationServices,
  { params: { token }, query }: Asked,
  run: (link: ReconciliationLink) => Promise<object>,
): Promise<Reply> {
  return opened(services, token, async (link) => {
    const value = await run(link);
    if (query.callback === undefined) return { value };
    return { bytes: scriptOf(query.callback, value), type: `${scriptType}; charset=utf-8` };
  });
}

interface Fields {
  readonly queries?: string | undefined;
  readonly extend?: string | undefined;
}

function answerOf(
  { reconciliation }: ReconciliationServices,
  link: ReconciliationLink,
  { queries, extend }: Fields,
): Promise<object> {
  if (queries !== undefined) return reconciliation.answer(link, readBatch(queries));
  if (extend !== undefined) return reconciliation.extend(link, readExtension(extend));
  throw noFields();
}

function fieldsOf(file: FileBody | undefined): Fields {
  if (!file) throw noFields();
  const form = new URLSearchParams(Buffer.from(file.bytes).toString('utf8'));
  return { queries: form.get('queries') ?? undefined, extend: form.get('extend') ?? undefined };
}

function noFields(): Failure {
  return new Failure('invalidRequest', {
    detail: 'The form has neither queries nor extend.',
    hint: `Send Content-Type: ${formType} with queries={"q0":{"query":"a name"}}, encoded.`,
    errors: [{ pointer: '/queries', code: 'required', message: 'Send this.' }],
  });
}
