import { z } from 'zod';

import { redirectFault } from '../redirect-uri.ts';
import type { OauthClient } from '../sql.ts';
import { DocumentFault } from './document-source.ts';

const lengthMost = 500;

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().max(100).optional(),
  redirect_uris: z.array(z.string()).min(1).max(20),
  token_endpoint_auth_method: z.string().optional(),
});

/** Returns the address that a client id is; undefined for clients that registered here. */
export function documentUrl(clientId: string): URL | undefined {
  if (!/^https?:/.test(clientId) || clientId.length > lengthMost) return undefined;
  if (!URL.canParse(clientId)) return undefined;
  const url = new URL(clientId);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  // Only the normal spelling of an address is taken, so that one document has one id.
  return isPlain && url.pathname !== '/' && url.href === clientId ? url : undefined;
}

/**
 * Reads a client's description of itself at its own address (OAuth Client ID Metadata Document).
 */
export function readClientDocument(clientId: string, content: unknown): OauthClient {
  const { success, data } = documentSchema.safeParse(content);
  if (!success) throw new DocumentFault('has not the members of a client');
  if (data.client_id !== clientId) throw new DocumentFault('is of another client');
  if ((data.token_endpoint_auth_method ?? 'none') !== 'none') {
    throw new DocumentFault('asks for a secret; only public clients are taken');
  }
  const fault = data.redirect_uris.map(redirectFault).find((found) => found !== undefined);
  if (fault !== undefined) throw new DocumentFault(`has a redirect_uri that ${fault}`);
  const name = data.client_name?.trim() || new URL(clientId).host;
  return { clientId, name, redirectUris: data.redirect_uris };
}
