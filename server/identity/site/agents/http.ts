import { z } from 'zod';

import { route } from '../../../http/route.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import type { Addresses } from '../../../model/addresses.ts';
import type { Environment } from '../../../model/environment.ts';
import { Failure } from '../../../model/failure.ts';
import { makeId } from '../../../model/identifier.ts';
import { makeSecret, secretHash } from '../../credential.ts';
import { html } from '../page.ts';
import { pageReply, seeOther } from '../reply.ts';
import { asPage, readForm, siteForm, sitePage } from '../sign-in/http.ts';
import type { Sessions, SignedIn } from '../sign-in/sessions.ts';
import type { SessionTable } from '../sign-in/sql.ts';
import { agentsBody, confirmationBody, doneKinds, stepTitles } from './agents-page.ts';
import type { Done, Step } from './agents-page.ts';
import type { Actor, OwnTable } from './sql.ts';

export interface AgentPageServices {
  readonly own: OwnTable;
  readonly sessions: Sessions;
  readonly sessionTable: SessionTable;
  readonly addresses: Addresses;
  readonly environment: Environment;
  /** Called with the SHA-256 in hexadecimal of each key that ended or changed. */
  readonly forget: (sha256: string) => void;
}

interface Given {
  readonly form: URLSearchParams;
  readonly actor: Actor;
  readonly signedIn: SignedIn;
}

type Work = (call: Call, given: Given) => Promise<Reply>;

function isSure(form: URLSearchParams): boolean {
  return form.get('sure') === 'yes';
}

/** Returns the page that explains the effect of a step and asks again, with a way back. */
function confirmation({ form, signedIn }: Given, step: Step): Reply {
  return pageReply({ title: stepTitles[step], signedIn }, confirmationBody(step, form));
}

export function agentPageRoutes(services: AgentPageServices): Route[] {
  const { own, forget } = services;
  const ended = (sha256s: readonly string[], done: Done): Reply => {
    for (const sha256 of sha256s) forget(sha256);
    return seeOther(`/agents?done=${done}`);
  };
  return [
    listRoute(services),
    formRoute(services, '/agents/revoke', async (_call, given) => {
      const { form, actor } = given;
      const [key, agent, grant] = ['key', 'agent', 'grant'].map((name) => form.get(name));
      if (key) return ended(await own.revoke(actor, { key }), 'revoked');
      if (agent) return ended(await own.revoke(actor, { agent }), 'revoked');
      if (grant) return ended(await own.revoke(actor, { grant }), 'revoked');
      if (form.get('all') !== 'yes') return seeOther('/agents');
      if (!isSure(form)) return confirmation(given, 'revokeAll');
      return ended(await own.revoke(actor, 'all'), 'revokedAll');
    }),
    formRoute(services, '/agents/unlink', async (_call, given) =>
      isSure(given.form)
        ? ended(await own.unlink(given.actor, given.form.get('agent') ?? ''), 'unlinked')
        : confirmation(given, 'unlink'),
    ),
    formRoute(services, '/agents/merge', async (_call, given) =>
      isSure(given.form)
        ? ended(await own.merge(given.actor, given.form.get('agent') ?? ''), 'merged')
        : confirmation(given, 'merge'),
    ),
    formRoute(services, '/agents/keys', (_call, given) => makeKey(services, given)),
    formRoute(services, '/logout/all', async (_call, { signedIn }) => {
      await services.sessionTable.endAll(signedIn.userId);
      return seeOther('/login');
    }),
  ];
}

function listRoute({ own, sessions, environment }: AgentPageServices): Route {
  return route({
    ...sitePage,
    method: 'GET',
    path: '/agents',
    summary: 'Agents and keys of whoever is signed in',
    request: { query: z.strictObject({ done: z.enum(doneKinds).optional() }) },
    handler: async (call) => {
      const signedIn = await sessions.find(call.header('cookie'));
      if (signedIn === undefined) return seeOther('/login?next=/agents');
      const { userId } = signedIn;
      const [agents, keys, grants, events] = await Promise.all([
        own.agents(userId),
        own.keys(userId, new Date(environment.now())),
        own.grants(userId),
        own.events(userId),
      ]);
      const things = { agents, keys, grants, events, done: call.query.done };
      const body = agentsBody(things, signedIn.formToken);
      return pageReply({ title: 'Agents and keys', signedIn }, body);
    },
  });
}

/** Makes the route of a form that a signed-in person sends from a page of this site. */
function formRoute(services: AgentPageServices, path: string, work: Work): Route {
  const { sessions, addresses, environment } = services;
  return route({
    ...siteForm,
    path,
    summary: 'A form of the page of agents',
    handler: (call) =>
      asPage(async () => {
        const form = readForm(call, addresses.siteUrl);
        const signedIn = await sessions.find(call.header('cookie'));
        if (signedIn === undefined) return seeOther('/login?next=/agents');
        sessions.checkForm(signedIn, form.get('form_token'));
        const { address, requestId } = call;
        const at = new Date(environment.now());
        const actor = { personId: signedIn.userId, address, requestId, at };
        return work(call, { form, actor, signedIn });
      }),
  });
}

async function makeKey(
  { own, environment, addresses }: AgentPageServices,
  { form, actor, signedIn }: Given,
): Promise<Reply> {
  const secret = makeSecret('wbk_live_', environment);
  const label = (form.get('label') ?? '').trim().slice(0, 60) || 'key';
  const made = await own.makeKey(actor, {
    id: makeId('crd_', environment),
    sha256: secretHash(secret),
    last4: secret.slice(-4),
    label,
  });
  if (!made) throw new Failure('tooManyCredentials', { hint: 'Revoke one first.' });
  return pageReply(
    { title: 'Your new key', signedIn },
    html`<p>It is shown this once. It opens your whole account.</p>
      <pre id="secret">${secret}</pre>
      <button data-copy="secret" hidden>Copy the key</button>
      <h2>Try it</h2>
      <pre id="example">
curl ${addresses.baseUrl}/v1/workbooks -H "Authorization: Bearer ${secret}"</pre>
      <button class="second" data-copy="example" hidden>Copy the command</button>
      <p><a href="/agents">Back</a></p>`,
  );
}
