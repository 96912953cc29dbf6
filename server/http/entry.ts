import type { Addresses } from '../model/addresses.ts';
import { Failure } from '../model/failure.ts';
import { missingScopes } from '../model/scope.ts';
import type { Principal, Scope } from '../model/scope.ts';
import type { ResolveWorkbook } from './edge.ts';
import type { Incoming } from './incoming.ts';
import type { Host, Reply } from './route.ts';
import type { Match } from './router.ts';

/** Fails unless the credential has the scope that a route asks for. */
export function checkScope(principal: Principal, scope: Scope, { authUrl }: Addresses): void {
  const missing = missingScopes(principal, [scope]);
  if (missing.length === 0) return;
  throw new Failure('insufficientScope', {
    detail: `This needs the scope ${missing.join(', ')}; the credential has ${principal.scopes.join(', ')}.`,
    hint: `Claim this identity: POST ${authUrl}/agent/auth/claim {"claim_token","email"}.`,
    extra: { required: missing },
  });
}

/** The second form names the workbook by owner and space; it is resolved to the id here. */
export async function pathParams(
  { address, params }: Match,
  principal: Principal | undefined,
  resolve: ResolveWorkbook | undefined,
): Promise<{ params: Readonly<Record<string, string>> } | { movedTo: string }> {
  if (address === undefined) return { params };
  const id = principal && (await resolve?.(address.owner, address.space, principal));
  if (typeof id === 'object') return id;
  if (id === undefined) {
    throw new Failure('notFound', {
      detail: 'There is no workbook of this owner and name that you can see.',
      hint: 'GET /v1/workbooks lists yours.',
    });
  }
  return { params: { ...params, id } };
}

/** The reply that leads to the new address: method and body are to be sent again as they are. */
export function movedReply({ movedTo }: { movedTo: string }, { path, queryText }: Incoming): Reply {
  const rest = path.split('/').slice(4).join('/');
  const query = queryText === '' ? '' : `?${queryText}`;
  const Location = `${movedTo}${rest === '' ? '' : `/${rest}`}${query}`;
  return { status: 308, headers: { Location } };
}

/** Returns the answer to OPTIONS; fails where no route has the path, or none the method. */
export function unmatched(
  allowed: readonly string[],
  { headers, method, path }: Incoming,
  { host, addresses }: { readonly host: Host; readonly addresses: Addresses },
): Reply {
  if (allowed.length === 0) {
    throw new Failure('notFound', {
      detail: `No route has the path ${path.slice(0, 200)}.`,
      hint: `GET ${addresses.baseUrl}/openapi.json lists them all.`,
    });
  }
  const allow = allowed.join(', ');
  if (method === 'OPTIONS') return preflight(allow, host, headers);
  throw new Failure('methodNotAllowed', {
    detail: `${path.slice(0, 200)} takes ${allow}.`,
    headers: { Allow: allow },
  });
}

/** Headers that a page of another origin may send. */
const usualHeaders = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Prefer',
  'X-Request-Id',
  'Traceparent',
];

/** Returns the headers for parameters of MCP tools among those that a page asks for. */
function parameterHeaders(wanted = ''): string[] {
  return wanted
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^mcp-param-[\w-]{1,64}$/iu.test(name));
}

/** The answer to OPTIONS with these headers. */
function preflight(allow: string, host: Host, headers: ReadonlyMap<string, string>): Reply {
  if (host === 'site') return { status: 204, headers: { Allow: allow } };
  const wanted = headers.get('access-control-request-headers');
  return {
    status: 204,
    headers: {
      Allow: allow,
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': [...usualHeaders, ...parameterHeaders(wanted)].join(', '),
      'Access-Control-Max-Age': '86400',
    },
  };
}
