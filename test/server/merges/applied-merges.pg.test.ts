import t from 'tap';

import { MergeTable } from '../../../server/merges/sql.ts';
import { openPostgres } from '../../../server/storage/postgres.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { Book } from '../../support/book.ts';
import { createMigratedDatabase } from '../../support/postgres.ts';
import { TestService } from '../../support/test-service.ts';

t.test('applied merges are read once, and new ones when they are there', async (t) => {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const service = await TestService.start(t, { DATABASE_URL: url }, { formulas: new Formulas() });
  const book = await Book.create(service);
  const ask = async (path: string, body: object): Promise<void> => {
    const { status, text } = await book.ask(path, { body });
    if (status >= 300) throw new Error(text);
  };
  const merge = async (source: string, target: string): Promise<void> => {
    const cells = [{ a1: 'A1', input: `${source} into ${target}` }];
    const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    await ask(`/branches/${source}/ops`, { ops, writer: 'w' });
    await ask('/merges', { source, target, apply: 'auto', strategy: 'theirs' });
  };
  await ask('/branches', { name: 'q3' });
  await ask('/branches', { name: 'q4' });
  const table = new MergeTable(sql);
  const branchesOf = async () => (await table.applied(book.id)).map(({ branchNo }) => branchNo);
  t.same(await branchesOf(), []);
  await merge('q4', 'q3');
  t.same(await branchesOf(), [2]);
  await merge('q3', 'main');
  await merge('main', 'q4');
  await merge('q4', 'q3');
  const read = await table.applied(book.id);
  t.same(
    read.map(({ branchNo }) => branchNo),
    [1, 2, 2, 3],
    'by branch',
  );
  t.ok((read[1]?.seq ?? 0) < (read[2]?.seq ?? 0), 'and sequence');
  t.same(read, await new MergeTable(sql).applied(book.id), 'as they are without the earlier reads');
  await sql`update branch_merge set vector = '{}' where workbook_id = ${book.id}`;
  t.same(await table.applied(book.id), read, 'none of them is read again');
});

t.test('what one server showed is not kept for another, which may lack it', async (t) => {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  // The name comes before that of the catalog: a server that took over has started at another time.
  await sql`set search_path to public, pg_catalog`;
  const begin = async (time: string): Promise<void> => {
    await sql.unsafe(
      `create or replace function public.pg_postmaster_start_time() returns timestamptz
       language sql as $$ select '${time}'::timestamptz $$`,
    );
  };
  await begin('2026-01-01');
  const service = await TestService.start(t, { DATABASE_URL: url }, { formulas: new Formulas() });
  const book = await Book.create(service);
  await book.ask('/branches', { body: { name: 'draft' } });
  const write = async (branch: string, input: string): Promise<void> => {
    const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } }];
    await book.ask(`/branches/${branch}/ops`, { body: { ops } });
  };
  const merge = { source: 'draft', target: 'main' };
  await write('draft', 'drafted');
  await book.ask('/merges', { body: { ...merge, apply: 'auto' } });
  await write('draft', 'drafted again');
  await write('main', 'of main');
  const made = await book.ask('/merges', { body: merge });
  const { id } = made.json as { id: string };
  const table = new MergeTable(sql);
  const before = await table.applied(book.id);
  t.equal(before.length, 1);
  const held = await table.find(book.id, id);
  t.equal(held?.choices.size, 0);
  // The other server has another merge at the same place, and another choice at the same revision.
  const conflicts = await book.ask(`/merges/${id}/conflicts`);
  t.equal(conflicts.status, 200);
  const [conflict] = (conflicts.json as { conflicts: { id: string }[] }).conflicts;
  const body = { resolutions: [{ id: conflict?.id, choice: 'theirs' }] };
  t.equal((await book.ask(`/merges/${id}/resolve`, { body })).status, 200);
  await sql`update merge set revision = ${held?.revision ?? 0} where merge_id = ${id}`;
  await sql`update branch_merge set merge_id = 'mrg_other' where workbook_id = ${book.id}`;
  t.same(await table.applied(book.id), before);
  t.equal((await table.find(book.id, id))?.choices.size, 0);
  await begin('2026-01-02');
  t.match(await table.applied(book.id), [{ mergeId: 'mrg_other' }]);
  t.equal((await table.find(book.id, id))?.choices.size, 1);
  await sql`delete from branch_merge where workbook_id = ${book.id}`;
  await begin('2026-01-03');
  t.same(await table.applied(book.id), []);
});
