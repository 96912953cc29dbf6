import t from 'tap';
import type { Test } from 'tap';
import { sendRaw } from '../../support/s3/raw-client.ts';
import type { RawRequest } from '../../support/s3/raw-client.ts';
import { S3Server } from '../../support/s3/server.ts';

/** The S3 that the drivers are tested against does what S3 documents. */

const put = { method: 'PUT', key: 'a', body: 'hello' } as const;
const get = { method: 'GET', key: 'a' } as const;
const helloSums = {
  md5: 'XUFAKrxLKna5cZ2REBfFkg==',
  sha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
  crc32: 'NhCmhg==',
  crc32c: 'mnG7TA==',
} as const;

async function refuses(
  t: Test,
  server: S3Server,
  { request, status, code }: { request: RawRequest; status: number; code: string },
): Promise<void> {
  const answer = await sendRaw(server, request);
  t.same([answer.status, answer.code], [status, code]);
}

t.test('a request needs a signature that is right and fresh', async (t) => {
  const server = await S3Server.start(t);
  t.equal((await sendRaw(server, put)).status, 200);
  const { accessKeyId, secretAccessKey } = S3Server.credentials;
  const cases: readonly [Partial<RawRequest>, number, string][] = [
    [{ credentials: { accessKeyId, secretAccessKey: 'other' } }, 403, 'SignatureDoesNotMatch'],
    [{ credentials: { accessKeyId: 'other', secretAccessKey } }, 403, 'InvalidAccessKeyId'],
    [{ region: 'eu-west-1' }, 400, 'AuthorizationHeaderMalformed'],
    [{ now: new Date(Date.now() - 16 * 60_000) }, 403, 'RequestTimeTooSkewed'],
    [{ now: new Date(Date.now() + 16 * 60_000) }, 403, 'RequestTimeTooSkewed'],
    [{ tamper: (headers) => delete headers['authorization'] }, 403, 'AccessDenied'],
    [{ tamper: (headers) => (headers['x-amz-meta-a'] = 'b') }, 403, 'AccessDenied'],
    [{ tamper: (headers) => (headers['host'] = 'elsewhere') }, 403, 'SignatureDoesNotMatch'],
    [{ tamper: (headers) => delete headers['x-amz-date'] }, 403, 'AccessDenied'],
    [
      { tamper: (headers) => (headers['authorization'] += '0') },
      400,
      'AuthorizationHeaderMalformed',
    ],
    [{ headers: { 'x-amz-content-sha256': '0'.repeat(64) } }, 400, 'XAmzContentSHA256Mismatch'],
  ];
  for (const [change, status, code] of cases) {
    await refuses(t, server, { request: { ...put, key: 'b', ...change }, status, code });
  }
  t.same([...server.bucket.objects.keys()], ['a'], 'nothing was done');
  const unsigned = { ...put, headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } };
  t.equal((await sendRaw(server, unsigned)).status, 200, 'the body need not be signed');
});

t.test('an error says what it is, and of which request', async (t) => {
  const server = await S3Server.start(t);
  const { text, headers } = await sendRaw(server, { method: 'GET', key: 'a%26b' });
  t.match(text, /^<\?xml.*<Error><Code>NoSuchKey<.*<Key>a&#38;b<.*<RequestId>[0-9A-F]{16}</s);
  t.ok(text.includes(String(headers['x-amz-request-id'])));
  t.equal(headers['content-type'], 'application/xml');
  const head = await sendRaw(server, { method: 'HEAD', key: 'a' });
  t.same([head.status, head.text], [404, '']);
  await refuses(t, server, {
    request: { ...get, key: 'k'.repeat(1025) },
    status: 400,
    code: 'KeyTooLongError',
  });
  await refuses(t, server, { request: { ...get, key: '%ff' }, status: 400, code: 'InvalidURI' });
  await refuses(t, server, {
    request: { ...get, host: 'other.s3.test' },
    status: 404,
    code: 'NoSuchBucket',
  });
});

t.test('the bucket may be in the name of the host', async (t) => {
  const server = await S3Server.start(t);
  await sendRaw(server, { ...put, key: 'x/y%20z', host: 'bucket.s3.test:80' });
  t.same([...server.bucket.objects.keys()], ['x/y z']);
  t.equal((await sendRaw(server, { ...get, key: 'x/y%20z' })).text, 'hello');
  const { text } = await sendRaw(server, {
    method: 'GET',
    host: 'bucket.s3.test',
    query: 'list-type=2',
  });
  t.match(text, /<Key>x\/y z<\/Key>/);
});

t.test('checksums are verified, kept, and shown when asked for', async (t) => {
  const server = await S3Server.start(t);
  const wrong = Buffer.alloc(32, 1).toString('base64');
  const cases: readonly [Record<string, string>, number, string | undefined][] = [
    [{ 'content-md5': helloSums.md5 }, 200, undefined],
    [{ 'content-md5': Buffer.alloc(16).toString('base64') }, 400, 'BadDigest'],
    [{ 'content-md5': 'short' }, 400, 'InvalidDigest'],
    [{ 'x-amz-checksum-crc32': helloSums.crc32 }, 200, undefined],
    [{ 'x-amz-checksum-crc32': 'AAAAAA==' }, 400, 'BadDigest'],
    [{ 'x-amz-checksum-crc32c': helloSums.crc32c }, 200, undefined],
    [{ 'x-amz-checksum-crc32c': helloSums.crc32 }, 400, 'BadDigest'],
    [{ 'x-amz-checksum-sha256': wrong }, 400, 'BadDigest'],
    [{ 'x-amz-checksum-sha256': 'AAAAAA==' }, 400, 'InvalidRequest'],
    [{ 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' }, 501, 'NotImplemented'],
    [
      {
        'x-amz-checksum-crc32': helloSums.crc32,
        'x-amz-checksum-sha256': helloSums.sha256,
      },
      400,
      'InvalidRequest',
    ],
    [{ 'x-amz-checksum-sha256': helloSums.sha256 }, 200, undefined],
  ];
  for (const [headers, status, code] of cases) {
    const answer = await sendRaw(server, { ...put, headers });
    t.same([answer.status, answer.code], [status, code], JSON.stringify(headers));
  }
  const mode = { 'x-amz-checksum-mode': 'ENABLED' };
  const header = 'x-amz-checksum-sha256';
  t.equal((await sendRaw(server, { ...get, headers: mode })).headers[header], helloSums.sha256);
  t.equal((await sendRaw(server, get)).headers[header], undefined);
  const part = { ...mode, range: 'bytes=0-1' };
  t.equal((await sendRaw(server, { ...get, headers: part })).headers[header], undefined);
  const head = await sendRaw(server, { method: 'HEAD', key: 'a', headers: mode });
  t.match(head.headers, { [header]: helloSums.sha256, 'content-length': '5' });
});

t.test('a body in chunks is taken out of them, and its trailer is a checksum', async (t) => {
  const server = await S3Server.start(t);
  const headers = {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '5',
    'x-amz-trailer': 'x-amz-checksum-crc32',
  };
  const body = (sum: string): string =>
    `2\r\nhe\r\n3\r\nllo\r\n0\r\nx-amz-checksum-crc32:${sum}\r\n\r\n`;
  const send = async (text: string): Promise<string | undefined> =>
    (await sendRaw(server, { ...put, headers, body: text })).code;
  t.equal(await send(body(helloSums.crc32)), undefined);
  t.equal((await sendRaw(server, get)).text, 'hello');
  t.equal(await send(body('AAAAAA==')), 'BadDigest');
  t.equal(await send('5\r\nhello\r\n0\r\n\r\n'), 'MalformedTrailerError');
  t.equal(await send('4\r\nhell\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n'), 'IncompleteBody');
  t.equal(await send('9\r\nhello'), 'IncompleteBody');
  t.equal(await send('hello'), 'IncompleteBody');
});

t.test('conditions of a put are kept, also at the same time', async (t) => {
  const server = await S3Server.start(t);
  const absent = { 'if-none-match': '*' };
  t.equal((await sendRaw(server, { ...put, headers: absent })).status, 200);
  const again = { ...put, headers: absent, body: 'other' };
  await refuses(t, server, { request: again, status: 412, code: 'PreconditionFailed' });
  const { etag = '' } = (await sendRaw(server, get)).headers;
  t.equal(etag, '"5d41402abc4b2a76b9719d911017c592"');
  const match = { ...put, headers: { 'if-match': etag }, body: 'next' };
  t.equal((await sendRaw(server, match)).status, 200);
  await refuses(t, server, { request: match, status: 412, code: 'PreconditionFailed' });
  await refuses(t, server, { request: { ...match, key: 'none' }, status: 404, code: 'NoSuchKey' });
  const odd = { ...put, headers: { 'if-none-match': etag } };
  await refuses(t, server, { request: odd, status: 501, code: 'NotImplemented' });
  t.equal((await sendRaw(server, get)).text, 'next');

  server.faults.add({ count: 1, fault: { kind: 'delay', milliseconds: 200, when: 'before' } });
  const first = sendRaw(server, { ...put, key: 'b', headers: absent });
  while (server.seen.at(-1)?.key !== 'b') await new Promise((resolve) => setImmediate(resolve));
  const second = await sendRaw(server, { ...put, key: 'b', headers: absent });
  t.same([second.status, second.code], [409, 'ConditionalRequestConflict']);
  t.equal((await first).status, 200);
});

t.test('conditions of a read are kept', async (t) => {
  const server = await S3Server.start(t);
  const { etag = '' } = (await sendRaw(server, put)).headers;
  const asked = async (headers: Record<string, string>): Promise<number> =>
    (await sendRaw(server, { ...get, headers })).status;
  t.equal(await asked({ 'if-none-match': etag }), 304);
  t.equal(await asked({ 'if-none-match': '"other"' }), 200);
  t.equal(await asked({ 'if-match': etag }), 200);
  t.equal(await asked({ 'if-match': '"other"' }), 412);
});

t.test('a single range is answered, anything else with the whole', async (t) => {
  const server = await S3Server.start(t);
  await sendRaw(server, put);
  const cases: readonly [string, number, string, string | undefined][] = [
    ['bytes=0-0', 206, 'h', 'bytes 0-0/5'],
    ['bytes=1-3', 206, 'ell', 'bytes 1-3/5'],
    ['bytes=3-', 206, 'lo', 'bytes 3-4/5'],
    ['bytes=3-99', 206, 'lo', 'bytes 3-4/5'],
    ['bytes=-2', 206, 'lo', 'bytes 3-4/5'],
    ['bytes=-99', 206, 'hello', 'bytes 0-4/5'],
    ['bytes=3-1', 200, 'hello', undefined],
    ['bytes=0-0,2-2', 200, 'hello', undefined],
    ['lines=1-2', 200, 'hello', undefined],
  ];
  for (const [range, status, text, shown] of cases) {
    const answer = await sendRaw(server, { ...get, headers: { range } });
    t.same([answer.status, answer.text, answer.headers['content-range']], [status, text, shown]);
  }
  for (const range of ['bytes=5-', 'bytes=5-9', 'bytes=-0']) {
    const request = { ...get, headers: { range } };
    await refuses(t, server, { request, status: 416, code: 'InvalidRange' });
  }
});

t.test('lists come in pages, in the order of bytes', async (t) => {
  const server = await S3Server.start(t, { pageSizeMost: 2 });
  // In UTF-16 the last two would change places.
  const keys = ['a', 'a b', 'a+b', 'a/1', 'a/2', 'b&c', '\uff5e', '\u{1f600}'];
  for (const key of keys.toReversed()) {
    await sendRaw(server, { ...put, key: encodeURIComponent(key).replaceAll('%2F', '/') });
  }
  const list = async (query: string) => {
    const { text } = await sendRaw(server, { method: 'GET', query: `list-type=2${query}` });
    const all = (name: string): string[] =>
      [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map((one) => one[1] ?? '');
    return { text, keys: all('Key'), token: all('NextContinuationToken')[0] };
  };
  const found: string[] = [];
  let page = await list('&encoding-type=url&max-keys=5');
  for (;;) {
    found.push(...page.keys.map(decodeURIComponent));
    t.ok(page.keys.length <= 2, 'fewer than asked for');
    if (page.token === undefined) break;
    t.match(page.text, /<IsTruncated>true</);
    page = await list(`&encoding-type=url&continuation-token=${encodeURIComponent(page.token)}`);
  }
  t.same(found, keys);
  t.match(page.text, /<IsTruncated>false</);
  t.same((await list('&start-after=a%2Bb')).keys, ['a/1', 'a/2']);
  t.same((await list('&prefix=a%2F&max-keys=1')).keys, ['a/1']);
  t.same((await list('&max-keys=0')).keys, []);
  t.match((await list('&prefix=b')).text, /<Key>b&#38;c<\/Key>/);
  const grouped = await list('&prefix=a&delimiter=%2F&start-after=a%2Bb');
  t.match(grouped.text, /<CommonPrefixes><Prefix>a\/<\/Prefix><\/CommonPrefixes>/);
  t.same(grouped.keys, []);
  for (const query of ['list-type=2&max-keys=-1', 'list-type=2&continuation-token=bm8=']) {
    await refuses(t, server, {
      request: { method: 'GET', query },
      status: 400,
      code: 'InvalidArgument',
    });
  }
});

t.test('many are deleted at once, if the list of them has a checksum', async (t) => {
  const server = await S3Server.start(t);
  for (const key of ['a', 'b', 'c&d']) {
    await sendRaw(server, { ...put, key: encodeURIComponent(key) });
  }
  const body =
    '<Delete><Object><Key>a</Key></Object><Object><Key>c&amp;d</Key></Object><Object><Key>none</Key></Object></Delete>';
  const request = { method: 'POST', query: 'delete', body };
  await refuses(t, server, { request, status: 400, code: 'InvalidRequest' });
  const md5 = (await import('node:crypto')).createHash('md5').update(body).digest('base64');
  const answer = await sendRaw(server, { ...request, headers: { 'content-md5': md5 } });
  t.equal(answer.text.match(/<Deleted>/g)?.length, 3);
  t.same([...server.bucket.objects.keys()], ['b']);
  t.equal((await sendRaw(server, { method: 'DELETE', key: 'none' })).status, 204);
});
