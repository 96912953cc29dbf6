import t from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import type { Environment } from '../../server/model/environment.ts';
import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { EventClient } from '../support/event-client.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import { fill } from '../support/live-checks.ts';
import { LiveClient } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: streams are cut, and waited for. */

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

t.test('events tell each operation once, and go on where a client was', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const head = await fill(book, 3);
  const live = await EventClient.open(book);
  t.equal(live.headers.get('content-type'), 'text/event-stream');
  t.equal(live.headers.get('content-encoding'), null, 'nothing holds events back to pack them');
  t.match(await live.next('start'), { data: { branch: 'main', head, archived: false } });
  t.equal(live.lastEventId, String(head), 'it can come back from the beginning');
  const next = await fill(book, 300);
  const cells = await live.next('cell_activity');
  t.match(cells, { data: { sheet: 'Sheet1', cause: 'op', ranges: ['B4:B300'] } });
  while (live.lastEventId !== String(next)) await live.next('op_applied');
  t.same(live.seqs, range(head + 1, next));
  t.match(live.events.find(({ name }) => name === 'op_applied')?.data, {
    firstSeq: head + 1,
    ops: [{ seq: head + 1, writer: 'rest', kind: 'cells.set', principal: /^agt_/ }],
  });
  live.close();
  const last = await fill(book, 2);
  for (const way of [{ lastEventId: String(next) }, { query: `?after=${next}&cells=none` }]) {
    const back = await EventClient.open(book, way);
    await back.next('op_applied', ({ lastSeq }) => lastSeq === last);
    t.same(back.seqs, [next + 1, last], JSON.stringify(way));
    back.close();
  }
  const first = { query: '?after=1', lastEventId: String(next) };
  const header = await EventClient.open(book, first);
  t.match(await header.next('start'), { data: { replay: { from: next + 1, to: last } } });
  header.close();
  const watcher = await LiveClient.join(book);
  t.match(watcher.snapshot, { peersTotal: 0, peers: [] }, 'who listens is not seen');
  const ahead = await EventClient.open(book, { query: `?after=${last + 5}` });
  t.match(await ahead.next('gap'), { id: String(last), data: { reason: 'ahead', toSeq: last } });
  const written = await fill(book, 1);
  t.match(await ahead.next('op_applied'), { id: String(written) }, 'it goes on behind the gap');
});

t.test('a client that takes anything gets an end of its stream, and goes on', async (t) => {
  const after: Environment['after'] = (milliseconds, run) =>
    realEnvironment.after(milliseconds === 20_000 ? 200 : milliseconds, run);
  const environment = { ...realEnvironment, after };
  const service = await TestService.start(t, {}, { environment, formulas: new FormulaDouble() });
  const book = await Book.create(service);
  const head = await fill(book, 2);
  const named = await EventClient.open(book, { accept: 'application/json, text/event-stream' });
  const any = await EventClient.open(book, { accept: '*/*', query: '?after=1' });
  t.match(await any.next('end'), { data: { code: 1000, reconnect: true, reason: /Accept/ } });
  await any.ended;
  t.equal(any.fault, undefined, 'the answer ends as it should');
  t.equal(any.lastEventId, String(head));
  await fill(book, 1);
  t.match(await named.next('op_applied'), { id: String(head + 1) }, 'the other one goes on');
  named.close();
});

t.test('a request for events that cannot be served is answered as any other', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const path = `/v1/workbooks/${book.id}/branches/main/events`;
  const { credential } = book;
  const ask = (rest: string, headers: Record<string, string> = {}) =>
    service.request(path + rest, { credential, headers });
  t.match(await ask('?after=-1'), { status: 400, json: { errors: [{ pointer: '?after' }] } });
  t.match(await ask('?after=x'), { status: 400, json: { errors: [{ pointer: '?after' }] } });
  t.match(await ask('?cells=some'), { status: 400 });
  t.match(await ask('?afer=1'), { status: 400, json: { code: 'unknown_member' } });
  for (const id of ['x', '-1', '1.5', '99999999999999999']) {
    const answer = await ask('', { 'last-event-id': id });
    t.match(answer, {
      status: 400,
      json: { hint: String, errors: [{ pointer: 'Last-Event-ID' }] },
    });
  }
  t.equal((await ask('', { accept: 'image/png' })).status, 406);
  t.equal((await service.request(path)).status, 401);
  const stranger = await service.register();
  t.equal((await service.request(path, { credential: stranger })).status, 404);
  const elsewhere = path.replace('main', 'none');
  t.match(await service.request(elsewhere, { credential }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  const head = await service.request(path, { credential, method: 'HEAD' });
  t.match(head, { status: 200, text: '' });
});

t.test('a stream ends with what it is about, and says whether to come back', async (t) => {
  const service = await TestService.start(t);
  const owner = await service.registerClaimed();
  const book = await Book.create(service, { credential: owner });
  await book.ask('/branches', { body: { name: 'side' } });
  const inside = await EventClient.open(book, { branch: 'side' });
  const { credential, userId } = await claimedAgent(service.url);
  const shared = `/collaborators/${userId}`;
  await book.ask(shared, { method: 'PUT', body: { role: 'viewer' } });
  const guest = await EventClient.open(book, { credential });
  await Promise.all([inside.next('start'), guest.next('start')]);
  await book.ask(shared, { method: 'DELETE' });
  t.match(await guest.next('end'), { data: { code: 4403, reconnect: false } });
  await guest.ended;
  await book.ask('/branches/side', { method: 'DELETE' });
  t.match(await inside.next('end'), { data: { code: 4404, reconnect: false } });

  const other = await Book.create(service);
  const revoked = await EventClient.open(other);
  await revoked.next('start');
  await service.request('/agent/auth/revoke', { credential: other.credential, body: {} });
  t.match(await revoked.next('end'), { data: { code: 4401, reconnect: false } });

  const main = await EventClient.open(book);
  await main.next('start');
  await book.purge(await book.archive());
  t.match(await main.next('end'), { data: { code: 4410 } });
  await main.ended;
  const last = await Book.create(service, { credential: owner });
  const stopped = await EventClient.open(last);
  await stopped.next('start');
  await service.app.stop();
  t.match(await stopped.next('end'), { data: { code: 1001, reconnect: true } });
});

t.test('a client that does not read hears what it has missed, or of the hole', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const head = await fill(book, 1);
  const slow = await EventClient.open(book, { query: '?cells=none' });
  await slow.next('start');
  const resume = slow.pause();
  const text = 'x'.repeat(30_000);
  let last = head;
  for (let round = 0; round < 8; round++) {
    const ops = Array.from({ length: 50 }, (_, at) => ({
      kind: 'cells.set',
      payload: { cells: [{ a1: `C${at + 1}`, input: `${round} ${text}` }] },
    }));
    const { json } = await book.ask('/branches/main/ops', { body: { ops } });
    last = (json as { head: number }).head;
  }
  resume();
  const gap = await slow.next('gap');
  t.match(gap, { data: { reason: 'slow_consumer', recover: { ops: /ops\?after=/ } } });
  const { fromSeq, toSeq } = gap.data as { fromSeq: number; toSeq: number };
  last = await fill(book, 1);
  while (slow.lastEventId !== String(last)) await slow.next('op_applied');
  const all = [...slow.seqs, ...range(fromSeq, toSeq)].toSorted((a, b) => a - b);
  t.same(all, range(head + 1, last), 'what came and what the hole names are all there is, once');
});

t.test('a silent stream is kept alive', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const client = await EventClient.open(book);
  await client.next('start');
  while (client.heartbeatCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const head = await fill(book, 1);
  t.match(await client.next('op_applied'), { id: String(head) }, 'and goes on');
});
