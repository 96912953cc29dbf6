import t from 'tap';

import { openPostgres } from '../../../server/storage/postgres.ts';
import { BackwardTable } from '../../../server/values/blame/sql.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { Book } from '../../support/book.ts';
import { createMigratedDatabase } from '../../support/postgres.ts';
import { TestService } from '../../support/test-service.ts';

t.test('a journal is read back to what is known, and no further', async (t) => {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const service = await TestService.start(t, { DATABASE_URL: url }, { formulas: new Formulas() });
  const book = await Book.create(service);
  const write = async (inputs: readonly number[]): Promise<number> => {
    const ops = inputs.map((input) => {
      return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells: [{ a1: 'A1', input }] } };
    });
    const answer = await book.ask('/branches/main/ops', { body: { ops, writer: 'w' } });
    t.equal(answer.status, 200);
    return (answer.json as { head: number }).head;
  };
  const known = await write([1]);
  await write([2, 3, 4]);
  const last = await write([5]);
  const page = { segments: 64, bytes: 1 << 20 };
  const table = new BackwardTable(sql);
  const readBack = async (after: number): Promise<number[]> => {
    const address = { workbookId: book.id, branchNo: 1 };
    const segments = await table.segmentsBefore(address, last, page, after);
    return segments.map(({ firstSeq }) => firstSeq - known);
  };
  t.same(await readBack(known), [4, 1], 'what came since');
  t.same(await readBack(known + 2), [4, 1], 'a commit of which a part is known is read');
  t.same(await readBack(known + 3), [4]);
  t.equal((await readBack(0)).at(-1), 1 - known, 'all of it, where nothing is known');
});
