import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { Test } from 'tap';

import type { Append } from '../../../server/branches/journal-store.ts';
import { PostgresJournal } from '../../../server/branches/sql.ts';
import { PurgeTable } from '../../../server/maintenance/sql.ts';
import type { Sql } from '../../../server/storage/postgres.ts';
import { WorkbookTable, type Archived } from '../../../server/workbooks/sql.ts';
import { openTestDatabase } from '../../support/postgres.ts';
import { workbookRows } from '../../support/workbook-rows.ts';

const id = 'wb_1';
const ownerId = 'agt_1';

interface World {
  readonly sql: Sql;
  readonly table: WorkbookTable;
  readonly purges: PurgeTable;
}

async function start(t: Test): Promise<World> {
  const sql = await openTestDatabase(t);
  const table = new WorkbookTable(sql);
  await table.begin({ id, ownerId, namespace: 'ann', name: 'book' });
  await table.complete(id);
  return { sql, table, purges: new PurgeTable(sql) };
}

function append(expectedHead: number, epoch: number): Append {
  const seq = expectedHead + 1;
  const hash = Buffer.alloc(32, seq);
  const previousHash = Buffer.alloc(32, expectedHead);
  const segment = { firstSeq: seq, lastSeq: seq, previousHash, hash, body: Buffer.from('x') };
  const nothing = { usage: [], commits: [], at: 0 };
  return { workbookId: id, branchNo: 1, expectedHead, epoch, segments: [segment], ...nothing };
}

/** Makes what an archiving asks for. */
function by(confirm: string): Archived {
  return { confirm, archivedAt: new Date() };
}

/** Returns whether some work is still under way after a while. */
async function isWaiting(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => false), sleep(300).then(() => true)]);
}

/** A transaction that is open until it is told to end. */
function hold(sql: Sql, action: (transaction: Sql) => Promise<unknown>) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = sql.begin(async (transaction) => {
    await action(transaction as never);
    begun();
    await ended;
  });
  const finish = (): Promise<unknown> => {
    end();
    return done;
  };
  return { held, end: finish };
}

t.test('an archived workbook takes no append, whatever epoch it has', async (t) => {
  const { sql, table } = await start(t);
  const journal = new PostgresJournal(sql);
  t.equal(await journal.append(append(0, 0)), true);
  const archived = await table.archive(id, by('cf_1'));
  t.match(archived, { confirm: 'cf_1', archivedAt: Date });
  for (const epoch of [0, 1, 2]) t.equal(await journal.append(append(1, epoch)), false);
  t.same(await table.archive(id, by('cf_2')), archived, 'again the same');
  await table.restore(id, new Date());
  t.equal(await journal.append(append(1, 0)), false, 'sent before the archiving');
  t.equal(await journal.append(append(1, 1)), true);
  t.match(await table.archive(id, by('cf_3')), { confirm: 'cf_3' });
  t.equal(await table.archive('wb_none', by('cf_4')), undefined);
});

t.test('an append under way is durable before the archiving is answered', async (t) => {
  const { sql, table } = await start(t);
  const writing = hold(sql, (inside) => {
    const appends = {
      isStuck: false,
      run: <R>(statement: (on: Sql) => Promise<R>) => statement(inside),
    };
    return new PostgresJournal(sql, appends).append(append(0, 0));
  });
  await writing.held;
  const archiving = table.archive(id, by('cf_1'));
  t.ok(await isWaiting(archiving), 'it waits for the append');
  await writing.end();
  t.match(await archiving, { confirm: 'cf_1' });
  t.match(await table.find(id), { archived: true, head: 1 });
});

t.test('an append that comes while it is archived is refused', async (t) => {
  const { sql } = await start(t);
  const archiving = hold(sql, (inside) =>
    new WorkbookTable(nested(inside)).archive(id, by('cf_1')),
  );
  await archiving.held;
  const writing = new PostgresJournal(sql).append(append(0, 0));
  t.ok(await isWaiting(writing), 'it waits for the archiving');
  await archiving.end();
  t.equal(await writing, false);
});

/** The transaction as something that begins one. */
function nested(sql: Sql): Sql {
  return Object.assign(sql, { begin: (action: (inside: Sql) => unknown) => action(sql) });
}

t.test('a branch that is made meanwhile is archived too, and one that was stays so', async (t) => {
  const { sql, table } = await start(t);
  const make = (inside: Sql, branchNo: number, archived: boolean) => inside`
    insert into branch (workbook_id, branch_no, name, head_hash, archived)
    select workbook_id, ${branchNo}, ${`b${branchNo}`}, ${Buffer.alloc(32)}, ${archived}
      from workbook where workbook_id = ${id} and complete and not archived for share`;
  await make(sql, 2, true);
  const making = hold(sql, (inside) => make(inside, 3, false));
  await making.held;
  const archiving = table.archive(id, by('cf_1'));
  t.ok(await isWaiting(archiving), 'it waits for the branch');
  await making.end();
  await archiving;
  const branches = async () =>
    (await sql`select branch_no, archived from branch where archived order by 1`).map(
      ({ branch_no: no }) => no as number,
    );
  t.same(await branches(), [0, 1, 2, 3]);
  t.equal((await make(sql, 4, false)).count, 0, 'none can be made now');
  await table.restore(id, new Date());
  t.same(await branches(), [2]);
});

t.test('a purge needs the token, hides at once and leaves no rows', async (t) => {
  const { sql, table, purges } = await start(t);
  const request = { workbookId: id, ownerId, confirm: 'cf_1' };
  t.equal(await purges.begin(request), false, 'it is active');
  await table.archive(id, by('cf_1'));
  t.equal(await purges.begin({ ...request, confirm: 'cf_2' }), false);
  t.equal(await purges.begin({ ...request, ownerId: 'agt_2' }), false);
  t.equal(await purges.begin(request), true);
  t.equal(await purges.begin(request), false, 'begun once');
  t.match(await purges.find(request), { workbookId: id, removedAt: null });
  t.equal(await purges.find({ ...request, confirm: 'cf_2' }), undefined);
  t.equal(await purges.find({ ...request, ownerId: 'agt_2' }), undefined);
  t.equal(await table.find(id), undefined);
  t.equal(await table.findByAddress('ann', 'book'), undefined);
  await table.restore(id, new Date());
  t.equal(await table.find(id), undefined, 'there is no way back');
  t.equal(await table.archive(id, by('cf_9')), undefined);
  t.equal(await table.rename(id, 'other'), 'absent');

  await sql`update workbook set created_at = created_at - interval '30 days'`;
  await table.removeAbandoned();
  t.ok((await workbookRows(sql, id))['branch'], 'a start leaves the rows while there are objects');
  t.same(await purges.due(), [{ workbookId: id, removedAt: null }]);
  await purges.removeRows(id);
  t.same(await workbookRows(sql, id), {});
  t.same(await purges.due(), [], 'done, and remembered for a day');
  t.match(await purges.find(request), { removedAt: Date });
  await sql`update purge set removed_at = removed_at - interval '25 hours'`;
  t.match(await purges.due(), [{ workbookId: id, removedAt: Date }]);
  await purges.forget(id);
  t.same(await purges.due(), []);
});

t.test('of a purge and a restore at the same time one counts', async (t) => {
  const { sql, table, purges } = await start(t);
  await table.archive(id, by('cf_1'));
  const restoring = hold(sql, (inside) =>
    new WorkbookTable(nested(inside)).restore(id, new Date()),
  );
  await restoring.held;
  const purging = purges.begin({ workbookId: id, ownerId, confirm: 'cf_1' });
  t.ok(await isWaiting(purging));
  await restoring.end();
  t.equal(await purging, false);
  t.match(await table.find(id), { archived: false });
});

t.test('every change is announced, to other processes too', async (t) => {
  const { table, purges } = await start(t);
  const heard: [string, boolean][] = [];
  const stop = await table.listen(
    (changed, isGone) => heard.push([changed, isGone]),
    () => undefined,
  );
  await table.archive(id, by('cf_1'));
  await table.archive(id, by('cf_1'));
  await table.restore(id, new Date());
  await table.restore(id, new Date());
  await table.rename(id, 'other');
  await table.archive(id, by('cf_2'));
  await purges.begin({ workbookId: id, ownerId, confirm: 'cf_2' });
  await purges.removeRows(id);
  while (heard.length < 5) await sleep(20);
  await sleep(100);
  t.same(heard, [...Array.from({ length: 4 }, () => [id, false]), [id, true]]);
  await stop();
});
