import t from 'tap';

import { letterTo, newEmail } from '../support/claimed-agent.ts';
import { TestService } from '../support/test-service.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

interface Metadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly issuer: string;
  readonly agent_auth: Readonly<
    Record<'register_uri' | 'claim_uri' | 'claim_complete_uri' | 'skill', string>
  >;
}

/** An agent that was told one address, and believes nothing that it has not read from there. */
class Stranger {
  credential: string | undefined;
  claimToken: string | undefined;
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async ask(url: string, body?: unknown): Promise<Answer> {
    const answer = await fetch(new URL(url, this.#baseUrl), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(this.credential !== undefined && { authorization: `Bearer ${this.credential}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get('content-type') ?? '');
    const json = (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>;
    return { status: answer.status, headers: answer.headers, json };
  }

  /** From a refusal to the resource, from there to the server that gives out credentials. */
  async discover(): Promise<Metadata> {
    const refused = await this.ask('/v1/workbooks');
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const place = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const resource = (await this.ask(place)).json as object as Metadata;
    if (resource.resource !== this.#baseUrl) throw new Error('it is about another resource');
    const [issuer = ''] = resource.authorization_servers;
    const server = await this.ask(`${issuer}/.well-known/oauth-authorization-server`);
    const metadata = server.json as object as Metadata;
    if (metadata.issuer !== issuer) throw new Error('it is about another server');
    return metadata;
  }

  async register({ agent_auth: { register_uri } }: Metadata): Promise<void> {
    const { json } = await this.ask(register_uri, { type: 'anonymous' });
    const { credential, claim_token } = json['data'] as Record<string, string>;
    this.credential = credential;
    this.claimToken = claim_token;
  }

  async claim(
    { agent_auth: { claim_uri, claim_complete_uri } }: Metadata,
    email: string,
    more: { link?: boolean; readCode: () => Promise<string> },
  ): Promise<Record<string, unknown>> {
    const { link, readCode } = more;
    const claim_token = this.claimToken;
    const sent = await this.ask(claim_uri, { claim_token, email, ...(link && { link }) });
    if (sent.status !== 200) throw new Error(JSON.stringify(sent.json));
    const { json } = await this.ask(claim_complete_uri, { claim_token, otp: await readCode() });
    const data = json['data'] as Record<string, unknown>;
    this.credential = String(data['credential']);
    return data;
  }
}

const profiles = {
  'on one port': {},
  'on three ports': { LISTEN_API: '0', LISTEN_AUTH: '0', LISTEN_SITE: '0' },
};

for (const [name, settings] of Object.entries(profiles)) {
  t.test(`who is told the base address alone comes to everything, ${name}`, async (t) => {
    const service = await TestService.start(t, settings);
    const { baseUrl, siteUrl } = service.app.addresses;
    const email = newEmail();
    let last: string | undefined;
    const readCode = async (): Promise<string> => {
      const { code } = await letterTo(siteUrl, email, last);
      last = code;
      return code;
    };
    const work = async (stranger: Stranger, title: string): Promise<string> => {
      const made = await stranger.ask('/v1/workbooks', { name: title });
      t.equal(made.status, 201);
      const id = String(made.json['id']);
      const cells = [{ a1: 'A1', input: 7 }];
      const done = await stranger.ask(`/v1/workbooks/${id}/branches/main/ops`, {
        ops: [{ kind: 'cells.set', payload: { cells } }],
      });
      t.equal(done.status, 200);
      return id;
    };

    const linked = new Stranger(baseUrl);
    const metadata = await linked.discover();
    const skill = await linked.ask(metadata.agent_auth.skill);
    t.match(skill.json, { text: /^# auth\.md/ }, 'the page for agents is where it says');
    await linked.register(metadata);
    const kept = await work(linked, 'budget');
    const link = await linked.claim(metadata, email, { link: true, readCode });
    t.match(link, { mode: 'link', scopes: ['read', 'write', 'account'] });
    t.equal((await linked.ask(`/v1/workbooks/${kept}`)).status, 200);
    t.equal((await linked.ask('/v1/account/usage')).status, 200, 'the scope account counts');

    const merged = new Stranger(baseUrl);
    await merged.register(await merged.discover());
    const moved = await work(merged, 'budget');
    const merge = await merged.claim(metadata, email, { readCode });
    t.match(merge, { mode: 'merge', transferred: { workbooks: 1 } });
    const { json: own } = await merged.ask(`/v1/workbooks/${moved}`);
    t.match(own, { namespace: email.split('@')[0] }, JSON.stringify(own));
    t.equal((await merged.ask(`/v1/workbooks/${kept}`)).status, 200, 'and the linked one, too');
    t.equal((await linked.ask(`/v1/workbooks/${moved}`)).status, 404, 'but not the other way');
  });
}
