import OAuth2Server from '@node-oauth/oauth2-server';
import { z } from 'zod';

import { route } from '../../http/route.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import { makeId } from '../../model/identifier.ts';
import { bodyLimits } from '../../model/limits.ts';
import { asSentence } from '../../model/sentence.ts';
import type { Claims } from '../claims/claims.ts';
import { isWellFormed, secretHash } from '../credential.ts';
import type { IdentityStore } from '../identity-store.ts';
import { isSameHmac } from '../one-time-code.ts';
import { consentRoutes } from './consent/http.ts';
import type { ConsentServices } from './consent/http.ts';
import { accessSeconds, refreshSeconds } from './grant-model.ts';
import type { GrantModel } from './grant-model.ts';
import { redirectFault } from './redirect-uri.ts';
import type { OauthTable } from './sql.ts';

export interface OauthServices extends ConsentServices {
  readonly grantModel: GrantModel;
  readonly oauthTable: OauthTable;
  readonly claims: Claims;
  readonly store: IdentityStore;
  readonly addresses: Addresses;
  readonly environment: Environment;
  readonly forget: (sha256: string) => void;
  /** Secret of the operator's services that may ask about tokens; undefined: nobody may. */
  readonly introspectionSecret: string | undefined;
}

const formType = 'application/x-www-form-urlencoded';
const shared = {
  host: 'auth',
  method: 'POST',
  scope: null,
  tag: 'OAuth',
  lenient: true,
  idempotency: 'none',
  bodyLimitBytes: bodyLimits.identityBytes,
} as const;

export function oauthRoutes(services: OauthServices): Route[] {
  return [
    tokenRoute(services),
    revokeRoute(services),
    introspectRoute(services),
    registerRoute(services),
    ...consentRoutes(services),
  ];
}

/** Returns an OAuth error (RFC 6749 section 5.2), which has no envelope. */
function oauthError(status: number, error: string, description: string): Reply {
  const value = { error, error_description: asSentence(description) };
  return { status, value, cacheControl: 'no-store' };
}

function formOf({ file }: Pick<Call, 'file'>): URLSearchParams {
  return new URLSearchParams(Buffer.from(file?.bytes ?? []).toString('utf8'));
}

const grants: ReadonlySet<string> = new Set(['authorization_code', 'refresh_token']);

/** Route that exchanges codes and refresh tokens. The library reads the request and checks PKCE. */
function tokenRoute({ grantModel, authorization }: OauthServices): Route {
  const server = new OAuth2Server({
    model: grantModel,
    requireClientAuthentication: { authorization_code: false, refresh_token: false },
    alwaysIssueNewRefreshToken: true,
    accessTokenLifetime: accessSeconds,
    refreshTokenLifetime: refreshSeconds,
  });
  return route({
    ...shared,
    path: '/oauth2/token',
    summary: 'A code or a refresh token becomes an access token (RFC 6749)',
    description:
      'A form, as OAuth has it. `grant_type=authorization_code` needs the PKCE verifier; `grant_type=refresh_token` answers a new refresh token each time, and the old one counts once.',
    files: [formType],
    responses: { 200: { description: 'Tokens' }, 400: { description: 'Why not' } },
    handler: async (call) => {
      const form = formOf(call);
      const fault = formFault(form, authorization);
      if (fault !== undefined) return fault;
      const body = Object.fromEntries(form);
      const length = String(call.file?.bytes.length ?? 0);
      const headers = { 'content-type': formType, 'content-length': length };
      const request = new OAuth2Server.Request({ headers, method: 'POST', query: {}, body });
      const response = new OAuth2Server.Response({});
      try {
        const token = await server.token(request, response);
        return {
          value: {
            access_token: token.accessToken,
            token_type: 'Bearer',
            expires_in: accessSeconds,
            refresh_token: token.refreshToken,
            scope: token.scope?.join(' '),
          },
          cacheControl: 'no-store',
          headers: { Pragma: 'no-cache' },
        };
      } catch (error) {
        return refusal(error, form);
      }
    },
  });
}

/** Returns the answer for a form that the library would take, or refuse for another reason. */
function formFault(
  form: URLSearchParams,
  authorization: OauthServices['authorization'],
): Reply | undefined {
  if ([...form.keys()].some((name) => form.getAll(name).length > 1)) {
    return oauthError(400, 'invalid_request', 'a parameter is given twice');
  }
  const grant = form.get('grant_type') ?? '';
  if (grant !== '' && !grants.has(grant)) {
    const known = [...grants].join(', ');
    return oauthError(400, 'unsupported_grant_type', `grant_type is one of ${known}`);
  }
  const resourceFault = authorization.resourceFault(form.get('resource'));
  return resourceFault === undefined ? undefined : oauthError(400, 'invalid_target', resourceFault);
}

/** Returns the answer for what the library refused; throws any other error on. */
function refusal(error: unknown, form: URLSearchParams): Reply {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  const status = Number(error.code);
  if (!(status >= 400 && status < 500)) throw error;
  if (isOfOtherAddress(error, form)) return oauthError(400, 'invalid_grant', otherAddress);
  return oauthError(status === 401 ? 401 : 400, error.name, error.message);
}

const otherAddress = 'the redirect_uri is not that of the request for this code';

/**
 * Returns whether the library refused an address that is given and not that of the code: a grant
 * that does not fit (RFC 6749 section 5.2), where the library speaks of a malformed request.
 */
function isOfOtherAddress({ name, message }: Error, form: URLSearchParams): boolean {
  const isGiven = (form.get('redirect_uri') ?? '') !== '';
  return isGiven && name === 'invalid_request' && message.includes('`redirect_uri`');
}

/** Route that revokes a token (RFC 7009); its answer is the same for unknown tokens. */
function revokeRoute(services: OauthServices): Route {
  const { oauthTable, store, environment, forget } = services;
  return route({
    ...shared,
    path: '/oauth2/revoke',
    summary: 'Revoke a token (RFC 7009)',
    description: 'A refresh token ends with everything that came of the same consent.',
    files: [formType],
    responses: { 200: { description: 'It is revoked, or was none' } },
    handler: async (call) => {
      const token = formOf(call).get('token');
      if (token === null) return oauthError(400, 'invalid_request', 'token is missing');
      const { address, requestId } = call;
      const at = new Date(environment.now());
      const sha256 = secretHash(token);
      if (isWellFormed('wbr_', token)) {
        const found = await oauthTable.refresh(sha256, at);
        const ended = found && (await oauthTable.revokeGrant(found.grantId, 'grant.revoked', at));
        for (const one of ended ?? []) forget(one);
      } else if (isWellFormed('wbo_', token) || isWellFormed('wbk_live_', token)) {
        const event = { kind: 'credential.revoked', at, address, requestId };
        await store.revoke(sha256, { ...event, userId: undefined, credentialId: undefined });
        forget(sha256.toString('hex'));
      }
      return { value: {}, cacheControl: 'no-store' };
    },
  });
}

/** Route that describes a token to services of the operator (RFC 7662); others are refused. */
function introspectRoute(services: OauthServices): Route {
  const { oauthTable, environment, introspectionSecret, addresses } = services;
  return route({
    ...shared,
    path: '/oauth2/introspect',
    summary: 'Returns what a token is worth (RFC 7662); with the secret of the service',
    description:
      'For a service that takes tokens of this one. `active: false` is all that is said of a token that has ended or never was.',
    files: [formType],
    responses: { 200: { description: 'Whether it is active, and for what' } },
    handler: async (call) => {
      const given = call.header('authorization')?.replace(/^Bearer /i, '') ?? '';
      const isOurs =
        introspectionSecret !== undefined &&
        isSameHmac(secretHash(given), secretHash(introspectionSecret));
      if (!isOurs) {
        const refused = oauthError(401, 'invalid_client', 'the secret of the service is needed');
        return { ...refused, headers: { 'WWW-Authenticate': 'Bearer realm="introspection"' } };
      }
      const token = formOf(call).get('token') ?? '';
      const at = new Date(environment.now());
      const found = await oauthTable.introspect(secretHash(token), at);
      if (found === undefined) return { value: { active: false }, cacheControl: 'no-store' };
      const { userId, email, clientId, scopes, resource, createdAt, expiresAt } = found;
      return {
        value: {
          active: true,
          scope: scopes.join(' '),
          sub: userId,
          iss: addresses.authUrl,
          aud: resource ?? addresses.baseUrl,
          iat: Math.floor(createdAt.getTime() / 1000),
          ...(clientId !== null && { client_id: clientId }),
          ...(expiresAt !== null && { exp: Math.floor(expiresAt.getTime() / 1000) }),
          ...(email !== null && { username: email }),
        },
        cacheControl: 'no-store',
      };
    },
  });
}

const clientSchema = z.object({
  redirect_uris: z.array(z.string()).min(1).max(10),
  client_name: z.string().max(100).optional(),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/**
 * Route that registers a client (RFC 7591). Clients are public: an installed program keeps no
 * secret.
 */
function registerRoute({ oauthTable, claims, environment }: OauthServices): Route {
  return route({
    ...shared,
    path: '/oauth2/register',
    summary: 'Register a client (RFC 7591)',
    description: 'One that nobody uses for 90 days is dropped.',
    request: { body: clientSchema },
    example: { body: { redirect_uris: ['http://127.0.0.1/callback'], client_name: 'my app' } },
    responses: { 201: { description: 'The client' } },
    handler: async ({ body, address }) => {
      await claims.countClient(address);
      const faults = body.redirect_uris.map(redirectFault);
      const at = faults.findIndex((fault) => fault !== undefined);
      if (at >= 0) {
        return oauthError(400, 'invalid_redirect_uri', `redirect_uris/${at} ${faults[at]}`);
      }
      const method = body.token_endpoint_auth_method ?? 'none';
      if (method !== 'none') {
        return oauthError(
          400,
          'invalid_client_metadata',
          'token_endpoint_auth_method must be none',
        );
      }
      const clientId = makeId('cli_', environment);
      const name = body.client_name?.trim() || 'An application without a name';
      const redirectUris = body.redirect_uris;
      await oauthTable.register({ clientId, name, redirectUris }, new Date(environment.now()));
      return {
        status: 201,
        value: {
          client_id: clientId,
          client_id_issued_at: Math.floor(environment.now() / 1000),
          client_name: name,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
        cacheControl: 'no-store',
      };
    },
  });
}
