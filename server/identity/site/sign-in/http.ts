import { z } from 'zod';

import { route } from '../../../http/route.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import type { Addresses } from '../../../model/addresses.ts';
import { Failure } from '../../../model/failure.ts';
import type { FailureKey } from '../../../model/failure.ts';
import { bodyLimits, codeLimits } from '../../../model/limits.ts';
import type { Claims, Origin } from '../../claims/claims.ts';
import type { Completions } from '../../claims/completion/completions.ts';
import { parseEmail } from '../../claims/http.ts';
import { refusedCode } from '../../claims/refusal.ts';
import type { Attempt, ClaimTable } from '../../claims/sql.ts';
import { maskEmail } from '../../email-address.ts';
import { readCode } from '../../one-time-code.ts';
import { checkSameSite, localPath } from '../form.ts';
import { html } from '../page.ts';
import type { Markup } from '../page.ts';
import { pageReply, refusalPage, seeOther } from '../reply.ts';
import type { Provider } from '../upstream/providers.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Sessions } from './sessions.ts';

export interface SignInServices {
  readonly claims: Claims;
  readonly claimTable: ClaimTable;
  readonly completions: Completions;
  readonly sessions: Sessions;
  readonly upstream: Upstream;
  readonly addresses: Addresses;
}

export const formType = 'application/x-www-form-urlencoded';
export const htmlType = 'text/html';
export const sitePage = {
  host: 'site',
  scope: null,
  tag: 'Site',
  hidden: true,
  idempotency: 'none',
  produces: [htmlType],
  responses: { 200: { description: 'A page', types: [htmlType] } },
} as const;
export const siteForm = {
  ...sitePage,
  method: 'POST',
  files: [formType],
  bodyLimitBytes: bodyLimits.identityBytes,
} as const;

type FormCall = Pick<Call, 'file' | 'header' | 'address' | 'requestId'>;

/** Reads the fields of a form; fails unless a page of this site sent it. */
export function readForm(call: FormCall, siteUrl: string): URLSearchParams {
  const fetchSite = call.header('sec-fetch-site');
  checkSameSite({ fetchSite, origin: call.header('origin') }, siteUrl);
  return new URLSearchParams(Buffer.from(call.file?.bytes ?? []).toString('utf8'));
}

export async function asPage(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    return refusalPage(error);
  }
}

export function signInRoutes(services: SignInServices): Route[] {
  return [loginPage(services), sendRoute(services), codeRoute(services), logoutRoute(services)];
}

const loginQuery = z.strictObject({ next: z.string().max(2000).optional() });

function loginPage({ upstream, addresses: { siteUrl } }: SignInServices): Route {
  return route({
    ...sitePage,
    method: 'GET',
    path: '/login',
    summary: 'Signing in',
    request: { query: loginQuery },
    handler: ({ query }) => {
      const next = localPath(query.next, siteUrl);
      return pageReply(
        { title: 'Sign in' },
        html`${emailForm(next)}${providerLinks(upstream.providers, next)}`,
      );
    },
  });
}

function providerLinks(providers: readonly Provider[], next: string): Markup | undefined {
  if (providers.length === 0) return undefined;
  const links = providers.map(({ id, name }) => {
    const href = `/login/${id}?next=${encodeURIComponent(next)}`;
    return html`<li><a href="${href}">Sign in with ${name}</a></li>`;
  });
  return html`<h2>Or with an account you have</h2>
    <ul>
      ${links}
    </ul>`;
}

function emailForm(next: string): Markup {
  return html`<p>A code comes by mail. There is no password.</p>
    <form method="post" action="/login">
      <input type="hidden" name="next" value="${next}" />
      <label for="email">E-mail address</label>
      <input type="email" id="email" name="email" autocomplete="email" required autofocus />
      <button>Send me a code</button>
    </form>`;
}

/**
 * Route that sends a code; neither its answer nor its duration depends on whether there is an
 * account.
 */
function sendRoute({ claims, sessions, addresses: { siteUrl } }: SignInServices): Route {
  return route({
    ...siteForm,
    path: '/login',
    summary: 'Sends a code for signing in',
    handler: (call) =>
      asPage(async () => {
        const form = readForm(call, siteUrl);
        const { address, requestId } = call;
        const email = parseEmail(form.get('email') ?? '', 'email');
        const browser = sessions.knownBrowser(call.header('cookie'), email);
        const { attemptId } = await claims.signIn(email, browser, { address, requestId });
        const reply = pageReply(
          { title: 'Enter the code' },
          codeForm(localPath(form.get('next'), siteUrl), email),
        );
        const cookie = sessions.cookie('signin', attemptId, codeLimits.lifeMinutes * 60);
        return { ...reply, cookies: [cookie] };
      }),
  });
}

function codeForm(next: string, email: string, refusal?: Failure): Markup {
  const sent = html`<p>
    A code was sent to ${maskEmail(email)}. It counts for ${codeLimits.lifeMinutes} minutes.
  </p>`;
  return html`${refusal === undefined ? sent : html`<p role="alert">${refusal.detail}</p>`}
    <form method="post" action="/login/code">
      <input type="hidden" name="next" value="${next}" />
      <label for="code">Code</label>
      <input
        type="text"
        id="code"
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        required
        autofocus
      />
      <button>Sign in</button>
    </form>
    <p><a href="/login">Send another one</a></p>`;
}

/** Route that takes a code, only in the browser that asked for it. */
function codeRoute(services: SignInServices): Route {
  const { claimTable, sessions, addresses } = services;
  return route({
    ...siteForm,
    path: '/login/code',
    summary: 'Signs in with the code',
    handler: (call) =>
      asPage(async () => {
        const form = readForm(call, addresses.siteUrl);
        const { address, requestId } = call;
        const origin = { address, requestId };
        await services.claims.countCompletion(address);
        const attemptId = sessions.read(call.header('cookie'), 'signin');
        const attempt = attemptId === undefined ? undefined : await claimTable.signIn(attemptId);
        if (attempt === undefined) throw refusedCode('none', addresses);
        const next = localPath(form.get('next'), addresses.siteUrl);
        try {
          await useCode(services, attempt, { ...origin, text: form.get('code') ?? '' });
        } catch (error) {
          if (!(error instanceof Failure && retriable.has(error.key))) throw error;
          return pageReply(
            { title: 'Enter the code' },
            codeForm(next, attempt.email, error),
            error.status,
          );
        }
        const { email } = attempt;
        const session = await sessions.begin({ email, upstream: undefined }, origin);
        return seeOther(next, [session, sessions.rememberBrowser(email)]);
      }),
  });
}

/** Failures after which the same code can be typed again. */
const retriable: ReadonlySet<FailureKey> = new Set(['otpInvalid', 'invalidRequest']);

/** Consumes the code of a sign-in attempt, or fails. */
async function useCode(
  { completions, claimTable, addresses }: SignInServices,
  attempt: Attempt,
  { text, ...origin }: Origin & { readonly text: string },
): Promise<void> {
  const code = readCode(text);
  if (code === undefined) throw refusedCode('malformed', addresses);
  const none = { registrationId: undefined, userId: undefined };
  await completions.check(attempt, code, { ...origin, ...none });
  if (!(await claimTable.use(attempt))) throw refusedCode('expired', addresses);
}

function logoutRoute({ sessions, addresses: { siteUrl } }: SignInServices): Route {
  return route({
    ...siteForm,
    path: '/logout',
    summary: 'Signs out',
    handler: (call) =>
      asPage(async () => {
        const form = readForm(call, siteUrl);
        const signedIn = await sessions.find(call.header('cookie'));
        if (signedIn === undefined) return seeOther('/login');
        sessions.checkForm(signedIn, form.get('form_token'));
        return seeOther('/login', [await sessions.end(signedIn)]);
      }),
  });
}
