import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Configuration } from 'oidc-provider';
import type { Test } from 'tap';

export interface Account {
  email?: string;
  email_verified?: boolean;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A third-party OpenID provider, with people who sign in there. */
export class UpstreamProvider {
  readonly issuer: string;
  /** By what people sign in as. */
  readonly accounts = new Map<string, Account>();
  readonly clientSecret = 'a secret of the client that is long';
  #handler: Handler = (_request, response) => void response.writeHead(503).end();

  private constructor(issuer: string) {
    this.issuer = issuer;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<UpstreamProvider> {
    const holder: { provider?: UpstreamProvider } = {};
    const server = createServer((request, response) => {
      holder.provider?.handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    holder.provider = new UpstreamProvider(`http://127.0.0.1:${port}`);
    return holder.provider;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    this.#handler(request, response);
  }

  /** Sets the addresses to which it redirects. */
  serve(redirectUris: string[], more: Partial<Configuration> = {}): void {
    const provider = new Provider(this.issuer, {
      clients: [
        { client_id: 'quire', client_secret: this.clientSecret, redirect_uris: redirectUris },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...this.accounts.get(id) }),
      }),
      cookies: { keys: ['a key of cookies'] },
      pkce: { required: () => true },
      ...more,
    });
    const callback = provider.callback();
    this.#handler = (request, response) => void callback(request, response);
  }

  /** Goes where the browser was sent, signs in and agrees; returns where it is sent back to. */
  async visit(location: string, name: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = location;
    for (let step = 0; step < 12; step++) {
      const page = await this.#load(next, cookies);
      if (page.location !== undefined) {
        next = new URL(page.location, next).href;
        if (!next.startsWith(this.issuer)) return new URL(next);
        continue;
      }
      const action = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
      if (action === undefined || prompt === undefined) throw new Error(page.text.slice(0, 2000));
      const body = new URLSearchParams({ prompt, login: name, password: 'any' });
      const sent = await this.#load(action, cookies, body);
      next = new URL(sent.location ?? '', action).href;
    }
    throw new Error('the provider led nowhere');
  }

  async #load(
    url: string,
    cookies: Map<string, string>,
    body?: URLSearchParams,
  ): Promise<{ location: string | undefined; text: string }> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return { location: answer.headers.get('location') ?? undefined, text: await answer.text() };
  }
}
