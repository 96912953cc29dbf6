import { z } from 'zod';

import { checkKey } from '../http/repeat.ts';
import { route } from '../http/route.ts';
import type { Reply, Route } from '../http/route.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { bodyLimits, idempotency } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import { readBearer } from './authenticator.ts';
import type { Authenticator } from './authenticator.ts';
import { isWellFormed, secretHash } from './credential.ts';
import { protectedResource } from './discovery.ts';
import type { IdentityStore } from './identity-store.ts';
import { limitsOf } from './registration.ts';
import type { Registrations } from './registration.ts';

export interface IdentityServices {
  readonly registrations: Registrations;
  readonly authenticator: Authenticator;
  readonly store: IdentityStore;
  readonly addresses: Addresses;
  readonly environment: Environment;
}

const tag = 'Identity';
const bodyLimitBytes = bodyLimits.identityBytes;

/** What every route of the identity service has in common. */
const identityRoute = { host: 'auth', tag, bodyLimitBytes, lenient: true } as const;

const registrationSchema = z.object({
  type: z.string().meta({ description: 'anonymous or identity_assertion' }),
  requested_credential_type: z.string().optional(),
  client: z
    .object({ name: z.string().max(200).optional(), version: z.string().max(200).optional() })
    .optional(),
});

const registeredSchema = z
  .looseObject({
    credential: z.string(),
    user_id: z.string(),
    claim_token: z.string(),
    scopes: z.array(z.enum(['read', 'write', 'account'])),
  })
  .meta({ id: 'Registered' });

export function identityRoutes(services: IdentityServices): Route[] {
  return [
    registerRoute(services),
    ...claimRoutes(),
    whoAmIRoute(services),
    revokeRoute(services),
    ...discoveryRoutes(services.addresses),
  ];
}

function registerRoute({ registrations }: IdentityServices): Route {
  return route({
    ...identityRoute,
    method: 'POST',
    path: '/agent/auth',
    scope: null,
    limit: 'none',
    idempotency: 'handler',
    summary: 'Register an agent',
    description:
      'Answers a credential for the Authorization header. No human is needed. The credential and the claim token are shown once.',
    request: { body: registrationSchema },
    example: { body: { type: 'anonymous' } },
    responses: {
      200: { description: 'The new agent', schema: enveloped(registeredSchema) },
    },
    handler: async (call) => {
      checkType(call.body);
      const idempotencyKey = call.header('idempotency-key');
      if (idempotencyKey !== undefined) checkRegistrationKey(idempotencyKey);
      const { client } = call.body;
      const { data, replayed } = await registrations.registerAnonymous({
        client: { name: client?.name, version: client?.version },
        address: call.address,
        requestId: call.requestId,
        idempotencyKey,
      });
      return ok(data, replayed ? { 'Idempotency-Replayed': 'true' } : {});
    },
  });
}

function checkType(body: z.output<typeof registrationSchema>): void {
  if (body.type === 'identity_assertion') throw emailNotEnabled();
  if (body.type !== 'anonymous') {
    throw new Failure('unsupportedRegistrationType', {
      detail: 'This type of registration does not exist.',
      hint: 'Send {"type":"anonymous"}.',
      extra: { supported: ['anonymous'] },
    });
  }
  if ((body.requested_credential_type ?? 'api_key') !== 'api_key') {
    throw new Failure('unsupportedCredentialType', {
      hint: 'Leave requested_credential_type out, or send "api_key".',
      extra: { supported: ['api_key'] },
    });
  }
}

/** A short key could be guessed, and with it the stored credential of somebody else. */
function checkRegistrationKey(key: string): void {
  checkKey(key);
  if (key.length >= idempotency.registrationKeyLengthLeast) return;
  throw new Failure('invalidIdempotencyKey', {
    detail: `Here an Idempotency-Key has at least ${idempotency.registrationKeyLengthLeast} characters, because it guards a secret.`,
    hint: 'Send a UUID.',
  });
}

function claimRoutes(): Route[] {
  const paths = { claim: '/agent/auth/claim', complete: '/agent/auth/claim/complete' };
  return [
    { path: paths.claim, summary: 'Ask for a code to claim an agent' },
    { path: paths.complete, summary: 'Claim an agent with the code' },
  ].map(({ path, summary }) =>
    route({
      ...identityRoute,
      method: 'POST',
      path,
      scope: null,
      idempotency: 'handler',
      summary,
      description: 'Not available yet: answers 403 `verified_email_not_enabled`.',
      request: { body: z.looseObject({ claim_token: z.string() }) },
      responses: {},
      handler: () => {
        throw emailNotEnabled();
      },
    }),
  );
}

function emailNotEnabled(): Failure {
  return new Failure('verifiedEmailNotEnabled', {
    detail: 'This service does not verify e-mail addresses yet.',
    hint: 'Register with {"type":"anonymous"}; the key it answers keeps working.',
  });
}

function whoAmIRoute({ store }: IdentityServices): Route {
  return route({
    ...identityRoute,
    method: 'GET',
    path: '/agent/auth/me',
    scope: 'read',
    summary: 'Who the credential belongs to, and whether it is still valid',
    responses: {
      200: {
        description: 'The identity',
        schema: enveloped(z.looseObject({ user_id: z.string(), scopes: z.array(z.string()) })),
      },
    },
    handler: async ({ principal }) => ok(await describe(store, principal)),
  });
}

async function describe(
  store: IdentityStore,
  principal: Principal,
): Promise<Record<string, unknown>> {
  const credential = await store.describeCredential(principal.credentialId);
  return {
    user_id: principal.userId,
    kind: principal.kind,
    namespace: principal.namespace,
    scopes: principal.scopes,
    owner: null,
    credential: {
      id: principal.credentialId,
      last4: credential?.last4 ?? null,
      created: credential?.created.toISOString() ?? null,
      last_used: credential?.lastUsed?.toISOString() ?? null,
      expires: credential?.expires?.toISOString() ?? null,
    },
    limits: limitsOf(principal.kind),
  };
}

function revokeRoute(services: IdentityServices): Route {
  return route({
    ...identityRoute,
    method: 'POST',
    path: '/agent/auth/revoke',
    scope: null,
    idempotency: 'handler',
    summary: 'Revoke a credential',
    description:
      'Ends the credential of the Authorization header, or the one in the body. Answers the same for one that is unknown or has ended.',
    bodyOptional: true,
    request: { body: z.object({ credential: z.string().optional() }) },
    example: { body: {} },
    responses: {
      200: { description: 'It is revoked', schema: enveloped(z.object({ revoked: z.boolean() })) },
    },
    handler: async ({ body, header, address, requestId }) => {
      const secret = body.credential ?? readBearer(header('authorization'));
      if (isWellFormed('wbk_live_', secret)) await revoke(services, secret, { address, requestId });
      return ok({ revoked: true });
    },
  });
}

async function revoke(
  { store, authenticator, environment }: IdentityServices,
  secret: string,
  origin: { address: string; requestId: string },
): Promise<void> {
  const sha256 = secretHash(secret);
  const at = new Date(environment.now());
  const kind = 'credential.revoked';
  await store.revoke(sha256, { kind, at, userId: undefined, credentialId: undefined, ...origin });
  authenticator.forget(sha256.toString('hex'));
}

function discoveryRoutes(addresses: Addresses): Route[] {
  const base = '/.well-known/oauth-protected-resource';
  return (['', '/mcp'] as const).map((path) =>
    route({
      host: 'any',
      method: 'GET',
      path: `${base}${path}`,
      scope: null,
      tag,
      summary: path === '' ? 'Where to get a credential (RFC 9728)' : 'The same for /mcp',
      responses: { 200: { description: 'Metadata of the protected resource' } },
      handler: () => ({
        value: protectedResource(addresses, path),
        cacheControl: 'public, max-age=300',
      }),
    }),
  );
}

function ok(data: unknown, headers: Record<string, string> = {}): Reply {
  return { value: { ok: true, data }, cacheControl: 'no-store', headers };
}

function enveloped(data: z.ZodType): z.ZodType {
  return z.object({ ok: z.literal(true), data });
}
