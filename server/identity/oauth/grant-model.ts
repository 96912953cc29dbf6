import type OAuth2Server from '@node-oauth/oauth2-server';

import type { Environment } from '../../model/environment.ts';
import { makeId } from '../../model/identifier.ts';
import { scopes as allScopes } from '../../model/scope.ts';
import type { Scope } from '../../model/scope.ts';
import { makeSecret, secretHash } from '../credential.ts';
import type { FoundGrant, OauthTable } from './sql.ts';

export const accessSeconds = 3_600;
export const refreshSeconds = 30 * 86_400;

/**
 * Expiry that never comes, for the library, which has a clock of its own: expired tokens are
 * refused before it looks.
 */
const notByTheLibrary = new Date(8.64e15);

type Client = OAuth2Server.Client;
type User = OAuth2Server.User;

export interface GrantModelParts {
  readonly table: OauthTable;
  readonly environment: Environment;
  /** Called with the SHA-256 in hexadecimal of each access token that ended. */
  readonly forget: (sha256: string) => void;
}

/**
 * Functions that the OAuth library calls. Codes and refresh tokens work once; a second use means
 * that one was stolen, so its whole grant ends.
 */
export class GrantModel
  implements OAuth2Server.AuthorizationCodeModel, OAuth2Server.RefreshTokenModel
{
  readonly #parts: GrantModelParts;

  constructor(parts: GrantModelParts) {
    this.#parts = parts;
  }

  async getClient(clientId: string): Promise<Client | undefined> {
    const client = await this.#parts.table.client(clientId, this.#now());
    return client && clientOf(client.clientId, client.redirectUris);
  }

  async getAuthorizationCode(code: string): Promise<OAuth2Server.AuthorizationCode | undefined> {
    const found = await this.#parts.table.code(secretHash(code), this.#now());
    if (found === undefined || (await this.#isRefused(found))) return undefined;
    return {
      authorizationCode: code,
      expiresAt: notByTheLibrary,
      redirectUri: found.redirectUri,
      scope: found.scopes,
      client: clientOf(found.clientId),
      user: { userId: found.userId, grantId: found.grantId },
      codeChallenge: found.challenge,
      codeChallengeMethod: 'S256',
    };
  }

  /** Does nothing: the consent page makes the codes. */
  saveAuthorizationCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async revokeAuthorizationCode(code: OAuth2Server.AuthorizationCode): Promise<boolean> {
    const isFirst = await this.#parts.table.useCode(
      secretHash(code.authorizationCode),
      this.#now(),
    );
    if (!isFirst) await this.#endStolen(grantOf(code.user));
    return isFirst;
  }

  async getRefreshToken(token: string): Promise<OAuth2Server.RefreshToken | undefined> {
    const found = await this.#parts.table.refresh(secretHash(token), this.#now());
    if (found === undefined || (await this.#isRefused(found))) return undefined;
    return {
      refreshToken: token,
      refreshTokenExpiresAt: notByTheLibrary,
      scope: found.scopes,
      client: clientOf(found.clientId),
      user: { userId: found.userId, grantId: found.grantId },
    };
  }

  async revokeToken(token: OAuth2Server.RefreshToken): Promise<boolean> {
    const isFirst = await this.#parts.table.useRefresh(secretHash(token.refreshToken), this.#now());
    if (!isFirst) await this.#endStolen(grantOf(token.user));
    return isFirst;
  }

  generateAccessToken(): Promise<string> {
    return Promise.resolve(makeSecret('wbo_', this.#parts.environment));
  }

  generateRefreshToken(): Promise<string> {
    return Promise.resolve(makeSecret('wbr_', this.#parts.environment));
  }

  async saveToken(
    token: OAuth2Server.Token,
    client: Client,
    user: User,
  ): Promise<OAuth2Server.Token | undefined> {
    const { accessToken, refreshToken = '', scope } = token;
    const { table, environment } = this.#parts;
    const at = this.#now();
    const saved = await table.saveTokens({
      grantId: grantOf(user),
      scopes: knownScopes(scope),
      access: {
        id: makeId('crd_', environment),
        sha256: secretHash(accessToken),
        last4: accessToken.slice(-4),
      },
      accessExpiresAt: new Date(at.getTime() + accessSeconds * 1000),
      refreshSha256: secretHash(refreshToken),
      refreshExpiresAt: new Date(at.getTime() + refreshSeconds * 1000),
      at,
    });
    return saved ? { ...token, client, user } : undefined;
  }

  /** Does nothing: access tokens are checked by the Authenticator. */
  getAccessToken(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async #isRefused(found: FoundGrant): Promise<boolean> {
    if (found.isUsed) await this.#endStolen(found.grantId);
    return found.isUsed || found.isOver;
  }

  async #endStolen(grantId: string): Promise<void> {
    const { table, forget } = this.#parts;
    const ended = await table.revokeGrant(grantId, 'grant.reused', this.#now());
    for (const sha256 of ended) forget(sha256);
  }

  #now(): Date {
    return new Date(this.#parts.environment.now());
  }
}

function clientOf(id: string, redirectUris: readonly string[] = []): Client {
  return { id, redirectUris: [...redirectUris], grants: ['authorization_code', 'refresh_token'] };
}

function grantOf(user: User): string {
  return String(user['grantId']);
}

export function knownScopes(names: readonly string[] | undefined): Scope[] {
  return allScopes.filter((scope) => names?.includes(scope) === true);
}
