import t from 'tap';
import { request } from 'undici';

import { RateLimits } from '../../../server/http/rate-limits.ts';
import { route } from '../../../server/http/route.ts';
import { TokenBucket } from '../../../server/model/token-bucket.ts';
import { startEdge, testPrincipal } from '../../support/edge-server.ts';
import { failureOf } from '../../support/failure-of.ts';

t.test('a bucket empties, says how long to wait, and refills evenly', async (t) => {
  const bucket = new TokenBucket(60, 60, 0);
  for (let count = 0; count < 60; count++) t.equal(bucket.take(1, 0), 0);
  t.equal(bucket.take(1, 0), 1);
  t.equal(bucket.take(1, 1000), 0);
  t.equal(bucket.take(10, 1000), 10);
  bucket.charge(30);
  t.equal(bucket.take(1, 1000), 31);
  t.equal(bucket.remaining, 0);
});

t.test(
  'an anonymous agent has 120 writes a minute, on loopback a hundred times that',
  async (t) => {
    let now = 0;
    const limits = new RateLimits('on', () => now);
    for (let count = 0; count < 120; count++) limits.take('write', testPrincipal, '');
    t.match(await failureOf(() => limits.take('write', testPrincipal, '')), {
      key: 'rateLimited',
      extra: { retry_after: 1 },
      headers: { 'RateLimit-Policy': '"write";q=120;w=60', RateLimit: '"write";r=0;t=1' },
    });
    t.doesNotThrow(
      () => limits.take('read', testPrincipal, ''),
      'reads have a bucket of their own',
    );
    now = 60_000;
    t.doesNotThrow(() => limits.take('write', testPrincipal, ''));
    const wide = new RateLimits('loopback', () => 0);
    for (let count = 0; count < 12_000; count++) wide.take('write', testPrincipal, '');
    t.match(await failureOf(() => wide.take('write', testPrincipal, '')), { key: 'rateLimited' });
  },
);

t.test('32 requests of one identity run at once', async (t) => {
  const limits = new RateLimits('on', () => 0);
  const leaves = Array.from({ length: 32 }, () => limits.enter(testPrincipal));
  t.match(await failureOf(() => limits.enter(testPrincipal)), {
    key: 'tooManyConcurrent',
    headers: {
      'RateLimit-Policy': '"concurrent";q=32;qu="concurrent-requests"',
      RateLimit: '"concurrent";r=0;t=1',
    },
  });
  leaves[0]?.();
  t.doesNotThrow(() => limits.enter(testPrincipal));
});

t.test('429 carries what api.md 1.11 asks for', async (t) => {
  const make = route({
    host: 'api',
    method: 'POST',
    path: '/v1/make',
    scope: 'write',
    tag: 'Test',
    summary: 'test',
    responses: {},
    handler: () => ({ value: 1 }),
  });
  const { url } = await startEdge(t, [make], { limits: 'on' });
  const headers = { authorization: 'Bearer good' };
  let last = await request(`${url}/v1/make`, { method: 'POST', headers });
  t.match(last.headers, { ratelimit: '"write";r=119;t=60' });
  for (let count = 0; count < 130 && last.statusCode === 200; count++) {
    await last.body.dump();
    last = await request(`${url}/v1/make`, { method: 'POST', headers });
  }
  t.equal(last.statusCode, 429);
  t.match(last.headers, { 'retry-after': /^\d+$/, 'ratelimit-policy': '"write";q=120;w=60' });
  t.match(await last.body.json(), {
    code: 'rate_limited',
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    retry_after: Number,
  });
});
