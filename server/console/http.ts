import { z } from 'zod';

import { route, type Call, type Reply, type Route } from '../http/route.ts';
import { readBearer, type Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { OauthTable } from '../identity/oauth/sql.ts';
import { revokeSecret } from '../identity/revoking.ts';
import { checkSameSite } from '../identity/site/form.ts';
import { escapeHtml, pageHeaders, pageType } from '../identity/site/page.ts';
import type { Sessions } from '../identity/site/sign-in/sessions.ts';
import type { Addresses } from '../model/addresses.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { readAssets, type Asset, type ConsoleAssets } from './assets.ts';
import { makeToken, tokenSeconds } from './token.ts';

export interface ConsoleServices {
  readonly store: Pick<IdentityStore, 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly sessions: Sessions;
  readonly oauthTable: OauthTable;
  readonly addresses: Addresses;
  readonly environment: Environment;
}

const htmlType = 'text/html';
const site = {
  host: 'site',
  scope: null,
  tag: 'Site',
  hidden: true,
  idempotency: 'none',
} as const;
const yearSeconds = 31_536_000;

/** The console: a shell of HTML, its files, and the token that it calls the service with. */
export function consoleRoutes(services: ConsoleServices): Route[] {
  const assets = readAssets();
  const { addresses } = services;
  const shell = (): Reply => shellReply(assets, addresses);
  const page = {
    ...site,
    method: 'GET',
    // The query of the address of a screen is for the page alone.
    lenient: true,
    produces: [htmlType],
    responses: { 200: { description: 'The console', types: [htmlType] } },
    handler: shell,
  } as const;
  return [
    assetRoute(assets),
    tokenRoute(services),
    signOutRoute(services),
    route({ ...page, path: '/console', summary: 'The console' }),
    route({
      ...page,
      path: '/console/*',
      summary: 'A screen of the console',
      request: { params: z.strictObject({ rest: z.string() }) },
    }),
  ];
}

/** Trusted Types and no inline code: nothing that stands in a cell can ever become code. */
function contentPolicy({ baseUrl }: Addresses): string {
  const { origin } = new URL(baseUrl);
  const socket = origin.replace(/^http/u, 'ws');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self' ${origin} ${socket}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function shellReply(assets: ConsoleAssets | undefined, addresses: Addresses): Reply {
  const text = assets
    ? `<meta name="quire-functions" content="/console/-/assets/${assets.functions}">
<link rel="stylesheet" href="/console/-/assets/${assets.style}">
<script type="module" src="/console/-/assets/${assets.script}"></script>
</head><body><div id="console"></div><noscript>The console needs JavaScript.</noscript></body>`
    : '</head><body><p>The console is not built: run npm run build. The service works without it.</p></body>';
  const bytes = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="quire-base-url" content="${escapeHtml(addresses.baseUrl)}">
<title>Quire</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${text}</html>
`;
  return {
    bytes,
    type: pageType,
    cacheControl: 'no-cache',
    headers: { ...pageHeaders, 'Content-Security-Policy': contentPolicy(addresses) },
  };
}

function assetRoute(assets: ConsoleAssets | undefined): Route {
  return route({
    ...site,
    method: 'GET',
    path: '/console/-/assets/:file',
    limit: 'none',
    summary: 'A file of the console',
    request: { params: z.strictObject({ file: z.string() }) },
    produces: ['*/*'],
    responses: { 200: { description: 'The file' } },
    handler: (call) => {
      const asset = assets?.files.get(call.params.file);
      if (!asset) throw new Failure('notFound');
      return assetReply(asset, call);
    },
  });
}

function assetReply(asset: Asset, call: Pick<Call, 'header'>): Reply {
  const accepted = call.header('accept-encoding') ?? '';
  const [encoding, bytes] = /\bbr\b/u.test(accepted)
    ? ['br', asset.brotli]
    : /\bgzip\b/u.test(accepted)
      ? ['gzip', asset.gzip]
      : ['identity', asset.plain];
  return {
    bytes,
    type: asset.type,
    etag: `${asset.sha256.slice(0, 16)}-${encoding}`,
    cacheControl: `public, max-age=${yearSeconds}, immutable`,
    headers: { ...(encoding !== 'identity' && { 'Content-Encoding': encoding }) },
  };
}

/** The session's cookie is for pages of this site; calls of the service carry a bearer token. */
function tokenRoute({ sessions, oauthTable, addresses, environment }: ConsoleServices): Route {
  return route({
    ...site,
    method: 'POST',
    path: '/console/-/token',
    summary: 'A token of an hour for the person who is signed in; null for nobody',
    bodyOptional: true,
    responses: { 200: { description: 'A token' } },
    handler: async (call) => {
      const fetchSite = call.header('sec-fetch-site');
      checkSameSite({ fetchSite, origin: call.header('origin') }, addresses.siteUrl);
      const signedIn = await sessions.find(call.header('cookie'));
      // Not a failure: browsers would write one into the log of a page that only asks.
      if (!signedIn) return { value: { access_token: null }, cacheControl: 'no-store' };
      const { userId } = signedIn;
      const token = await makeToken(
        { userId, resource: addresses.baseUrl },
        { oauthTable, environment },
      );
      return {
        value: { access_token: token, token_type: 'Bearer', expires_in: tokenSeconds },
        cacheControl: 'no-store',
      };
    },
  });
}

/** Ends the session of this browser and the token of the page. */
function signOutRoute(services: ConsoleServices): Route {
  const { sessions, addresses } = services;
  return route({
    ...site,
    method: 'DELETE',
    path: '/console/-/token',
    summary: 'Signs out: the session and its token end',
    responses: { 200: { description: 'Nobody is signed in here' } },
    handler: async (call) => {
      const fetchSite = call.header('sec-fetch-site');
      checkSameSite({ fetchSite, origin: call.header('origin') }, addresses.siteUrl);
      const { address, requestId } = call;
      await revokeSecret(services, readBearer(call.header('authorization')), {
        address,
        requestId,
      });
      const signedIn = await sessions.find(call.header('cookie'));
      const cookies = signedIn ? [await sessions.end(signedIn)] : [];
      return { value: { access_token: null }, cookies, cacheControl: 'no-store' };
    },
  });
}
