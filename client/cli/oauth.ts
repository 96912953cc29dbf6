import { Problem } from '../library/quire.ts';
import type { Grant, Profile } from './credentials.ts';
import { plainFetch } from './plain-fetch.ts';
import { exitCodes, Stop } from './stop.ts';

/** Members of the server's metadata that signing in uses (RFC 8414). */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly revocation_endpoint: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** Finds the authorization server of a service from the service's address (RFC 9728, RFC 8414). */
export async function discover(url: string, signal: AbortSignal): Promise<AuthorizationServer> {
  const base = url.replace(/\/+$/, '');
  const resource = `${base}/.well-known/oauth-protected-resource`;
  const { authorization_servers: servers } = (await read(resource, signal)) as {
    authorization_servers?: readonly string[];
  };
  const issuer = servers?.[0] ?? base;
  const address = `${issuer}/.well-known/oauth-authorization-server`;
  const server = (await read(address, signal)) as AuthorizationServer;
  if (server.issuer === issuer) return server;
  throw new Stop(exitCodes.failed, `${address} is of ${server.issuer}, and not of ${issuer}.`);
}

async function read(address: string, signal: AbortSignal): Promise<unknown> {
  const advice = 'Sign in with `quire login --anonymous` or --with-key instead.';
  const response = await sent(address, { headers: { accept: 'application/json' }, signal });
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.includes('json')) return response.json();
  throw new Stop(exitCodes.failed, `${address} does not say where people sign in. ${advice}`);
}

/** Sends a request; one that is not answered fails with its address. */
export async function sent(
  address: string,
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  try {
    return await plainFetch(address, init);
  } catch (error) {
    init.signal.throwIfAborted();
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new Stop(exitCodes.later, `${address} does not answer: ${why}`);
  }
}

function formOf(fields: Readonly<Record<string, string>>): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', headers, body: new URLSearchParams(fields).toString() };
}

/** Requests tokens; fails with the server's message. */
export async function form(
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Tokens> {
  const response = await sent(endpoint, { ...formOf(fields), signal });
  if (response.ok) return (await response.json()) as Tokens;
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const told = (isJson ? await response.json() : {}) as { error_description?: string };
  const isOver = response.status < 500;
  throw new Problem({
    code: isOver ? 'invalid_token' : 'not_the_service',
    status: isOver ? 401 : response.status,
    detail: told.error_description ?? `${endpoint} answered ${response.status}.`,
    hint: isOver ? 'The sign-in has ended: use `quire login` again.' : 'Try again.',
  });
}

/** Revokes a consent with all of its keys (RFC 7009). */
export async function revoke(grant: Grant, signal: AbortSignal): Promise<void> {
  const fields = formOf({ token: grant.refreshToken, client_id: grant.clientId });
  const response = await sent(grant.revocationEndpoint, { ...fields, signal });
  if (!response.ok) throw new Stop(exitCodes.failed, `The service answered ${response.status}.`);
}

/** Returns the part of a profile that an answer with tokens fills. */
export function granted(
  { access_token: key, refresh_token: refreshToken, expires_in: seconds }: Tokens,
  client: Pick<Grant, 'clientId' | 'tokenEndpoint' | 'revocationEndpoint'>,
): Pick<Profile, 'key'> & { readonly grant: Grant } {
  const { clientId, tokenEndpoint, revocationEndpoint } = client;
  const expiresAt = Date.now() + seconds * 1_000;
  return { key, grant: { refreshToken, clientId, tokenEndpoint, revocationEndpoint, expiresAt } };
}
