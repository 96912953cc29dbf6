import { z } from 'zod';

import { isLocalCall } from '../../http/client-address.ts';
import { preferred } from '../../http/negotiate.ts';
import { route } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import { Failure } from '../../model/failure.ts';
import { readInbox } from '../mail/inbox.ts';
import type { MailTransport } from '../mail/transport.ts';
import { agentPageRoutes } from './agents/http.ts';
import type { AgentPageServices } from './agents/http.ts';
import { html } from './page.ts';
import { pageReply } from './reply.ts';
import { formType, htmlType, signInRoutes } from './sign-in/http.ts';
import type { SignInServices } from './sign-in/http.ts';
import { upstreamRoutes } from './upstream/http.ts';
import type { UpstreamServices } from './upstream/http.ts';

export interface SiteServices extends SignInServices, AgentPageServices, UpstreamServices {
  readonly transport: MailTransport;
  /** True when the site shows letters to a developer. */
  readonly showsMail: boolean;
}

const site = { host: 'site', scope: null, tag: 'Site', hidden: true } as const;
const pages = { 200: { description: 'A page', types: [htmlType] } } as const;

export function siteRoutes(services: SiteServices): Route[] {
  const routes = [
    ...denyRoutes(services),
    ...signInRoutes(services),
    ...upstreamRoutes(services),
    ...agentPageRoutes(services),
    ...textRoutes(),
  ];
  return services.showsMail ? [...routes, inboxRoute(services)] : routes;
}

/** Pages that the discovery documents point to; an operator can replace them. */
function textRoutes(): Route[] {
  const texts = [
    {
      path: '/policy',
      title: 'Policy',
      text: 'Workbooks and journals are kept until they are purged. Of people the service keeps an e-mail address, of requests the client address and the time. Letters carry codes and nothing else.',
    },
    {
      path: '/terms',
      title: 'Terms',
      text: 'The operator of this service sets its terms. The software comes under the Apache License 2.0, without warranty.',
    },
  ] as const;
  return texts.map(({ path, title, text }) =>
    route({
      ...site,
      method: 'GET',
      path,
      summary: title,
      produces: [htmlType],
      responses: pages,
      handler: () => pageReply({ title }, html`<p>${text}</p>`),
    }),
  );
}

const denyQuery = z.strictObject({ token: z.string().max(100) });

/**
 * Routes of the link "If this was not you". The link only shows a button, because mail programs follow links on
 * their own.
 */
function denyRoutes({ claims }: SiteServices): Route[] {
  return [
    route({
      ...site,
      method: 'GET',
      path: '/claim/deny',
      summary: 'Asks whether to refuse a code',
      produces: [htmlType],
      request: { query: denyQuery },
      responses: pages,
      handler: ({ query: { token } }) =>
        pageReply(
          { title: 'This was not me' },
          html`<p>
              The code in the letter will not count any more, and no agent can have a code sent to
              your address for a day. You can still sign in.
            </p>
            <form method="post" action="/claim/deny?token=${encodeURIComponent(token)}">
              <button>Refuse the code</button>
            </form>`,
        ),
    }),
    route({
      ...site,
      method: 'POST',
      path: '/claim/deny',
      summary: 'Refuses a code',
      produces: [htmlType],
      files: [formType],
      bodyOptional: true,
      request: { query: denyQuery },
      responses: pages,
      handler: async ({ query: { token }, address, requestId }) => {
        // The answer is the same for an unknown token, so that nothing can be learned from it.
        await claims.deny(token, { address, requestId });
        return pageReply({ title: 'Refused' }, html`<p>The code does not count any more.</p>`);
      },
    }),
  ];
}

function inboxRoute({ transport }: SiteServices): Route {
  return route({
    ...site,
    method: 'GET',
    path: '/_dev/mail',
    limit: 'none',
    summary: 'Letters that were written to the folder (development)',
    produces: [htmlType],
    responses: { 200: { description: 'The latest letters', types: [htmlType] } },
    handler: async (call) => {
      const { header } = call;
      const letters = isLocalCall(call) ? await readInbox(transport) : undefined;
      if (letters === undefined) throw new Failure('notFound');
      if (preferred(header('accept'), ['application/json', htmlType]) !== htmlType) {
        return { value: { letters } };
      }
      const rows = letters.map(
        ({ to, subject, date, deny }) =>
          html`<tr>
            <td>${to}</td>
            <td>${subject}</td>
            <td>${date}</td>
            <td>${deny !== undefined && html`<a href="${deny}">not me</a>`}</td>
          </tr>`,
      );
      const head = html`<thead>
        <tr>
          <th>To</th>
          <th>Subject</th>
          <th>When</th>
          <th></th>
        </tr>
      </thead>`;
      return pageReply(
        { title: 'Mail' },
        letters.length === 0
          ? html`<p>No letters yet.</p>`
          : html`<table>
              ${head}
              <tbody>
                ${rows}
              </tbody>
            </table>`,
      );
    },
  });
}
