import { route } from '../../../http/route.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import type { Addresses } from '../../../model/addresses.ts';
import type { Scope } from '../../../model/scope.ts';
import { html, pageHeaders } from '../../site/page.ts';
import type { Markup } from '../../site/page.ts';
import { pageReply, refusalPage, seeOther } from '../../site/reply.ts';
import { asPage, readForm, siteForm, sitePage } from '../../site/sign-in/http.ts';
import type { Sessions, SignedIn } from '../../site/sign-in/sessions.ts';
import type { Asked, Authorization } from '../authorization.ts';
import { documentUrl } from '../clients/client-document.ts';
import { formTarget } from '../redirect-uri.ts';

export interface ConsentServices {
  readonly authorization: Authorization;
  readonly sessions: Sessions;
  readonly addresses: Addresses;
}

const path = '/oauth2/authorize';

const inWords: Readonly<Record<Scope, string>> = {
  read: 'read all your workbooks and those of your agents',
  write: 'change them and make new ones',
  account: 'see what your account uses, and purge workbooks',
};

/** Routes that show a client's request to a signed-in person and take the answer. */
export function consentRoutes(services: ConsentServices): Route[] {
  const { authorization, sessions, addresses } = services;
  return [
    route({
      ...sitePage,
      method: 'GET',
      path: '/oauth2/authorize',
      lenient: true,
      summary: 'Asks a person whether a client may act for them',
      handler: async (call) => {
        try {
          return await ask(services, call);
        } catch (error) {
          return refusalPage(error);
        }
      },
    }),
    route({
      ...siteForm,
      path: '/oauth2/authorize',
      summary: 'Takes what the person said',
      handler: (call) =>
        asPage(async () => {
          const form = readForm(call, addresses.siteUrl);
          const signedIn = await sessions.find(call.header('cookie'));
          if (signedIn === undefined) return seeOther('/login');
          sessions.checkForm(signedIn, form.get('form_token'));
          const asked = await authorization.read(
            new URLSearchParams(form.get('request') ?? ''),
            call.address,
          );
          if ('location' in asked) return leadBack(asked.location);
          if (form.get('decision') !== 'allow') {
            const refused = authorization.decline(asked, 'access_denied', 'the person refused');
            return leadBack(refused.location);
          }
          return leadBack(await authorization.grant(asked, signedIn.userId));
        }),
    }),
  ];
}

async function ask({ authorization, sessions }: ConsentServices, call: Call): Promise<Reply> {
  const signedIn = await sessions.find(call.header('cookie'));
  // Only signed-in people cause a client's document to be fetched, so that strangers cannot make
  // the service send requests.
  if (signedIn === undefined) {
    return seeOther(`/login?next=${encodeURIComponent(`${path}?${call.queryText}`)}`);
  }
  const asked = await authorization.read(new URLSearchParams(call.queryText), call.address);
  if ('location' in asked) return leadBack(asked.location);
  return consentPage(asked, signedIn, call.queryText);
}

function consentPage(asked: Asked, signedIn: SignedIn, request: string): Reply {
  const { client, redirectUri, scopes } = asked;
  const target = formTarget(redirectUri);
  const reply = pageReply(
    { title: 'Allow access?', signedIn },
    html`<p>
        <strong>${client.name}</strong>${documentHost(client.clientId)} at
        <code>${target}</code> wants to act for you at <code>${asked.resource}</code>. It may then:
      </p>
      <ul>
        ${scopes.map((scope) => html`<li>${inWords[scope]}</li>`)}
      </ul>
      <p class="quiet">
        The name is what the application calls itself; the address is where you will be sent. You
        can take this back at any time under <a href="/agents">agents</a>.
      </p>
      <form method="post" action="${path}">
        <input type="hidden" name="form_token" value="${signedIn.formToken}" />
        <input type="hidden" name="request" value="${request}" />
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="refuse" class="plain">Refuse</button>
      </form>`,
  );
  // Browsers apply the policy to the redirect after a form, too.
  const policy = pageHeaders['Content-Security-Policy'] ?? '';
  const wider = policy.replace("form-action 'self'", `form-action 'self' ${target}`);
  return { ...reply, headers: { ...reply.headers, 'Content-Security-Policy': wider } };
}

/** Returns the host that vouches for the client's name. */
function documentHost(clientId: string): Markup | undefined {
  const url = documentUrl(clientId);
  return url && html` of <code>${url.host}</code>`;
}

function leadBack(location: string): Reply {
  return { status: 303, headers: { Location: location }, cacheControl: 'no-store' };
}
