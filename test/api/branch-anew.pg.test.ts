import t from 'tap';

import { Book } from '../support/book.ts';
import { McpClient } from '../support/mcp-client.ts';
import { TestService } from '../support/test-service.ts';

const table = { name: 'Costs', keyColumn: 'id', schema: { id: 'number' } };

/** Makes a branch with a few rows and cells of its own. */
async function makeSide(book: Book, first: number): Promise<void> {
  await book.ask('/branches', { body: { name: 'side' } });
  const made = await book.ask('/branches/side/tables', { body: table });
  if (made.status !== 201) throw new Error(made.text);
  const rows = [0, 1, 2].map((more) => ({ id: first + more }));
  const body = { mode: 'import', rows };
  const written = await book.ask('/branches/side/tables/Costs/rows', { body });
  if (written.status !== 200) throw new Error(written.text);
}

async function remake(book: Book, first: number): Promise<void> {
  await book.ask('/branches/side', { method: 'DELETE' });
  await makeSide(book, first);
}

t.test('pages of a branch go on in that branch, and in no other of its name', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  await makeSide(book, 1);
  const { next } = (await book.ask('/tables/Costs/rows?ref=side&limit=1')).json as { next: string };
  const go = (path: string) => service.request(path, { credential: book.credential });
  t.match(await go(next), { status: 200, json: { rows: [{ id: 2 }] } });
  const { headers } = await book.ask('/slice?ref=side&range=A1:A9');
  const [, number] = /:(\d+)/u.exec(headers.get('etag') ?? '') ?? [];
  const exact = await book.ask(`/slice?ref=side@1:${number}&range=A1:A9`);
  t.match(exact.headers.get('cache-control'), /immutable/u, 'it means this for ever');
  const plain = await book.ask('/slice?ref=side@1&range=A1:A9');
  t.notMatch(plain.headers.get('cache-control') ?? '', /immutable/u);

  await remake(book, 10);
  t.match(await go(next), { status: 404, json: { code: 'ref_not_found', detail: /made anew/u } });
  t.equal((await book.ask(`/slice?ref=side@1:${number}&range=A1:A9`)).status, 404);
  t.equal((await book.ask('/slice?ref=side@1&range=A1:A9')).status, 200, 'the name is the new one');
  for (const wrong of ['side:3', 'side@1:', 'side@1:0', 'side@1:x']) {
    t.equal((await book.ask(`/slice?ref=${wrong}&range=A1`)).status, 400, wrong);
  }
});

t.test('a model that works on a branch notices when it was made anew', async (t) => {
  const client = await McpClient.start(t);
  const { credential, service } = client;
  const book = await Book.create(service, { credential });
  await makeSide(book, 1);
  const about = { workbook: book.id, branch: 'side' };
  const write = { ...about, writes: [{ range: 'C1', values: [[1]] }] };
  const { ref } = await client.call('range_write', write);
  t.match(ref, /^side@\d+$/u, 'the first one needs no number');
  const read = { workbook: book.id, table: 'Costs', ref: 'side', limit: 1 };
  const { next } = (await client.call('table_read', read)) as { next: Record<string, unknown> };
  t.match(await client.call('table_read', next), { rows: [[2]] });
  const uri = (at: unknown) => `wb://${book.id}/${String(at)}/summary`;
  const ttl = async (at: unknown) => {
    const { ttlMs } = await client.result<{ ttlMs: number }>('resources/read', { uri: uri(at) });
    return ttlMs;
  };
  t.equal(await ttl(ref), 0, 'another branch may have the name tomorrow');
  t.equal(await ttl(next['ref']), 86_400_000);
  t.match(await client.call('range_write', { ...write, expect_head: ref }), { applied: 1 });

  await remake(book, 10);
  const described = await client.call('workbook_describe', { workbook: book.id, ref: 'side' });
  t.match(described['ref'], /^side@\d+:\d+$/u);
  const head = Number(/@(\d+)/u.exec(String(described['ref']))?.[1]);
  for (const expected of [ref, `side@${head}`, next['ref']]) {
    const refused = await client.refusal('range_write', { ...write, expect_head: expected });
    t.match(refused, { code: 'head_moved' }, String(expected));
  }
  t.match(await client.refusal('table_read', next), { code: 'ref_not_found' });
  const bad = { ...write, expect_head: 'main@1' };
  t.match(await client.refusal('range_write', bad), { code: 'head_moved' });
  const good = { ...write, expect_head: described['ref'] };
  t.match(await client.call('range_write', good), { applied: 1, ref: /^side@\d+:\d+$/u });
});
