import { z } from 'zod';

import { checkKey } from '../../http/repeat.ts';
import { route } from '../../http/route.ts';
import type { Reply, Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { bodyLimits, idempotency } from '../../model/limits.ts';
import { readEmail } from '../email-address.ts';
import type { Claims } from './claims.ts';
import type { Completions } from './completion/completions.ts';

export interface ClaimServices {
  readonly claims: Claims;
  readonly completions: Completions;
}

const identityRoute = {
  host: 'auth',
  method: 'POST',
  tag: 'Identity',
  scope: null,
  bodyLimitBytes: bodyLimits.identityBytes,
  lenient: true,
  idempotency: 'handler',
} as const;

const tokenSchema = z.string().describe('As registration answered it');

const sentSchema = z.object({
  ok: z.literal(true),
  data: z
    .looseObject({
      verification_required: z.literal(true),
      message: z.string(),
      registration_id: z.string(),
      otp_expires: z.string().meta({ format: 'date-time' }),
      resend_after: z.int().describe('Seconds until another code can be asked for'),
    })
    .meta({ id: 'SentCode' }),
});

const claimedSchema = z.object({
  ok: z.literal(true),
  data: z
    .looseObject({
      credential: z.string(),
      user_id: z.string(),
      scopes: z.array(z.enum(['read', 'write', 'account'])),
      mode: z.enum(['merge', 'link']),
      owner: z.object({ user_id: z.string(), email: z.string() }),
    })
    .meta({ id: 'Claimed' }),
});

const exampleToken = `wbc_${'0'.repeat(38)}`;

export function claimRoutes(services: ClaimServices): Route[] {
  return [claimRoute(services), completeRoute(services)];
}

function claimRoute({ claims }: ClaimServices): Route {
  return route({
    ...identityRoute,
    path: '/agent/auth/claim',
    summary: 'Ask for a code to claim an agent',
    description:
      'Sends a code to the address; a code sent before it counts no more. With `link` the agent keeps its identity and is linked to the account of the address; without, it becomes part of that account.',
    request: {
      body: z.object({
        claim_token: tokenSchema,
        email: z.string(),
        link: z.boolean().default(false),
      }),
    },
    example: { body: { claim_token: exampleToken, email: 'ada@example.com', link: true } },
    responses: { 200: { description: 'A code was sent', schema: sentSchema } },
    handler: async ({ body, address, requestId }) => {
      const email = parseEmail(body.email, 'email');
      const { claim_token: claimToken, link: isLink } = body;
      return ok(await claims.request({ claimToken, email, isLink, address, requestId }));
    },
  });
}

function completeRoute({ completions }: ClaimServices): Route {
  return route({
    ...identityRoute,
    path: '/agent/auth/claim/complete',
    summary: 'Claim an agent with the code',
    description:
      'Answers a new credential with the scope account; the one before it ends. With an Idempotency-Key a retry within 10 minutes gets the same answer.',
    request: {
      body: z.object({ claim_token: tokenSchema, otp: z.string().max(40) }),
    },
    example: { body: { claim_token: exampleToken, otp: '123456' } },
    responses: { 200: { description: 'The agent is claimed', schema: claimedSchema } },
    handler: async ({ body, header, address, requestId }) => {
      const idempotencyKey = header('idempotency-key');
      if (idempotencyKey !== undefined) checkSecretKey(idempotencyKey);
      const { data, replayed } = await completions.complete({
        claimToken: body.claim_token,
        code: body.otp,
        idempotencyKey,
        address,
        requestId,
      });
      return ok(data, replayed ? { 'Idempotency-Replayed': 'true' } : {});
    },
  });
}

export function parseEmail(text: string, path: string): string {
  const email = readEmail(text);
  if (email !== undefined) return email;
  throw new Failure('invalidRequest', {
    detail: `${path}: not an e-mail address.`,
    hint: 'Send one address such as ada@example.com.',
    extra: { fields: [{ path, message: 'not an e-mail address' }] },
  });
}

/** Refuses a short Idempotency-Key: whoever guessed it would get somebody else's credential. */
export function checkSecretKey(key: string): void {
  checkKey(key);
  if (key.length >= idempotency.registrationKeyLengthLeast) return;
  throw new Failure('invalidIdempotencyKey', {
    detail: `Here an Idempotency-Key has at least ${idempotency.registrationKeyLengthLeast} characters, because it guards a secret.`,
    hint: 'Send a UUID.',
  });
}

export function ok(data: unknown, headers: Record<string, string> = {}): Reply {
  return { value: { ok: true, data }, cacheControl: 'no-store', headers };
}
