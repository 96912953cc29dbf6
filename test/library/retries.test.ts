import t from 'tap';

import { Transport, type Progress, type QuireOptions } from '../../client/library/call.ts';
import { Quire } from '../../client/library/quire.ts';

interface Sent {
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A service that answers what it is told, one after the other; the last one again and again. */
function scripted(
  answers: readonly (() => Response)[],
  more: Partial<QuireOptions> = {},
): { options: QuireOptions; sent: Sent[] } {
  const sent: Sent[] = [];
  const fake = (address: string, init: RequestInit): Promise<Response> => {
    const headers = init.headers as Record<string, string>;
    sent.push({ method: init.method ?? '', address, headers, body: init.body });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return Promise.resolve().then(() => {
      init.signal?.throwIfAborted();
      return answer?.() ?? Response.error();
    });
  };
  const options = { url: 'http://quire.example', key: 'wbk_test_secret', ...more };
  return { options: { ...options, fetch: fake as typeof fetch }, sent };
}

function json(value: unknown, init: ResponseInit = {}): () => Response {
  return () => Response.json(value, init);
}

const refused = (): Response => {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
};

function problem(status: number, code: string, headers: Record<string, string> = {}) {
  const body = { type: '', title: '', status, code, detail: 'No.', requestId: 'r' };
  return json(body, {
    status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  });
}

t.test('what may pass is tried again, under one key', async (t) => {
  const { options, sent } = scripted([refused, problem(503, 'unavailable'), json({ id: 'wb_1' })]);
  const book = await new Quire(options).create();
  t.equal(book.id, 'wb_1');
  t.equal(sent.length, 3);
  const keys = new Set(sent.map(({ headers }) => headers['idempotency-key']));
  t.equal(keys.size, 1);
  t.match([...keys][0], /^[0-9A-HJKMNP-TV-Z]{26}$/);
  t.match(sent[0]?.headers, { authorization: 'Bearer wbk_test_secret' });
});

t.test('operations keep the ids that they were given', async (t) => {
  const done = { branch: 'main', status: 'applied', firstSeq: 2, lastSeq: 2, head: 2, results: [] };
  const { options, sent } = scripted([refused, json(done)]);
  t.match(await new Quire(options).open('wb_1').set('A1', 1), { ref: 'main@2' });
  const [first, second] = sent.map(({ body }) => String(body));
  t.equal(first, second);
  t.match(first, /"id":"[0-9A-Z]{26}"/);
});

t.test('what is wrong is not tried again', async (t) => {
  for (const [status, code] of [
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [409, 'idempotency_in_progress'],
    [500, 'evaluation_failed'],
    [507, 'storage_full'],
  ] as const) {
    const { options, sent } = scripted([problem(status, code)]);
    await t.rejects(new Quire(options).open('wb_1').info(), { name: 'Problem', code, status });
    t.equal(sent.length, 1, code);
  }
});

t.test('an own try that is still at work is waited for', async (t) => {
  const { options, sent } = scripted([
    refused,
    problem(409, 'idempotency_in_progress'),
    json({ id: 'wb_1' }),
  ]);
  await new Quire(options).create();
  t.equal(sent.length, 3);
});

t.test('five repeats are enough, and the reason names the place', async (t) => {
  const { options, sent } = scripted([refused], { retries: 2 });
  const failed = (await new Quire(options)
    .open('wb_1')
    .info()
    .catch((error: unknown) => error)) as Error;
  t.match(failed, { code: 'unreachable', status: 0, retryable: true });
  t.match(failed.message, 'Nothing answers at http://quire.example (ECONNREFUSED).');
  t.notMatch(JSON.stringify(failed), 'secret');
  t.equal(sent.length, 3);
});

t.test('a certificate that is not trusted says how to trust it', async (t) => {
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']) {
    const cause = Object.assign(new Error('no'), { code });
    const fault = new TypeError('fetch failed', { cause });
    const { options } = scripted(
      [
        () => {
          throw fault;
        },
      ],
      { retries: 0 },
    );
    const failed = new Quire(options).open('wb_1').info();
    await t.rejects(failed, {
      code: 'unreachable',
      hint: /NODE_EXTRA_CA_CERTS/,
      detail: /trusted/,
    });
  }
});

t.test('Retry-After holds as it is, and a long one is told', async (t) => {
  const { options, sent } = scripted([
    problem(429, 'rate_limited', { 'retry-after': '1' }),
    json({ id: 'wb_1' }),
  ]);
  const start = performance.now();
  await new Quire(options).open('wb_1').info();
  t.ok(performance.now() - start > 950);
  t.equal(sent.length, 2);
  const late = scripted([problem(429, 'rate_limited', { 'retry-after': '3600' })]);
  await t.rejects(new Quire(late.options).open('wb_1').info(), { code: 'rate_limited' });
  t.equal(late.sent.length, 1);
});

t.test('a signal ends a wait, too', async (t) => {
  const { options } = scripted([problem(429, 'rate_limited', { 'retry-after': '60' })]);
  const signal = AbortSignal.timeout(100);
  const start = performance.now();
  await t.rejects(new Quire(options).open('wb_1').info({ signal }), { name: 'TimeoutError' });
  t.ok(performance.now() - start < 5_000);
});

t.test('what answers with a page is no service', async (t) => {
  const page = (): Response =>
    new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } });
  const { options } = scripted([page]);
  await t.rejects(new Quire(options).open('wb_1').info(), { code: 'not_the_service', status: 200 });
  const gateway = (): Response =>
    new Response('<html>', { status: 403, headers: { 'content-type': 'text/html' } });
  await t.rejects(new Quire(scripted([gateway]).options).open('wb_1').info(), {
    code: 'not_the_service',
    message: /proxy/,
  });
});

t.test('what answers a read with nothing is no service', async (t) => {
  const nothing = (): Response => new Response(null, { status: 204 });
  for (const answer of [nothing, json(null)]) {
    await t.rejects(new Quire(scripted([answer]).options).open('wb_1').info(), {
      code: 'not_the_service',
    });
  }
});

t.test('a key may end with the line that it was read from', async (t) => {
  const { options, sent } = scripted([json({ id: 'wb_1' })]);
  await new Quire({ ...options, key: 'wbk_test_secret\n' }).open('wb_1').info();
  t.equal(new Headers(sent[0]?.headers).get('authorization'), 'Bearer wbk_test_secret');
});

t.test('an answer that is cut off is asked for again', async (t) => {
  const cut = (): Response =>
    new Response('{"id": "wb_', { headers: { 'content-type': 'application/json' } });
  const { options, sent } = scripted([cut, json({ id: 'wb_1' })]);
  t.match(await new Quire(options).open('wb_1').info(), { id: 'wb_1' });
  t.equal(sent.length, 2);
  const lines = (): Response => new Response('{"ref":{}}\n{"cell":"A1"}\n');
  const book = new Quire(scripted([lines]).options).open('wb_1');
  const read = async (): Promise<void> => {
    for await (const { cell } of book.values()) t.equal(cell, 'A1');
  };
  await t.rejects(read(), { name: 'CutOff', code: 'cut_off' });
});

t.test('a value that is being computed is waited for, with progress', async (t) => {
  const computing = json({ status: 'computing', retry_after: 0.2 }, { status: 202 });
  const stats = json({ computation: { state: 'computing', done: 3, total: 9 } });
  const { options, sent } = scripted([computing, stats, json({ total: 0, values: [] })]);
  const seen: Progress[] = [];
  const transport = new Transport(options);
  const read = (more: object): Promise<unknown> =>
    transport.call('GET', '/v1/workbooks/{id}/values', { path: { id: 'wb_1' }, ...more });
  t.match(await read({ onProgress: (progress: Progress) => seen.push(progress) }), { total: 0 });
  t.same(seen, [{ done: 3, total: 9 }]);
  t.match(
    sent.map(({ address }) => address),
    [/\/values$/, /\/eval-stats$/, /\/values$/],
  );
  const once = new Transport(scripted([computing]).options);
  const path = { path: { id: 'wb_1' }, wait: false };
  t.match(await once.call('GET', '/v1/workbooks/{id}/values', path), { status: 'computing' });
});

t.test('bodies go and come in the form of a codec', async (t) => {
  const codec = {
    type: 'application/vnd.msgpack',
    encode: (value: unknown) => new TextEncoder().encode(`coded ${JSON.stringify(value)}`),
    decode: () => ({ id: 'wb_coded' }),
  };
  const coded = (): Response => new Response('…', { headers: { 'content-type': codec.type } });
  const { options, sent } = scripted([coded], { codec });
  t.equal((await new Quire(options).create({ name: 'x' })).id, 'wb_coded');
  t.match(sent[0]?.headers, { accept: codec.type, 'content-type': codec.type });
  t.equal(new TextDecoder().decode(sent[0]?.body as Uint8Array), 'coded {"name":"x"}');
});
