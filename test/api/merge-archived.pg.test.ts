import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';

// Decisions on merges whose workbook is archived meanwhile, or whose maker loses the right to them.

const archived = { status: 409, json: { code: 'workbook_archived', hint: /\/restore makes/ } };
const dayMilliseconds = 86_400_000;

interface World {
  readonly service: TestService;
  readonly sql: Sql;
  readonly clock: MovingClock;
  /** Work to do once, when a request gets to a place. */
  readonly onWay: Map<string, () => Promise<unknown>>;
}

async function start(t: Test): Promise<World> {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const clock = new MovingClock();
  const onWay: World['onWay'] = new Map();
  const checkpoint = async (place: string): Promise<void> => {
    const work = onWay.get(place);
    onWay.delete(place);
    await work?.();
  };
  const environment = { ...realEnvironment, ...clock.environment, checkpoint };
  const given = { formulas: new Formulas(), environment };
  return { service: await TestService.start(t, { DATABASE_URL: url }, given), sql, clock, onWay };
}

/** A merge with a conflict, or without. */
async function propose(service: TestService, ours?: number): Promise<{ book: Book; id: string }> {
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  await book.set('A1', 1);
  await book.ask('/branches', { body: { name: 'side', from: 'main' } });
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 2 }] } }];
  await book.ask('/branches/side/ops', { body: { ops } });
  if (ours !== undefined) await book.set('A1', ours);
  const made = await book.ask('/merges', { body: { source: 'side' } });
  if (made.status !== 201) throw new Error(made.text);
  return { book, id: (made.json as { id: string }).id };
}

/** Waits until so many statements wait for a lock. */
async function untilWaiting(sql: Sql, count: number): Promise<void> {
  for (;;) {
    const rows = await sql`
      select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`;
    if (rows.length >= count) return;
    await sleep(5);
  }
}

t.test('a decision that comes behind the archiving is told of it', async (t) => {
  const { service, sql } = await start(t);
  const decisions: readonly (readonly [
    path: string,
    method: string,
    body: object,
    ours?: number,
  ])[] = [
    ['approve', 'POST', {}],
    ['approve', 'POST', { event: 'comment', comment: 'so?' }],
    ['abort', 'POST', {}],
    ['resolve', 'POST', { bulk: [{ where: {}, choice: 'theirs' }] }, 3],
    ['units', 'PUT', { groups: [{ id: 'all', members: ['*'], decision: 'reject' }] }],
  ];
  for (const [path, method, body, ours] of decisions) {
    const { book, id } = await propose(service, ours);
    let archiving: Promise<string> | undefined;
    let deciding: ReturnType<Book['ask']> | undefined;
    await sql.begin(async (holding) => {
      await holding`select from merge where merge_id = ${id} for update`;
      archiving = book.archive();
      await untilWaiting(sql, 1);
      deciding = book.ask(`/merges/${id}/${path}`, { method, body });
      await untilWaiting(sql, 2);
    });
    await archiving;
    t.match(await deciding, archived, path);
  }
});

t.test('a merge whose workbook is archived before it is written', async (t) => {
  const { service, onWay } = await start(t);
  const { book, id } = await propose(service);
  onWay.set('merge.begin', () => book.archive());
  t.match(await book.ask(`/merges/${id}/approve`, { body: {} }), archived);
  await book.ask('/restore', { method: 'POST' });
  t.match((await book.ask(`/merges/${id}`)).json, { state: 'aborted' });
  const closed = { status: 409, json: { code: 'merge_closed', hint: /Propose a new one/ } };
  t.match(await book.ask(`/merges/${id}/approve`, { body: {} }), closed);
});

t.test('a merge that was written before the archiving is merged', async (t) => {
  const { service, onWay } = await start(t);
  const { book, id } = await propose(service);
  onWay.set('merge.appended', () => book.archive());
  const done = await book.ask(`/merges/${id}/approve`, { body: {} });
  t.match(done, { status: 200, json: { state: 'merged', result: { seq: 3 } } }, done.text);
  t.match((await book.ask('/slice?range=A1')).json, { rows: [[2]] });
  t.match((await book.ask(`/merges/${id}`)).json, { state: 'merged' });
});

t.test('what archiving says of its merges has the time of the service', async (t) => {
  const { service, clock } = await start(t);
  const { book, id } = await propose(service);
  clock.forward(dayMilliseconds / 1000);
  const begun = clock.environment.now();
  await book.archive();
  const { timeline, state } = (await book.ask(`/merges/${id}`)).json as {
    state: string;
    timeline: readonly { readonly at: string; readonly event: string }[];
  };
  t.equal(state, 'aborted');
  const last = timeline.at(-1);
  t.equal(last?.event, 'aborted');
  t.ok(Date.parse(last?.at ?? '') >= begun);
  const { archivedAt } = (await book.ask('')).json as { archivedAt: string };
  t.equal(archivedAt, last?.at);
});

t.test('whoever is removed meanwhile applies nothing', async (t) => {
  const { service, onWay } = await start(t);
  const { book, id } = await propose(service);
  const other = await claimedAgent(service.url);
  const place = `/collaborators/${other.userId}`;
  const shared = await book.ask(place, { method: 'PUT', body: { role: 'editor' } });
  t.ok(shared.status < 300, shared.text);
  onWay.set('merge.begin', () => book.ask(place, { method: 'DELETE' }));
  const path = `/v1/workbooks/${book.id}/merges/${id}/approve`;
  const late = await service.request(path, { credential: other.credential, body: {} });
  t.match(late, { status: 404, json: { code: 'not_found' } }, late.text);
  t.match((await book.ask('/slice?range=A1')).json, { rows: [[1]] });
  const done = await book.ask(`/merges/${id}/approve`, { body: {} });
  t.match(done, { status: 200, json: { state: 'merged' } }, done.text);
});
