import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { hostname } from 'node:os';
import type { AddressInfo } from 'node:net';

import { openInBrowser } from './browser.ts';
import type { Context } from './context.ts';
import { discover, form, granted, sent, type AuthorizationServer } from './oauth.ts';
import { exitCodes, Stop } from './stop.ts';

const scopes = 'read write account';
/** Time in which a person has to agree in the browser. */
const patienceMilliseconds = 600_000;

/** Signs in by OAuth: a person agrees in the browser, which hands a code to this machine. */
export async function loginByBrowser(context: Context): Promise<number> {
  const { terminal, url } = context;
  const server = await discover(url, context.signal);
  const loopback = createServer();
  loopback.listen(0, '127.0.0.1');
  await once(loopback, 'listening');
  try {
    const { port } = loopback.address() as AddressInfo;
    const redirect = `http://127.0.0.1:${port}/callback`;
    const clientId = await registered(server, redirect, context.signal);
    const verifier = secret();
    const state = secret();
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      state,
      scope: scopes,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const address = `${server.authorization_endpoint}?${query.toString()}`;
    const opened = terminal.isInteractive && (await openInBrowser(address));
    terminal.warn(opened ? 'Agree in the browser, which is at' : 'Open this address in a browser:');
    terminal.warn(`  ${address}`);
    const code = await answered(loopback, { state, issuer: server.issuer }, context.signal);
    const fields = { grant_type: 'authorization_code', client_id: clientId, code };
    const more = { redirect_uri: redirect, code_verifier: verifier };
    const tokens = await form(server.token_endpoint, { ...fields, ...more }, context.signal);
    const { token_endpoint: tokenEndpoint, revocation_endpoint: revocationEndpoint } = server;
    context.keepOnly(granted(tokens, { clientId, tokenEndpoint, revocationEndpoint }));
  } finally {
    loopback.closeAllConnections();
    loopback.close();
  }
  const me = await context.quire().whoami({ signal: context.signal });
  if (terminal.isJson) terminal.json(me);
  else terminal.print(`Signed in at ${url} as ${me.user_id}, may ${me.scopes.join(', ')}.`);
  return exitCodes.done;
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

async function registered(
  { registration_endpoint: endpoint }: AuthorizationServer,
  redirect: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await sent(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect], client_name: `quire on ${hostname()}` }),
    signal,
  });
  const answer = (await response.json()) as { client_id?: string; error_description?: string };
  if (answer.client_id !== undefined) return answer.client_id;
  const why = answer.error_description ?? `it answered ${response.status}`;
  throw new Stop(exitCodes.failed, `This program could not be registered: ${why}`);
}

/** Resolves with the code that the browser brings back; other requests are refused. */
async function answered(loopback: Server, wanted: Wanted, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = new Stop(exitCodes.later, 'Nobody agreed. Try again when you are there.');
    const timer = setTimeout(() => reject(late), patienceMilliseconds);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    loopback.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs = pathname === '/callback' && isFrom(searchParams, wanted);
      const code = isOurs ? searchParams.get('code') : null;
      const said = code === null ? 'That did not work' : 'You are signed in';
      response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain' });
      response.end(`${said}. You can close this window and go back to the terminal.\n`);
      if (!isOurs) return;
      clearTimeout(timer);
      if (code === null) reject(refusal(searchParams));
      else resolve(code);
    });
  });
}

interface Wanted {
  readonly state: string;
  readonly issuer: string;
}

function isFrom(query: URLSearchParams, { state, issuer }: Wanted): boolean {
  return query.get('state') === state && (query.get('iss') ?? issuer) === issuer;
}

function refusal(query: URLSearchParams): Stop {
  const why = query.get('error_description') ?? query.get('error') ?? 'no code came';
  return new Stop(exitCodes.notAllowed, `You were not signed in: ${why}`);
}
