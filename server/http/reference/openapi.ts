import { createDocument } from 'zod-openapi';
import type {
  oas31,
  ZodOpenApiContentObject,
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { z } from 'zod';

import type { Addresses } from '../../model/addresses.ts';
import { jsonType, msgpackTypes } from '../negotiate.ts';
import { problemSchema } from '../problem-schema.ts';
import type { ResponseDocument, Route } from '../route.ts';
import { parameterWords, tagWords } from './words.ts';

export type OpenApiDocument = oas31.OpenAPIObject;

/** Needed by every operation that does not say otherwise. */
const bearer = [{ bearer: [] }];

const identityFailure = z
  .looseObject({
    ok: z.literal(false),
    error: z.string(),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'IdentityFailure' });

/** The table as OpenAPI 3.1. Made once: the table does not change while the service runs. */
export function openApiDocument(
  routes: readonly Route[],
  addresses: Addresses,
  version: string,
): OpenApiDocument {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of routes) {
    if (route.hidden === true) continue;
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, addresses) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Quire',
        version,
        description: introduction,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: addresses.baseUrl }],
      tags: [...new Set(routes.map(({ tag }) => tag))].map(tagOf),
      paths,
      security: bearer,
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    { allowEmptySchema: { custom: true, unknown: true, any: true, transform: true, pipe: true } },
  );
  describeParameters(document);
  return document;
}

function tagOf(name: string): { name: string; description?: string } {
  const description = tagWords[name];
  return { name, ...(description !== undefined && { description }) };
}

/** Gives the parameters that say nothing of themselves the words that they have in all routes. */
function describeParameters(document: OpenApiDocument): void {
  const operations = Object.values(document.paths ?? {}).flatMap((item) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).map((method) => item[method]),
  );
  for (const parameter of operations.flatMap((each) => each?.parameters ?? [])) {
    if (!('name' in parameter)) continue;
    const words = parameterWords[parameter.name];
    if (words !== undefined) parameter.description ??= words;
    const { schema } = parameter;
    // Said of the parameter, it need not be said again of its value.
    if (!schema || '$ref' in schema) continue;
    const { description: _, ...bare } = schema;
    parameter.schema = bare;
  }
}

const introduction =
  'A versioned workbook service. Register with `POST /agent/auth`, send the credential as `Authorization: Bearer`, and every workbook route takes the second form `/v1/{owner}/{space}/…` as well. Bodies and answers are JSON, or the same as msgpack by Content-Type and Accept; bodies with unknown members are refused, and answers may gain members. Errors are RFC 9457 problem documents whose `hint` names the next call.';

export function openApiPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}');
}

function operation(route: Route, addresses: Addresses): ZodOpenApiOperationObject {
  const { params, query } = route.request;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    ...serversOf(route, addresses),
    ...(route.scope === null ? { security: [] } : { 'x-scope': route.scope }),
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...requestBody(route),
    responses: { ...responses(route), ...failuresOf(route) },
  };
}

/**
 * Servers of a route: where the identity service has an address of its own, its routes are there
 * and nowhere else.
 */
function serversOf(
  { host }: Route,
  { baseUrl, authUrl }: Addresses,
): Pick<ZodOpenApiOperationObject, 'servers'> {
  return host === 'auth' && authUrl !== baseUrl ? { servers: [{ url: authUrl }] } : {};
}

/** `getWorkbooksSlice`: method and fixed segments; a parameter at the end adds `ById`. */
export function operationId(route: Route): string {
  const segments = route.path.split('/').filter((segment) => segment !== '' && segment !== 'v1');
  const words = segments
    .filter((segment) => !segment.startsWith(':') && segment !== '*')
    .flatMap((segment) => segment.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '');
  const name = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  const endsInParameter = /^[:*]/.test(segments.at(-1) ?? '');
  return `${route.method.toLowerCase()}${name}${endsInParameter ? 'ById' : ''}`;
}

function requestBody(route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  const { body } = route.request;
  if (body === undefined && route.files === undefined) return {};
  const content: ZodOpenApiContentObject = {};
  if (body !== undefined) {
    const example = route.example?.body;
    content[jsonType] = { schema: body, ...(example !== undefined && { example }) };
    if (route.host === 'api') content[msgpackTypes[0] ?? ''] = {};
  }
  for (const type of route.files ?? []) {
    content[type] = {};
  }
  return { requestBody: { content, ...(route.bodyOptional !== true && { required: true }) } };
}

function responses(route: Route): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, document]) => [
      status,
      response(route, status === '200' ? inAllTypes(route, document) : document),
    ]),
  );
}

/** Accept chooses between the types of a route where there is something to answer. */
function inAllTypes({ produces = [] }: Route, document: ResponseDocument): ResponseDocument {
  if (document.schema === undefined) return document;
  return { ...document, types: [...new Set([...produces, ...(document.types ?? [])])] };
}

function response(route: Route, document: ResponseDocument): ZodOpenApiResponseObject {
  const content: ZodOpenApiContentObject = {};
  const { schema, example, types = [] } = document;
  if (schema !== undefined) {
    content[jsonType] = { schema, ...(example !== undefined && { example }) };
    if (route.host === 'api') content[msgpackTypes[0] ?? ''] = {};
  }
  for (const type of types) content[type] = {};
  const { description } = document;
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

function failuresOf(route: Route): Record<string, ZodOpenApiResponseObject> {
  const isIdentity = route.host === 'auth';
  const schema = isIdentity ? identityFailure : problemSchema;
  const content = { [isIdentity ? jsonType : 'application/problem+json']: { schema } };
  if (route.scope === null) return { default: { description: 'Failure', content } };
  const headers = { 'WWW-Authenticate': { schema: { type: 'string' } } } as const;
  const description = 'Failure: 401 without a valid credential, 403 without the scope of `x-scope`';
  return { default: { description, content, headers } };
}
