import { rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Book } from '../support/book.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import { fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, refusalOf, setCell } from '../support/live-client.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: limits of sockets are reached and waited for. */

const text = 'x'.repeat(30_000);

/** Writes some 30 KiB for each of so many operations. */
async function fillLarge(book: Book, count: number): Promise<number> {
  let head = 0;
  for (let done = 0; done < count; done += 50) {
    const ops = Array.from({ length: 50 }, (_, at) => setCell(`C${at + 1}`, `${done} ${text}`));
    const { json } = await book.ask('/branches/main/ops', { body: { ops, writer: 'rest' } });
    ({ head } = json as { head: number });
  }
  return head;
}

t.test('a credential has so many sockets for a workbook, and is told when', async (t) => {
  const service = await TestService.start(t, { HOST: '0.0.0.0', RATE_LIMITS: 'on' });
  const book = await Book.create(service);
  const clients = [];
  for (let count = 0; count < 20; count++) clients.push(await LiveClient.open(book));
  t.equal(await refusalOf(LiveClient.open(book)), 429);
  const events = await book.ask('/branches/main/events');
  t.match(events, { status: 429, json: { code: 'too_many_sockets', hint: String } });
  t.ok(Number(events.headers.get('retry-after')) > 0);
  clients[0]?.close();
  await clients[0]?.closed;
  await (await LiveClient.open(book)).hello();
  const usage = await service.request('/v1/account/usage', { credential: book.credential });
  t.match(usage.json, { usage: { sockets: 21 } }, 'each begins a minute that is metered');
});

t.test('what comes too fast is refused, and the socket ends where it goes on', async (t) => {
  const clock = new MovingClock({ stands: true });
  const { environment } = clock;
  const settings = { RATE_LIMITS: 'on' };
  const service = await TestService.start(t, settings, {
    formulas: new FormulaDouble(),
    environment,
  });
  const book = await Book.create(service);
  const client = await LiveClient.join(book);
  for (let at = 0; at < 200; at++) {
    client.send({ kind: 'submit_ops', submission: `s-${at}`, ops: [] });
  }
  const refused = await client.find(({ kind, retryAfterMs }) => kind === 'ack' && !!retryAfterMs);
  t.match(refused, { status: 'rejected', retryAfterMs: Number, error: { code: 'rate_limited' } });
  clock.forward(5);
  t.equal((await client.submit([setCell('A1', 1)]))['status'], 'applied', 'it may go on later');
  for (let at = 0; at < 9_000; at++) {
    client.send({ kind: 'submit_ops', submission: `t-${at}`, ops: [] });
  }
  await client.find(({ submission }) => submission === 't-8999');
  clock.forward(6);
  t.match(await client.closed, { code: 4429 });
});

t.test('who does not read is told of the hole, and ended after half a minute', async (t) => {
  const clock = new MovingClock();
  const { environment } = clock;
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble(), environment });
  const book = await Book.create(service);
  const start = await fill(book, 1);
  const reader = await LiveClient.join(book, { hello: { lastSeq: start } });
  const slow = await LiveClient.join(book, { hello: { lastSeq: start } });
  slow.socket.pause();
  const head = await fillLarge(book, 600);
  slow.socket.resume();
  const gap = await slow.next('gap');
  t.match(gap, { reason: 'slow_consumer', recover: { ops: /ops\?after=/ } });
  t.ok(Number(gap['toSeq']) <= head);
  const last = await fill(book, 1);
  await slow.find(({ lastSeq }) => lastSeq === last);
  await reader.settled();
  t.equal(holeIn(reader, start), undefined, 'nobody else has missed anything');
  slow.socket.pause();
  await fillLarge(book, 600);
  clock.forward(31);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  clock.forward(31);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  slow.socket.resume();
  const { code } = await slow.closed;
  t.ok(code === 4413 || code === 1006, `as far as it can be told: ${code}`);
});

t.test('all sockets together hold no more than they may', async (t) => {
  const service = await TestService.start(t, { SOCKET_MEMORY_MIB: '1' });
  const book = await Book.create(service);
  const start = await fill(book, 1);
  const slow = await Promise.all(
    Array.from({ length: 8 }, () => LiveClient.join(book, { hello: { lastSeq: start } })),
  );
  const reader = await LiveClient.join(book, { hello: { lastSeq: start } });
  for (const { socket } of slow) socket.pause();
  await fillLarge(book, 450);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const { text: metrics } = await service.request('/metrics');
  const waiting = Number(/^quire_socket_waiting_bytes (\d+)$/m.exec(metrics)?.[1]);
  t.ok(waiting <= 1 << 20, `${waiting} bytes wait`);
  t.match(metrics, /^quire_socket_ends_total\{reason="closed"\} [1-8]$/m);
  const open = Number(/^quire_sockets (\d+)$/m.exec(metrics)?.[1]);
  t.ok(open < 9 && open > 0, `${open} sockets are left`);
  await reader.settled();
  t.equal(holeIn(reader, start), undefined, 'who reads is not among those that went');
  for (const { socket } of slow) socket.terminate();
});

t.test('operations that cannot be read any more are a gap, and the state leads on', async (t) => {
  const url = await createMigratedDatabase();
  const folder = await makeTemporaryFolder(t);
  const objects = pathToFileURL(`${folder}/objects`).href;
  const service = await TestService.start(t, { DATABASE_URL: url, OBJECT_STORE_URL: objects });
  const book = await Book.create(service);
  const early = await fill(book, 5);
  const head = await fill(book, 40);
  await book.ask('/branches/main/checkpoint', { body: {} });
  const client = await LiveClient.join(book);
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`delete from segment where workbook_id = ${book.id}`;
  const kept = fileURLToPath(objects);
  await rm(kept, { recursive: true, force: true });
  client.send({ kind: 'hello', protocol: 1, lastSeq: early });
  const gap = await client.next('gap');
  t.match(gap, { reason: 'compacted', fromSeq: early + 1, toSeq: head, recover: { ops: null } });
  await service.app.stop();
  // A process that marked a store within seconds may not have told yet that it runs.
  await sql`update object_store set placed_at = placed_at - interval '1 minute'`;
  const again = await TestService.start(t, { DATABASE_URL: url, OBJECT_STORE_URL: objects });
  const late = await LiveClient.open(book.at(again));
  late.send({ kind: 'hello', protocol: 1, lastSeq: null });
  t.match(await late.closed, { code: 1013 }, 'what cannot be read now may be there later');
});

t.test('a merge comes as one operation with its cause', async (t) => {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service);
  await fill(book, 1);
  await book.ask('/branches', { body: { name: 'side' } });
  await book.ask('/branches/side/ops', { body: { ops: [setCell('A1', 7), setCell('A2', 8)] } });
  const client = await LiveClient.join(book, {
    hello: { presence: { viewport: { sheet: 'Sheet1', range: 'A1:A2' } } },
  });
  const second = await LiveClient.join(book, {
    hello: { presence: { viewport: { sheet: 'Sheet1', range: 'A1:A2' } } },
  });
  for (const one of [client, second]) {
    const first = await one.next('cell_activity');
    t.match(first, { ranges: ['A1:A2'], values: { data: [[null], [null]] } }, 'each looks anew');
  }
  const made = await book.ask('/merges', { body: { source: 'side', target: 'main' } });
  t.equal(made.status, 201, made.text);
  const { id } = made.json as { id: string };
  const approved = await book.ask(`/merges/${id}/approve`, { body: {} });
  t.equal(approved.status, 200, approved.text);
  t.match(await client.next('op_applied'), {
    ops: [{ kind: 'merge', cause: 'merge', payload: { ops: [{ kind: String }] } }],
  });
  t.match(await client.next('cell_activity'), { cause: 'merge', values: { data: [[7], [8]] } });
});
