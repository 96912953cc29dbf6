import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { Book } from '../support/book.ts';
import { readLog, readLogOver } from '../support/log-reader.ts';
import { S3Server } from '../support/s3/server.ts';
import { StoredLog } from '../support/stored-log.ts';
import type { TestService } from '../support/test-service.ts';

interface Verified {
  readonly ok: boolean;
  readonly firstBad: { branch: string | null; seq: number; what: string; where: string } | null;
}

async function verify(book: Book): Promise<Verified> {
  const answer = await book.ask('/verify', { method: 'POST' });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Verified;
}

async function see(service: TestService) {
  const { json } = await service.request('/v1/tlog/status');
  const { vkeys } = json as { vkeys: string[] };
  return readLog(readLogOver(`${service.url}/v1/tlog`), vkeys[0] ?? '');
}

const log = await StoredLog.start(t);
const first = await Book.create(log.service);
await first.set('A1', 1);
await log.published();
const size = await log.fill(600);
const seen = await see(log.service);

t.test('damage to any file is named by verify, and made good', async (t) => {
  const all = (await log.files()).filter((path) => path !== 'checkpoint');
  const narrow = all.filter((path) => path.includes('/000.p/') && !path.startsWith('tile/1/'));
  const [tile] = narrow.filter((path) => path.startsWith('tile/0/'));
  const files = all.filter((path) => path === tile || !narrow.includes(path));
  t.ok(
    files.some((path) => /^tile\/1\/000\.p\/2$/.test(path)),
    files.join(' '),
  );
  t.ok(
    files.some((path) => path.startsWith('tile/0/000.p/')),
    'partial tiles of earlier sizes',
  );
  for (const path of files) {
    const bytes = await log.flip(path);
    const where = `tlog/${path}`;
    t.match(await verify(first), { ok: false, firstBad: { branch: null, where } }, path);
    t.same(await log.read(path), bytes, `${path} is whole again`);
    t.match(await verify(first), { ok: true, firstBad: null });
    // Partial files of earlier sizes may go once a wider one is there.
    if (path.includes('.p/') && !path.endsWith(`/${size % 256}`)) continue;
    await rm(join(log.folder, path));
    const isNarrow = /^tile\/(0|entries)\/.*\.p\//.test(path) && !path.includes('/002.p/');
    if (isNarrow) continue;
    t.match(await verify(first), { ok: false, firstBad: { where, what: 'missing' } }, path);
    t.same(await log.read(path), bytes, `${path} is there again`);
  }
});

t.test('tiles that are cut short, too long or changed places are found', async (t) => {
  const [one, two] = await Promise.all([log.read('tile/0/000'), log.read('tile/0/001')]);
  for (const wrong of [one.subarray(1), Buffer.concat([one, one]), two, Buffer.alloc(0)]) {
    await log.write('tile/0/000', wrong);
    t.match(await verify(first), { firstBad: { where: 'tlog/tile/0/000', what: 'damaged' } });
    t.same(await log.read('tile/0/000'), one);
  }
});

t.test('a stored checkpoint that is not ours is named', async (t) => {
  const bytes = await log.flip('checkpoint');
  const where = 'tlog/checkpoint';
  t.match(await verify(first), { ok: false, firstBad: { where, what: 'damaged' } });
  t.match(await log.service.request('/ready'), { json: { status: 'degraded' } });
  await log.write('checkpoint', bytes);
  t.match(await verify(first), { ok: true });
  t.match(await log.service.request('/ready'), { json: { status: 'ok' } });
});

t.test('an entry that is altered in the database is named', async (t) => {
  const { sql } = log;
  await sql`update tlog_entry set entry = 'other'::bytea where leaf_index = 300`;
  const where = 'postgres:tlog_entry/300';
  t.match(await verify(first), { ok: false, firstBad: { where } });
  t.match(await log.service.request('/ready'), { json: { status: 'degraded' } });
  const entry = seen.entries[300] ?? Buffer.alloc(0);
  await sql`update tlog_entry set entry = ${entry} where leaf_index = 300`;
  await log.restart();
  t.match(await verify(first.at(log.service)), { ok: true });
});

t.test('files that a bucket knows to be damaged are made anew as well', async (t) => {
  const bucket = await S3Server.start(t);
  const own = await StoredLog.start(t, { OBJECT_STORE_URL: bucket.url });
  const book = await Book.create(own.service);
  await book.set('A1', 1);
  await own.published();
  const { objects } = bucket.bucket;
  const keys = [...objects.keys()].filter((key) => key.startsWith('some/prefix/tlog/tile/'));
  t.ok(keys.length >= 2);
  for (const key of keys) {
    const whole = objects.get(key);
    if (!whole) throw new Error(`${key} is gone`);
    const bytes = Buffer.from(whole.bytes);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    objects.set(key, { ...whole, bytes });
    const service = await own.restart();
    const path = key.slice('some/prefix/tlog'.length);
    const { status, bytes: served } = await service.request(`/v1/tlog${path}`);
    t.equal(status, 200, path);
    t.same(Buffer.from(served), whole.bytes, 'what it was');
    t.same(objects.get(key)?.bytes, whole.bytes, 'made anew in the bucket');
    t.match((await service.request('/ready')).json, { status: 'ok' });
  }
});

t.test('a large log is read by and by', async (t) => {
  const large = await StoredLog.start(t);
  const other = await Book.create(large.service);
  await other.set('A1', 1);
  const bundleCount = Math.ceil((await large.fill(12_000)) / 256);
  const path = `tile/entries/${String(Math.floor(bundleCount / 2)).padStart(3, '0')}`;
  const bytes = await large.flip(path);
  const where = `tlog/${path}`;
  const answers: Verified[] = [];
  for (let at = 0; at < bundleCount && answers.at(-1)?.ok !== false; at += 32) {
    answers.push(await verify(other));
  }
  t.match(answers.at(-1), { ok: false, firstBad: { branch: null, where } });
  t.same(await large.read(path), bytes, 'it is whole again');
  t.match(await verify(other), { ok: true });
});
