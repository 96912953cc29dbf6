import type { Addresses } from '../../model/addresses.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { makeId } from '../../model/identifier.ts';
import { scopes as allScopes } from '../../model/scope.ts';
import type { Scope } from '../../model/scope.ts';
import { asSentence } from '../../model/sentence.ts';
import { secretHash } from '../credential.ts';
import { DocumentFault } from './clients/document-source.ts';
import type { Clients } from './clients/clients.ts';
import { knownScopes } from './grant-model.ts';
import { isRegistered } from './redirect-uri.ts';
import type { OauthClient, OauthTable } from './sql.ts';

const codeSeconds = 300;

/** A valid request for authorization, ready to be shown to a person. */
export interface Asked {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly scopes: readonly Scope[];
  readonly challenge: string;
  readonly resource: string;
}

/** A refusal that is sent back to the client. */
export interface Declined {
  readonly location: string;
}

export interface AuthorizationParts {
  readonly table: OauthTable;
  readonly clients: Clients;
  readonly environment: Environment;
  readonly addresses: Addresses;
}

/**
 * Reads authorization requests: PKCE by SHA-256 is required, and the resource has to be this
 * service.
 */
export class Authorization {
  readonly #parts: AuthorizationParts;

  constructor(parts: AuthorizationParts) {
    this.#parts = parts;
  }

  /**
   * Reads a request. Fails when the redirect address is not certainly the client's, so that the
   * browser is led nowhere; all other faults are told to the client at that address.
   */
  async read(query: URLSearchParams, address: string): Promise<Asked | Declined> {
    const client = await this.#client(query.get('client_id') ?? '', address);
    const redirectUri = query.get('redirect_uri') ?? '';
    if (!isRegistered(redirectUri, client.redirectUris)) {
      throw misled('redirect_uri', 'The address to lead back to is not one of the client.');
    }
    const state = query.get('state') ?? undefined;
    const fault = this.#faultOf(query);
    if (fault !== undefined) return this.decline({ redirectUri, state }, ...fault);
    return {
      client,
      redirectUri,
      state,
      scopes: askedScopes(query),
      challenge: query.get('code_challenge') ?? '',
      resource: this.#parts.addresses.baseUrl,
    };
  }

  /**
   * Explains why tokens cannot be for this resource (RFC 8707); undefined when they can, or none is
   * named.
   */
  resourceFault(resource: string | null): string | undefined {
    const { baseUrl } = this.#parts.addresses;
    // The MCP server is part of this service: a token for one of them is valid for the other.
    const taken = [baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`];
    if (resource === null || taken.includes(resource)) return undefined;
    return `resource must be ${baseUrl} or ${baseUrl}/mcp`;
  }

  async #client(clientId: string, address: string): Promise<OauthClient> {
    try {
      const client = await this.#parts.clients.asking(clientId, address);
      if (client !== undefined) return client;
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      throw misled('client_id', `The document of the client ${error.message}.`);
    }
    throw misled('client_id', 'The client is not known.');
  }

  /**
   * Returns the address that hands the code to the client. A code works once, within five minutes.
   */
  async grant(asked: Asked, userId: string): Promise<string> {
    const { table, environment } = this.#parts;
    const code = Buffer.from(environment.random(32)).toString('base64url');
    const at = new Date(environment.now());
    await table.saveCode({
      sha256: secretHash(code),
      grantId: makeId('grt_', environment),
      clientId: asked.client.clientId,
      userId,
      scopes: asked.scopes,
      resource: asked.resource,
      redirectUri: asked.redirectUri,
      challenge: asked.challenge,
      at,
      expiresAt: new Date(at.getTime() + codeSeconds * 1000),
    });
    return this.#back(asked, { code });
  }

  decline(
    asked: Pick<Asked, 'redirectUri' | 'state'>,
    error: string,
    description: string,
  ): Declined {
    return { location: this.#back(asked, { error, error_description: asSentence(description) }) };
  }

  /**
   * Returns the redirect address with the issuer (RFC 9207), from which a client notices when
   * servers are mixed up.
   */
  #back(
    { redirectUri, state }: Pick<Asked, 'redirectUri' | 'state'>,
    fields: Readonly<Record<string, string>>,
  ): string {
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
    if (state !== undefined) target.searchParams.set('state', state);
    target.searchParams.set('iss', this.#parts.addresses.authUrl);
    return target.href;
  }

  #faultOf(query: URLSearchParams): [error: string, description: string] | undefined {
    const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1);
    if (repeated !== undefined) return ['invalid_request', 'a parameter is given twice'];
    if (query.get('response_type') !== 'code') {
      return ['unsupported_response_type', 'response_type must be code'];
    }
    const challenge = query.get('code_challenge') ?? '';
    if (query.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
      return ['invalid_request', 'PKCE with code_challenge_method S256 is needed'];
    }
    const resourceFault = this.resourceFault(query.get('resource'));
    if (resourceFault !== undefined) return ['invalid_target', resourceFault];
    const unknown = scopeNames(query).filter((name) => !isScope(name));
    if (unknown.length > 0 || askedScopes(query).length === 0) {
      return ['invalid_scope', `scopes are ${allScopes.join(', ')}`];
    }
    return undefined;
  }
}

function scopeNames(query: URLSearchParams): string[] {
  return (query.get('scope') ?? allScopes.join(' ')).split(' ').filter((name) => name !== '');
}

function askedScopes(query: URLSearchParams): Scope[] {
  return knownScopes(scopeNames(query));
}

function isScope(name: string): boolean {
  return allScopes.some((scope) => scope === name);
}

function misled(parameter: string, detail: string): Failure {
  return new Failure('invalidRequest', {
    detail,
    hint: 'Go back to the application and try again, or tell who made it.',
    errors: [{ pointer: `?${parameter}`, code: 'unknown', message: detail }],
  });
}
