import { createHash } from 'node:crypto';

import { Browser } from './browser.ts';
import type { Page } from './browser.ts';
import type { IdentityWorld } from './identity-world.ts';

/** Single steps of an application, so that a test can do one wrong. */

export const callback = 'http://127.0.0.1/callback';
/** Redirect address; native clients use any free port. */
export const asked = 'http://127.0.0.1:43210/callback';
export const verifier = 'v'.repeat(43);

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly error?: string;
}

export async function signedIn(
  { service, mail }: Pick<IdentityWorld, 'service' | 'mail'>,
  email: string,
): Promise<Browser> {
  const browser = new Browser(service.url);
  const before = mail.lettersTo(email).length;
  await browser.post('/login', { email, next: '/agents' });
  const { code } = await mail.letter(email, before + 1);
  const done = await browser.post('/login/code', { code, next: '/agents' });
  if (done.status !== 303) throw new Error(`signing in answered ${done.status}: ${done.text}`);
  return browser;
}

export async function register(url: string): Promise<string> {
  const answer = await fetch(`${url}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], client_name: 'a <b>client</b>' }),
  });
  if (answer.status !== 201) throw new Error(`registration answered ${answer.status}`);
  return ((await answer.json()) as { client_id: string }).client_id;
}

export async function send(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; json: Tokens }> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(url, { method: 'POST', body, headers });
  return { status: answer.status, json: (await answer.json()) as Tokens };
}

export function requestOf(
  clientId: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: asked,
    state: 's t&te',
    scope: 'read write',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
}

export function ask(browser: Browser, request: Readonly<Record<string, string>>): Promise<Page> {
  return browser.get(`/oauth2/authorize?${new URLSearchParams(request).toString()}`);
}

/** Returns the unescaped content of an attribute, as a browser reads it. */
export async function allow(browser: Browser, page: Page, decision = 'allow'): Promise<URL> {
  const field = (name: string): string =>
    (new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page.text)?.[1] ?? '').replaceAll(
      '&amp;',
      '&',
    );
  const fields = { form_token: field('form_token'), request: field('request'), decision };
  const answer = await browser.post('/oauth2/authorize', fields);
  if (answer.status !== 303) throw new Error(`consent answered ${answer.status}: ${answer.text}`);
  return new URL(answer.headers.get('location') ?? '');
}

export async function codeFor(browser: Browser, clientId: string): Promise<string> {
  const back = await allow(browser, await ask(browser, requestOf(clientId)));
  return back.searchParams.get('code') ?? '';
}

export function trade(
  url: string,
  clientId: string,
  code: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ status: number; json: Tokens }> {
  return send(`${url}/oauth2/token`, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: asked,
    code_verifier: verifier,
    ...more,
  });
}
