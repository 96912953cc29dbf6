import * as oidc from 'openid-client';

import type { Provider } from './providers.ts';

const timeoutSeconds = 10;

/** A person as a provider knows them. */
export interface Asserted {
  readonly issuer: string;
  readonly subject: string;
  /** Mail address; undefined unless the provider says that it has verified it. */
  readonly email: string | undefined;
}

/** Values that tie a redirect to the provider to the answer that comes back. */
export interface Ties {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Asks one provider for the identity of a person. */
export class RelyingParty {
  readonly provider: Provider;
  readonly #redirectUri: string;
  #configuration: Promise<oidc.Configuration> | undefined;

  constructor(provider: Provider, redirectUri: string) {
    this.provider = provider;
    this.#redirectUri = redirectUri;
  }

  async authorizationUrl({ state, nonce, verifier }: Ties): Promise<string> {
    const isGithub = this.provider.kind === 'github';
    return oidc.buildAuthorizationUrl(await this.#configure(), {
      redirect_uri: this.#redirectUri,
      scope: isGithub ? 'read:user user:email' : 'openid email',
      state,
      ...(!isGithub && { nonce }),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /**
   * Reads the answer of the provider; throws when it is not the provider's, or not for this
   * service.
   */
  async takeAnswer(queryText: string, { state, nonce, verifier }: Ties): Promise<Asserted> {
    const configuration = await this.#configure();
    const isGithub = this.provider.kind === 'github';
    const url = new URL(this.#redirectUri);
    url.search = queryText;
    const tokens = await oidc.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(!isGithub && { expectedNonce: nonce, idTokenExpected: true }),
    });
    return isGithub
      ? this.#githubUser(configuration, tokens.access_token)
      : openidUser(configuration, tokens);
  }

  /** Returns the provider's configuration, read at the first use; a failure is not kept. */
  #configure(): Promise<oidc.Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  async #discover(): Promise<oidc.Configuration> {
    const { kind, issuer, clientId, clientSecret } = this.provider;
    const authentication = clientSecret === undefined ? oidc.None() : withSecret(clientSecret);
    const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
    if (kind === 'openid') {
      const options = { execute, timeout: timeoutSeconds };
      return oidc.discovery(new URL(issuer), clientId, clientSecret, authentication, options);
    }
    const server = {
      issuer,
      authorization_endpoint: `${issuer}/login/oauth/authorize`,
      token_endpoint: `${issuer}/login/oauth/access_token`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
    const configuration = new oidc.Configuration(server, clientId, clientSecret, authentication);
    configuration.timeout = timeoutSeconds;
    for (const allow of execute) allow(configuration);
    return configuration;
  }

  async #githubUser(configuration: oidc.Configuration, token: string): Promise<Asserted> {
    const { issuer } = this.provider;
    const base = issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;
    const ask = async (path: string): Promise<unknown> => {
      const url = new URL(`${base}${path}`);
      const answer = await oidc.fetchProtectedResource(configuration, token, url, 'GET');
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
      return answer.json();
    };
    const user = await ask('/user');
    const answer = await ask('/user/emails');
    const emails: readonly unknown[] = Array.isArray(answer) ? answer : [];
    const id = memberOf(user, 'id');
    if (typeof id !== 'number') throw new Error('/user has no id');
    const primary = emails.find((one) => memberOf(one, 'primary') === true);
    return { issuer, subject: String(id), email: verifiedEmail(primary, 'verified') };
  }
}

/**
 * Sends the secret in the header, which is the default of the standard, unless the provider takes
 * it in the body only.
 */
function withSecret(secret: string): oidc.ClientAuth {
  const inHeader = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? inHeader : inBody;
    authenticate(server, client, body, headers);
  };
}

async function openidUser(
  configuration: oidc.Configuration,
  tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
): Promise<Asserted> {
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('there is no id token');
  const { iss: issuer, sub: subject } = claims;
  const hasEmail = claims['email'] !== undefined;
  const source = hasEmail
    ? claims
    : await oidc.fetchUserInfo(configuration, tokens.access_token, subject);
  return { issuer, subject, email: verifiedEmail(source, 'email_verified') };
}

function verifiedEmail(source: unknown, flag: string): string | undefined {
  const email = memberOf(source, 'email');
  return memberOf(source, flag) === true && typeof email === 'string' ? email : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
