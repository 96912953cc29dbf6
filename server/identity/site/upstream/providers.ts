import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** A service where people have an account and that vouches for their identity. */
export interface Provider {
  /** Id in addresses: `/login/{id}`. */
  readonly id: string;
  readonly name: string;
  /** Protocol: GitHub has OAuth, and an interface of its own for the identity of a person. */
  readonly kind: 'openid' | 'github';
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?=[:/]|$)/;

const providerSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(40),
    kind: z.enum(['openid', 'github']).default('openid'),
    issuer: z
      .url()
      .refine((issuer) => issuer.startsWith('https:') || loopback.test(issuer), 'must be https')
      .optional(),
    client_id: z.string().min(1),
    client_secret: z.string().min(1).optional(),
  })
  .refine(({ kind, issuer }) => kind === 'github' || issuer !== undefined, 'issuer is missing');

const fileSchema = z.record(
  z.string().regex(/^(?!code$)[a-z][a-z0-9-]{0,29}$/, 'a name of small letters, not "code"'),
  providerSchema,
);

/** Reads the operator's file of providers, which is a file because it holds secrets. */
export async function readProviders(path: string | undefined): Promise<Provider[]> {
  if (path === undefined) return [];
  const { success, data, error } = fileSchema.safeParse(await readJson(path));
  if (!success) {
    // The content of the file is not repeated in the message: it holds secrets.
    const places = error.issues.map(({ path: at, code }) => `${at.join('.')}: ${code}`);
    throw new Error(`SIGN_IN_PROVIDERS_FILE cannot be used: ${places.join('; ')}`);
  }
  return Object.entries(data).map(([id, { name, kind, issuer, client_id, client_secret }]) => ({
    id,
    name,
    kind,
    issuer: issuer ?? 'https://github.com',
    clientId: client_id,
    clientSecret: client_secret,
  }));
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    throw new Error('SIGN_IN_PROVIDERS_FILE is not there, or is no JSON');
  }
}
