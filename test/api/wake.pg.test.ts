import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

t.test('a wake brings a workbook into memory, and topology says where it is', async (t) => {
  const service = await TestService.start(t, { NODE_ID: 'node-x' }, {});
  const book = await Book.create(service);
  await book.set('A1', '=SUM(1,2)');
  const describe = async () => (await book.ask('/topology', { body: {} })).json;
  t.match(await describe(), {
    workbook: book.id,
    owner: { node: 'node-x', epoch: 0, expiresInMs: null },
    nodes: [{ node: 'node-x', role: 'front', hashRank: 1 }],
    sockets: 0,
    branches: [{ branch: 'main', head: 2, hotFromSeq: 1, segments: 2, snapshotSeq: null }],
    journal: { engine: 'postgres', shard: 0 },
    history: { engine: 'file', prefix: `wb/${book.id}/`, sealedSeq: null },
    lag: { wakeMs: null, tiles: null },
  });
  const { branches } = (await describe()) as { branches: object[] };
  t.equal(branches.length, 1, 'the branch of the settings is not one of theirs');

  const released = await book.ask('/topology', { body: { action: 'release' } });
  t.match(released, { status: 200, json: { owner: null, branches: [{ head: 2 }] } });
  const woken = await book.ask('/wake', { method: 'POST' });
  t.match(woken, {
    status: 200,
    json: {
      state: 'hot',
      readOnly: false,
      owner: { node: 'node-x', epoch: 1, since: /Z$/ },
      branches: [{ branch: 'main', head: 2, loadedSeq: 2, ms: /^\d+$/u }],
    },
  });
  t.match(await describe(), { owner: { node: 'node-x', epoch: 1 }, lag: { wakeMs: /^\d+$/u } });
  t.match((await book.set('A1', '=SUM(1,3)')).json, { status: 'applied', lastSeq: 3 });

  const warm = { branches: ['main'], warm: ['state', 'values'], waitMs: 10_000 };
  t.match(await book.ask('/wake', { body: warm }), { status: 200, json: { state: 'hot' } });
  t.match((await book.ask('/eval-stats')).json, { pending: 0, cache: { builds: 1 } });
  t.match((await book.ask('/slice?range=A1')).json, { rows: [[4]] });
  const moved = await book.ask('/topology', { body: { action: 'move', to: 'node-x' } });
  t.match(moved, { status: 200, json: { owner: null } });
  t.match((await book.set('A1', 7)).json, { status: 'applied', lastSeq: 4 });
});

t.test('what is wrong with a wake or a move is said', async (t) => {
  const service = await TestService.start(t, { NODE_ID: 'node-x' });
  const book = await Book.create(service);
  const wake = (body: object) => book.ask('/wake', { body });
  const topology = (body: object) => book.ask('/topology', { body });
  t.match(await wake({ branches: ['nope'] }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  t.match(await wake({ branches: [] }), { status: 400 });
  t.match(await wake({ waitMs: 10_001 }), {
    status: 400,
    json: { errors: [{ pointer: '/waitMs' }] },
  });
  t.match(await wake({ warm: ['cells'] }), { status: 400 });
  t.match(await wake({ branch: 'main' }), {
    status: 400,
    json: { code: 'unknown_member', detail: /"branches"/ },
  });
  t.match(await topology({ action: 'move', to: 'node-y' }), {
    status: 400,
    json: { errors: [{ pointer: '/to', code: 'unknown_node', message: /node-x/ }] },
  });
  t.match(await topology({ action: 'move' }), {
    status: 400,
    json: { errors: [{ pointer: '/to' }] },
  });
  t.match(await topology({ to: 'node-x' }), {
    status: 400,
    json: { errors: [{ pointer: '/to' }] },
  });
  t.match(await topology({ action: 'release', to: 'node-x' }), { status: 400 });
  t.match(await topology({ action: 'stop' }), { status: 400 });
  const credential = await service.register();
  for (const path of [`/v1/workbooks/${book.id}/wake`, `/v1/workbooks/${book.id}/topology`]) {
    t.match(await service.request(path, { credential, body: {} }), { status: 404 });
  }
});

t.test('an archived workbook wakes to be read', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  const confirm = await book.archive();
  t.match(await book.ask('/wake', { body: {} }), {
    status: 200,
    json: { state: 'hot', readOnly: true, branches: [{ branch: 'main', head: 1 }] },
  });
  t.match(await book.ask('/topology', { body: {} }), { status: 200, json: { branches: [{}] } });
  t.match(await book.ask('/topology', { body: { action: 'release' } }), {
    status: 409,
    json: { code: 'workbook_archived' },
  });
  await book.purge(confirm);
  t.match(await book.ask('/wake', { body: {} }), { status: 404, json: { code: 'not_found' } });
  t.match(await book.ask('/topology', { body: {} }), { status: 404, json: { code: 'not_found' } });
});

t.test('a wake that takes longer than the request would wait answers 202', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const rows = Array.from({ length: 2_000 }, (_, row) => [row, `text ${row}`]);
  for (let at = 1; at <= 20_001; at += 2_000) {
    const range = `A${at}:B${at + rows.length - 1}`;
    const ops = [{ kind: 'range.set', payload: { range, inputs: rows } }];
    t.match(await book.ask('/branches/main/ops', { body: { ops } }), { status: 200 });
  }
  await book.ask('/topology', { body: { action: 'release' } });
  const early = await book.ask('/wake', { body: { waitMs: 0 } });
  t.match(early, { status: 202, json: { state: 'waking', retry_after: 10 } });
  t.equal(early.headers.get('retry-after'), '10');
  const later = await book.ask('/wake', { body: { waitMs: 10_000 } });
  t.match(later, { status: 200, json: { branches: [{ loadedSeq: 12 }] } });
});
