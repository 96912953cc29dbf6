import t from 'tap';

import { op, Quire } from '../../client/library/quire.ts';
import { TestService } from '../support/test-service.ts';

t.test('what has no helper is called by its path, with types', async (t) => {
  const service = await TestService.start(t, {}, {});
  const { url } = service;
  const quire = new Quire({ url, key: await service.registerClaimed() });
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [[1, '=A1*2']] }] });
  const path = { id: book.id };
  const settings = await quire.call('GET', '/v1/workbooks/{id}/settings', { path });
  t.match(settings, { policy: { merge: { strategy: 'none' } } });
  const stats = await quire.call('GET', '/v1/workbooks/{id}/eval-stats', { path });
  t.match(stats, { formulas: 1 });
  t.match(await quire.call('POST', '/v1/workbooks/{id}/wake', { path, body: {} }), {});
  t.match(await quire.call('POST', '/v1/workbooks/{id}/topology', { path, body: {} }), {});
  t.match(await quire.call('POST', '/v1/workbooks/{id}/verify', { path }), { ok: true });
  await book.submit([op.noteSet({ sheet: 'Plan', a1: 'A1', text: 'one' })]);
  t.match(await book.records().all(), [{ type: 'note', value: { text: 'one' } }]);
  const formats = await quire.call('GET', '/v1/workbooks/{id}/formats', {
    path,
    query: { range: ['Plan!A1:B1'] },
  });
  t.match(formats, { slices: [{ sheet: 'Plan' }] });
  const ticket = await quire.call('POST', '/v1/workbooks/{id}/ws-ticket', { path, body: {} });
  t.match(ticket, { ticket: String });
  const other = await Quire.register({ url });
  const { user_id: user } = await other.whoami();
  const shared = await quire.call('PUT', '/v1/workbooks/{id}/collaborators/{user}', {
    path: { ...path, user },
    body: { role: 'viewer' },
  });
  t.match(JSON.stringify(shared), user);
  t.match(await other.open(book.id).read('Plan!B1'), { rows: [[2]] });
  await t.rejects(other.open(book.id).set('Plan!A1', 2), { code: 'forbidden', status: 403 });
  t.match(await quire.call('GET', '/v1/tlog/status', {}), { origin: String });
  const branch = await book.fork('q3');
  await branch.set('Plan!A1', 5);
  const merge = await book.merge('q3', { title: 'five' });
  const units = await quire.call('PUT', '/v1/workbooks/{id}/merges/{mid}/units', {
    path: { ...path, mid: merge.id },
    body: { groups: [] },
  });
  t.match(units, { revision: Number });
  t.equal((await merge.refresh()).state, 'review');
  t.equal((await merge.abort('enough')).state, 'aborted');
  t.equal((await book.openMerge(merge.id)).record.title, 'five');
});

t.test('one key is one call, and never two', async (t) => {
  const service = await TestService.start(t);
  const quire = await Quire.register({ url: service.url });
  const headers = { 'idempotency-key': 'the-one-and-only' };
  const make = (name: string): Promise<{ id: string }> =>
    quire.call('POST', '/v1/workbooks', { body: { name }, headers });
  const first = await make('one');
  t.equal((await make('one')).id, first.id, 'the same call again has the same answer');
  await t.rejects(make('two'), { code: 'idempotency_mismatch', status: 422 });
  const [left, right] = await Promise.allSettled([
    quire.create({ name: 'three' }, { headers: { 'idempotency-key': 'at-once' } }),
    quire.create({ name: 'three' }, { headers: { 'idempotency-key': 'at-once' } }),
  ]);
  t.ok([left, right].some(({ status }) => status === 'fulfilled'));
  const named = (await quire.workbooks().all()).filter(({ name }) => name === 'three');
  t.equal(named.length, 1);
});
