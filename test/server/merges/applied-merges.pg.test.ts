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
