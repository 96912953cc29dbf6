import { makeSecret, secretHash } from '../identity/credential.ts';
import { accessSeconds } from '../identity/oauth/grant-model.ts';
import type { OauthTable } from '../identity/oauth/sql.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import { scopes } from '../model/scope.ts';

export const tokenSeconds = accessSeconds;

/** The console as an application: one grant a person, which the page of agents can revoke. */
const consoleClientId = 'console';

interface Made {
  readonly userId: string;
  /** The address of the service that takes the token. */
  readonly resource: string;
}

interface Makers {
  readonly oauthTable: OauthTable;
  readonly environment: Environment;
}

/** Makes an access token without a refresh token: the session makes the next one. */
export async function makeToken({ userId, resource }: Made, makers: Makers): Promise<string> {
  const { oauthTable, environment } = makers;
  const token = makeSecret('wbo_', environment);
  const at = new Date(environment.now());
  await oauthTable.saveOwnToken({
    userId,
    resource,
    clientId: consoleClientId,
    newGrantId: makeId('grt_', environment),
    scopes,
    access: { id: makeId('crd_', environment), sha256: secretHash(token), last4: token.slice(-4) },
    accessExpiresAt: new Date(at.getTime() + tokenSeconds * 1000),
    at,
  });
  return token;
}
