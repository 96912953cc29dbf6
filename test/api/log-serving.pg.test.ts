import t from 'tap';

import { Book } from '../support/book.ts';
import { readLog, readLogOver } from '../support/log-reader.ts';
import { Rfc6962 } from '../support/rfc6962.ts';
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

async function fileOf(service: TestService, path: string): Promise<[number, Buffer]> {
  const answer = await fetch(`${service.url}/v1/tlog/${path}`);
  return [answer.status, Buffer.from(await answer.arrayBuffer())];
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

t.test('nothing damaged is served, whatever is read first', async (t) => {
  const tree = new Rfc6962(seen.entries);
  const paths = ['tile/0/000', 'tile/0/001', 'tile/entries/000', 'tile/1/000.p/2'];
  paths.push(`tile/0/002.p/${size - 512}`, `tile/entries/002.p/${size - 512}`);
  for (const path of paths) {
    const bytes = await log.flip(path);
    const service = await log.restart();
    t.same(await fileOf(service, path), [200, bytes], path);
    t.same(await log.read(path), bytes, 'it is put anew');
    await log.flip(path);
    const again = await log.restart();
    const answer = await again.request(`/v1/tlog/consistency?from=1&to=${size - 7}`);
    const { hashes, from_root: fromRoot } = answer.json as { hashes: string[]; from_root: string };
    const expected = tree.proof(1, size - 7).map((hash) => hash.toString('base64'));
    t.same(hashes, expected, path);
    t.equal(fromRoot, tree.root(0, 1).toString('base64'));
    await see(again);
    t.same(await log.read(path), bytes);
  }
});

t.test('a file of the log goes out as it is, whatever the client could unpack', async (t) => {
  for (const encoding of ['gzip', 'br', 'identity']) {
    const headers = { 'accept-encoding': encoding };
    const answer = await log.service.request('/v1/tlog/tile/0/000', { headers });
    t.match(answer, { status: 200 });
    t.equal(answer.headers.get('content-encoding'), null, encoding);
  }
});

t.test('damage everywhere at once is made good from the entries alone', async (t) => {
  const paths = (await log.files()).filter((path) => path !== 'checkpoint');
  for (const path of paths) await log.flip(path);
  const service = await log.restart();
  t.same((await see(service)).entries, seen.entries);
  t.match(await verify(first.at(service)), { ok: false }, 'and told of');
  t.match(await verify(first.at(service)), { ok: true });
});

t.test('what cannot be made anew is not served at all', async (t) => {
  const { sql } = log;
  const path = 'tile/0/000';
  const bytes = await log.flip(path);
  await sql`update tlog_entry set entry = 'other'::bytea where leaf_index = 3`;
  const service = await log.restart();
  const answers = [
    `/v1/tlog/${path}`,
    '/v1/tlog/tile/0/000.p/9',
    '/v1/tlog/tile/entries/000',
    `/v1/tlog/consistency?from=5&to=${size}`,
    `/v1/tlog/proof?leaf_hash=${tagged(seen.entries[5])}`,
  ];
  for (const asked of answers) {
    const answer = await service.request(asked);
    t.equal(answer.status, 503, asked);
    t.match(answer.json, { code: 'log_damaged', where: 'tlog/tile/0/000' }, asked);
    t.match(answer.headers.get('cache-control'), /no-store/);
  }
  t.match(await service.request('/ready'), {
    status: 200,
    json: { status: 'degraded', dependencies: { log: 'unavailable' } },
  });
  t.match(await service.request('/v1/tlog/status'), { json: { damaged: ['tlog/tile/0/000'] } });
  const found = await verify(first.at(service));
  t.match(found, { ok: false, firstBad: { where: 'tlog/tile/0/000', what: 'damaged' } });
  await log.write(path, bytes);
  t.same(await fileOf(service, path), [200, bytes], 'it is served as soon as it is whole');
  t.match(await service.request('/ready'), { json: { status: 'ok' } });
  const entry = seen.entries[3] ?? Buffer.alloc(0);
  await sql`update tlog_entry set entry = ${entry} where leaf_index = 3`;
});

function tagged(entry: Buffer | undefined): string {
  return new Rfc6962([entry ?? Buffer.alloc(0)]).root(0, 1).toString('hex');
}

t.test('a published note that is altered in the database is not shown', async (t) => {
  const { sql } = log;
  const [row] = await sql<{ note: string }[]>`
    select published_note as note from tlog_signed where size = ${size}`;
  await sql`
    update tlog_signed set published_note = replace(published_note, ${`\n${size}\n`}, E'\n9999\n')
     where size = ${size}`;
  const service = await log.restart();
  await log.published();
  const shown = await service.request('/v1/tlog/checkpoint');
  t.ok(shown.status === 503 || shown.text === row?.note, shown.text);
  for (let tries = 0; tries < 100 && (await log.size()) !== size; tries++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  t.equal((await service.request('/v1/tlog/checkpoint')).text, row?.note, 'it is published again');
});
