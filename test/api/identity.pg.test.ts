import t from 'tap';

import { TestService } from '../support/test-service.ts';

interface Registered {
  ok: boolean;
  data: Record<string, unknown> & { credential: string; user_id: string; claim_token: string };
}

const anonymous = { type: 'anonymous' };

t.test('an agent registers, is known, and revokes its key', async (t) => {
  const service = await TestService.start(t);
  const answer = await service.request('/agent/auth', { body: anonymous });
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const { ok, data } = answer.json as Registered;
  t.ok(ok);
  t.match(data, {
    credential: /^wbk_live_[0-9A-Za-z]{38}$/,
    user_id: /^agt_[0-9A-HJKMNP-TV-Z]{26}$/,
    claim_token: /^wbc_[0-9A-Za-z]{38}$/,
    scopes: ['read', 'write'],
    registration_id: /^reg_/,
    registration_type: 'anonymous',
    credential_type: 'api_key',
    credential_expires: /^\d{4}-\d\d-\d\dT.*Z$/,
    claim_url: `${service.url}/agent/auth/claim`,
    post_claim_scopes: ['read', 'write', 'account'],
    api_base: `${service.url}/v1`,
    docs_url: `${service.url}/docs`,
    limits: { workbooks: 1_000, cells: 100_000_000, requests_per_minute: 30_000 },
  });
  const { credential } = data;
  const me = await service.request('/agent/auth/me', { credential });
  t.match(me.json, {
    ok: true,
    data: { user_id: data.user_id, kind: 'anonymous', credential: { last4: credential.slice(-4) } },
  });
  const revoked = await service.request('/agent/auth/revoke', { method: 'POST', credential });
  t.same(revoked.json, { ok: true, data: { revoked: true } });
  const after = await service.request('/agent/auth/me', { credential });
  t.match(after, { status: 401, json: { ok: false, error: 'invalid_token', request_id: /^req_/ } });
  const again = await service.request('/agent/auth/revoke', { body: { credential } });
  t.same(again.json, { ok: true, data: { revoked: true } });
});

t.test('a retry with the same Idempotency-Key gets the same agent', async (t) => {
  const service = await TestService.start(t);
  const headers = { 'idempotency-key': 'a-key-of-sixteen-or-more' };
  const send = (body: unknown = anonymous) => service.request('/agent/auth', { body, headers });
  const [first, second] = await Promise.all([send(), send()]);
  const third = await send();
  t.same(first.json, second.json);
  t.same(first.json, third.json);
  t.equal(third.headers.get('idempotency-replayed'), 'true');
  t.match(await send({ ...anonymous, client: { name: 'other' } }), {
    status: 422,
    json: { error: 'idempotency_mismatch' },
  });
  const short = await service.request('/agent/auth', {
    body: anonymous,
    headers: { 'idempotency-key': 'short' },
  });
  t.match(short, { status: 400, json: { error: 'invalid_idempotency_key' } });
});

t.test('what an agent sends wrong is answered in the envelope', async (t) => {
  const service = await TestService.start(t);
  const send = (body: unknown) => service.request('/agent/auth', { body });
  t.match(await send({ type: 'anonymous', extra: 1 }), { status: 200 });
  t.match(await send({ type: 7 }), {
    status: 400,
    json: { ok: false, error: 'invalid_request', data: { fields: [{ path: 'type' }] } },
  });
  t.match(await send({ type: 'magic' }), {
    status: 400,
    json: { error: 'unsupported_registration_type' },
  });
  t.match(await send({ type: 'anonymous', requested_credential_type: 'jwt' }), {
    status: 400,
    json: { error: 'unsupported_credential_type' },
  });
  for (const path of ['/agent/auth/claim', '/agent/auth/claim/complete']) {
    t.match(await service.request(path, { body: { claim_token: 'wbc_' } }), { status: 400 }, path);
  }
  const large = await send({ type: 'anonymous', pad: 'x'.repeat(20_000) });
  t.match(large, { status: 413, json: { ok: false, error: 'payload_too_large' } });
  const get = await service.request('/agent/auth');
  t.match(get, { status: 405, json: { ok: false, error: 'method_not_allowed' } });
  t.equal(get.headers.get('allow'), 'POST, OPTIONS');
  const bytes = Buffer.from('{');
  const plain = await service.request('/agent/auth', { bytes });
  t.match(plain, { status: 415, json: { error: 'unsupported_media_type' } });
  const headers = { 'content-type': 'application/json' };
  const broken = await service.request('/agent/auth', { bytes, headers });
  t.match(broken, { status: 400, json: { error: 'invalid_json' } });
});

t.test('registrations are limited by address', async (t) => {
  const service = await TestService.start(t, { RATE_LIMITS: 'on' });
  const statuses = new Set<number>();
  for (let count = 0; count < 20; count++) {
    statuses.add((await service.request('/agent/auth', { body: anonymous })).status);
  }
  t.same([...statuses], [200], 'a service on loopback is generous');
});

t.test('discovery names the authorization server', async (t) => {
  const service = await TestService.start(t);
  const { url } = service;
  const path = '/.well-known/oauth-protected-resource';
  const document = await service.request(path);
  t.same(document.json, {
    resource: url,
    resource_name: 'Quire',
    authorization_servers: [url],
    scopes_supported: ['read', 'write', 'account'],
    bearer_methods_supported: ['header'],
    resource_documentation: `${url}/docs`,
    resource_policy_uri: `${url}/policy`,
    resource_tos_uri: `${url}/terms`,
  });
  t.equal(document.headers.get('cache-control'), 'public, max-age=300');
  t.match((await service.request(`${path}/mcp`)).json, { resource: `${url}/mcp` });
  t.equal((await service.request(`${path}/other`)).status, 404);
});

t.test('crawlers and browsers find what they ask for unasked', async (t) => {
  const service = await TestService.start(t);
  t.match((await service.request('/robots.txt')).text, /^User-agent: \*\n/);
  const icon = await service.request('/favicon.svg');
  t.equal(icon.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  const old = await fetch(`${service.url}/favicon.ico`, { redirect: 'manual' });
  t.match([old.status, old.headers.get('location')], [301, '/favicon.svg']);
});

t.test('the documents about the API are served', async (t) => {
  const service = await TestService.start(t);
  const openapi = await service.request('/openapi.json');
  t.match(openapi.json, { openapi: '3.1.0', paths: { '/agent/auth': {}, '/health': {} } });
  t.match((await service.request('/docs')).text, /Register an agent/);
  t.match((await service.request('/problems/not_found')).status, 200);
});
