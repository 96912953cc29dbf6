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
import { agentsBody } from './agents-page.ts';
import type { Actor, OwnTable } from './sql.ts';

export interface AgentPageServices {
  readonly own: OwnTable;
  readonly sessions: Sessions;
  readonly sessionTable: SessionTable;
  readonly addresses: Addresses;
  readonly environment: Environment;
  /** Told of keys that ended or changed, by SHA-256 in hexadecimal. */
  readonly forget: (sha256: string) => void;
}

type Work = (
  call: Call,
  given: { form: URLSearchParams; actor: Actor; signedIn: SignedIn },
) => Promise<Reply>;

export function agentPageRoutes(services: AgentPageServices): Route[] {
  const { own, forget } = services;
  const ended = (sha256s: readonly string[]): Reply => {
    for (const sha256 of sha256s) forget(sha256);
    return seeOther('/agents');
  };
  return [
    rootRoute(),
    listRoute(services),
    formRoute(services, '/agents/revoke', async (_call, { form, actor }) => {
      const [key, agent, grant] = ['key', 'agent', 'grant'].map((name) => form.get(name));
      if (key) return ended(await own.revoke(actor, { key }));
      if (agent) return ended(await own.revoke(actor, { agent }));
      if (grant) return ended(await own.revoke(actor, { grant }));
      return form.get('all') === 'yes' ? ended(await own.revoke(actor, 'all')) : ended([]);
    }),
    formRoute(services, '/agents/unlink', async (_call, { form, actor }) =>
      ended(await own.unlink(actor, form.get('agent') ?? '')),
    ),
    formRoute(services, '/agents/merge', async (_call, { form, actor }) =>
      ended(await own.merge(actor, form.get('agent') ?? '')),
    ),
    formRoute(services, '/agents/keys', (_call, given) => makeKey(services, given)),
    formRoute(services, '/logout/all', async (_call, { signedIn }) => {
      await services.sessionTable.endAll(signedIn.userId);
      return seeOther('/login');
    }),
  ];
}

function rootRoute(): Route {
  return route({
    ...sitePage,
    method: 'GET',
    path: '/',
    summary: 'The page of agents',
    handler: () => seeOther('/agents'),
  });
}

function listRoute({ own, sessions, environment }: AgentPageServices): Route {
  return route({
    ...sitePage,
    method: 'GET',
    path: '/agents',
    summary: 'Agents and keys of whoever is signed in',
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
      const body = agentsBody({ agents, keys, grants, events }, signedIn.formToken);
      return pageReply({ title: 'Agents and keys', signedIn }, body);
    },
  });
}

/** A form of somebody who is signed in, sent from one of our pages. */
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
  { own, environment }: AgentPageServices,
  { form, actor, signedIn }: Parameters<Work>[1],
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
      <pre>${secret}</pre>
      <p><a href="/agents">Back</a></p>`,
  );
}
