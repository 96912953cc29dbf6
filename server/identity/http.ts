import { z } from 'zod';

import type { RegistrationType } from '../config.ts';
import { route } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import { bodyLimits, credentialLife, type LimitsProfile } from '../model/limits.ts';
import { readBearer } from './authenticator.ts';
import type { Authenticator } from './authenticator.ts';
import { checkSecretKey, claimRoutes, ok, parseEmail } from './claims/http.ts';
import type { ClaimServices } from './claims/http.ts';
import { makeSecret, secretHash } from './credential.ts';
import { documentRoutes } from './documents/http.ts';
import type { DocumentServices } from './documents/http.ts';
import type { IdentityStore } from './identity-store.ts';
import { describeIdentity } from './own-account.ts';
import { oauthRoutes } from './oauth/http.ts';
import type { OauthServices } from './oauth/http.ts';
import type { Registrations } from './registration.ts';
import { revokeSecret } from './revoking.ts';
import { siteRoutes } from './site/http.ts';
import type { SiteServices } from './site/http.ts';

export interface IdentityServices
  extends ClaimServices, DocumentServices, SiteServices, OauthServices {
  readonly registrations: Registrations;
  readonly registrationTypes: readonly RegistrationType[];
  readonly authenticator: Authenticator;
  readonly store: IdentityStore;
  readonly profile: LimitsProfile;
  readonly addresses: Addresses;
  readonly environment: Environment;
}

const tag = 'Identity';
const bodyLimitBytes = bodyLimits.identityBytes;

/** Members that all routes of the identity service share. */
const identityRoute = { host: 'auth', tag, bodyLimitBytes, lenient: true } as const;

const registrationSchema = z.object({
  type: z.string().meta({ description: 'anonymous or identity_assertion' }),
  requested_credential_type: z.string().optional(),
  assertions: z
    .array(z.object({ type: z.string(), email: z.string().optional() }))
    .max(10)
    .optional()
    .describe('Of an identity_assertion: one verified_email'),
  assertion_type: z.string().optional().describe('Another way to write the one assertion'),
  assertion: z.string().optional(),
  client: z
    .object({ name: z.string().max(200).optional(), version: z.string().max(200).optional() })
    .optional(),
});

type RegistrationBody = z.output<typeof registrationSchema>;

const registeredSchema = z
  .looseObject({
    claim_token: z.string(),
    credential: z.string().optional().describe('Of an anonymous agent'),
    user_id: z.string().optional(),
    scopes: z.array(z.enum(['read', 'write', 'account'])).optional(),
    verification_required: z.boolean().optional().describe('A code was sent'),
    message: z.string().optional(),
  })
  .meta({ id: 'Registered' });

export function identityRoutes(services: IdentityServices): Route[] {
  return [
    registerRoute(services),
    ...claimRoutes(services),
    whoAmIRoute(services),
    rotateRoute(services),
    revokeRoute(services),
    ...documentRoutes(services),
    ...oauthRoutes(services),
    ...siteRoutes(services),
  ];
}

function registerRoute(services: IdentityServices): Route {
  const { registrations, claims, registrationTypes } = services;
  return route({
    ...identityRoute,
    method: 'POST',
    path: '/agent/auth',
    scope: null,
    limit: 'none',
    idempotency: 'handler',
    summary: 'Register an agent',
    description:
      'With type anonymous it answers a credential for the Authorization header, and no human is needed. With type identity_assertion it sends a code to the address, and POST /agent/auth/claim/complete answers a key of its account.',
    request: { body: registrationSchema },
    example: { body: { type: 'anonymous' } },
    responses: {
      200: { description: 'The new agent', schema: enveloped(registeredSchema) },
    },
    handler: async (call) => {
      checkType(registrationTypes, call.body);
      const { client } = call.body;
      if (call.body.type === 'identity_assertion') {
        const { address, requestId } = call;
        const clientName = client?.name;
        const email = assertedEmail(call.body);
        return ok(await claims.assertEmail({ email, clientName, address, requestId }));
      }
      const idempotencyKey = call.header('idempotency-key');
      if (idempotencyKey !== undefined) checkSecretKey(idempotencyKey);
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

function checkType(types: readonly RegistrationType[], body: RegistrationBody): void {
  const { type } = body;
  if (type !== 'anonymous' && type !== 'identity_assertion') {
    throw new Failure('unsupportedRegistrationType', {
      detail: 'This type of registration does not exist.',
      hint: 'Send {"type":"anonymous"}.',
      extra: { supported: types },
    });
  }
  if (!types.includes(type)) {
    const key = type === 'anonymous' ? 'anonymousNotEnabled' : 'verifiedEmailNotEnabled';
    const [other] = types;
    const hint = other === undefined ? 'Ask who runs this service.' : `Send {"type":"${other}"}.`;
    throw new Failure(key, { hint, extra: { supported: types } });
  }
  if ((body.requested_credential_type ?? 'api_key') !== 'api_key') {
    throw new Failure('unsupportedCredentialType', {
      hint: 'Leave requested_credential_type out, or send "api_key".',
      extra: { supported: ['api_key'] },
    });
  }
}

/** Returns the asserted address, from the member of the interface or from that of WorkOS. */
function assertedEmail(body: RegistrationBody): string {
  const { assertions, assertion_type: type, assertion: email } = body;
  const alias = type === undefined && email === undefined ? [] : [{ type, email }];
  const given = [...(assertions ?? []), ...alias];
  const unsupported = given.find((one) => one.type !== 'verified_email');
  if (unsupported !== undefined) {
    throw new Failure('unsupportedAssertionType', {
      hint: 'Send {"type":"verified_email","email":"<EMAIL>"}.',
      extra: { supported: ['verified_email'] },
    });
  }
  const [one, ...more] = given;
  if (one?.email === undefined || more.length > 0) {
    const message = 'exactly one assertion with an email';
    throw new Failure('invalidRequest', {
      detail: `assertions: ${message}.`,
      hint: 'Send [{"type":"verified_email","email":"<EMAIL>"}].',
      extra: { fields: [{ path: 'assertions', message }] },
    });
  }
  return parseEmail(one.email, 'assertions.0.email');
}

function whoAmIRoute({ store, profile }: IdentityServices): Route {
  return route({
    ...identityRoute,
    method: 'GET',
    path: '/agent/auth/me',
    scope: 'read',
    summary: 'Returns the identity of a credential, and whether it is valid',
    description:
      'The user, its scopes and limits, whose it is, and when the credential ends. 401 says why a credential is not valid.',
    responses: {
      200: {
        description: 'The identity',
        schema: enveloped(z.looseObject({ user_id: z.string(), scopes: z.array(z.string()) })),
      },
    },
    handler: async ({ principal }) => ok(await describeIdentity(store, principal, profile)),
  });
}

function rotateRoute({ store, authenticator, environment }: IdentityServices): Route {
  return route({
    ...identityRoute,
    method: 'POST',
    path: '/agent/auth/rotate',
    scope: 'read',
    idempotency: 'none',
    summary: 'Rotate: a new credential of the same identity',
    description: 'The old one still works for 15 minutes.',
    responses: {
      200: {
        description: 'The new credential',
        schema: enveloped(
          z.looseObject({ credential: z.string(), credential_expires: z.string().nullable() }),
        ),
      },
    },
    handler: async ({ principal, address, requestId }) => {
      const secret = makeSecret('wbk_live_', environment);
      const now = environment.now();
      const rotated = await store.rotate({
        oldId: principal.credentialId,
        oldExpiresAt: new Date(now + credentialLife.rotatedMinutes * 60_000),
        newId: makeId('crd_', environment),
        sha256: secretHash(secret),
        last4: secret.slice(-4),
        liveMost: credentialLife.liveKeysPerUser,
        at: new Date(now),
        address,
        requestId,
      });
      if (rotated === 'tooMany') throw new Failure('tooManyCredentials');
      if (rotated === undefined) throw rotatedBefore();
      authenticator.forget(rotated.oldSha256);
      return ok({
        credential: secret,
        user_id: principal.userId,
        scopes: principal.scopes,
        credential_type: 'api_key',
        credential_expires: rotated.expires?.toISOString() ?? null,
        previous_expires: rotated.oldExpires.toISOString(),
      });
    },
  });
}

function rotatedBefore(): Failure {
  return new Failure('credentialSuperseded', {
    detail: 'The key was replaced before.',
    hint: 'Use the key that took its place; it was answered once.',
    extra: { reason: 'superseded' },
  });
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
      await revokeSecret(services, secret, { address, requestId });
      return ok({ revoked: true });
    },
  });
}

function enveloped(data: z.ZodType): z.ZodType {
  return z.object({ ok: z.literal(true), data });
}
