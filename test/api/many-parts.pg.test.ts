import t, { type Test } from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { FileDoor } from '../support/file-door.ts';
import { TestService } from '../support/test-service.ts';
import { workbookParts, workbookXml, zipParts } from '../support/workbook-file.ts';

// Workbooks with thousands of names and tables: what is not touched costs next to nothing.

interface Topology {
  readonly branches: readonly { readonly head: number; readonly segments: number }[];
}

t.test('thousands of names of a file are a few commits', async (t) => {
  const door = await FileDoor.open(t);
  const names = Array.from({ length: 3_000 }, (_, index) => {
    return `<definedName name="rate_${index}">Sheet1!$A$${index + 1}</definedName>`;
  });
  const sheet = '<sheet name="Sheet1" sheetId="1" r:id="rId1"/>';
  const file = zipParts(
    workbookParts('<row r="1"><c r="A1"><v>7</v></c><c r="B1"><f>rate_0*2</f></c></row>', {
      'xl/workbook.xml': workbookXml(sheet, `<definedNames>${names.join('')}</definedNames>`),
    }),
  );
  const { at, dropped } = await door.import(file);
  t.same(dropped, []);
  t.same(await door.rows(at, 'A1:B1'), [[7, 14]]);
  const { json } = await door.request(`${at}/topology`, {});
  const [main] = (json as Topology).branches;
  t.ok((main?.head ?? 0) >= 3_000, 'an operation for each');
  t.ok((main?.segments ?? Infinity) <= 20, `${main?.segments} commits`);
});

/** Counts what is asked of formulas. */
class CountedFormulas extends Formulas {
  count = 0;

  override toR1C1(text: string, row: number, column: number): string {
    this.count++;
    return super.toR1C1(text, row, column);
  }

  override references(text: string): ReturnType<Formulas['references']> {
    this.count++;
    return super.references(text);
  }
}

async function write(t: Test, book: Book, branch: string, ops: readonly object[]): Promise<void> {
  const answer = await book.ask(`/branches/${branch}/ops`, { body: { ops, mode: 'atomic' } });
  t.equal(answer.status, 200, answer.text.slice(0, 200));
}

const nameOf = (index: number, row: number) => ({
  kind: 'name.set',
  payload: { name: `rate_${index}`, formula: `=Sheet1!$A$${row}` },
});

t.test('a merge looks at the names that differ', async (t) => {
  const formulas = new CountedFormulas();
  const service = await TestService.start(t, {}, { formulas });
  const book = await Book.create(service);
  const names = Array.from({ length: 2_000 }, (_, index) => nameOf(index, index + 1));
  await write(t, book, 'main', names);
  const merge = async (branch: string, index: number) => {
    await book.ask('/branches', { body: { name: branch } });
    await write(t, book, branch, [nameOf(index, 9_000)]);
    await write(t, book, 'main', [nameOf(index + 1, 8_000)]);
    formulas.count = 0;
    const made = await book.ask('/merges', { body: { source: branch } });
    t.match(made, { status: 201, json: { state: 'review' } });
    const { id } = made.json as { id: string };
    const asked = formulas.count;
    t.match(await book.ask(`/merges/${id}/approve`, { body: {} }), { json: { state: 'merged' } });
    return asked;
  };
  await merge('first', 10);
  const asked = await merge('second', 20);
  // The model that the merge is tried in is told of each.
  t.ok(asked < 6_000, `formulas were asked ${asked} times about 2,000 names`);
  const state = (await book.ask('/branches/main/state')).json as { names: { name: string }[] };
  const shown = state.names.filter(({ name }) => ['rate_20', 'rate_21'].includes(name));
  t.match(shown, [{ formula: /\$A\$9000$/ }, { formula: /\$A\$8000$/ }]);
});

t.test('hundreds of tables of one sheet are made, compared, merged and dropped', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const create = (index: number) => ({
    kind: 'table.create',
    payload: {
      name: `Stock${index}`,
      sheetRange: `Sheet1!A${3 * index + 1}:B${3 * index + 2}`,
      keyColumn: 'item',
      schema: { columns: [{ name: 'item' }, { name: 'count', type: 'number' }] },
    },
  });
  await write(
    t,
    book,
    'main',
    Array.from({ length: 400 }, (_, index) => create(index)),
  );
  await book.ask('/branches', { body: { name: 'side' } });
  await write(t, book, 'side', [create(400), { kind: 'table.drop', payload: { table: 'Stock7' } }]);
  const rename = { kind: 'table.rename', payload: { table: 'Stock8', name: 'Kept' } };
  await write(t, book, 'main', [create(401), rename]);
  const made = await book.ask('/merges', { body: { source: 'side' } });
  const { id } = made.json as { id: string };
  t.match(await book.ask(`/merges/${id}/approve`, { body: {} }), { json: { state: 'merged' } });
  const { json } = await book.ask('/tables');
  const { tables } = json as { tables: { name: string; range: string }[] };
  const found = new Map(tables.map(({ name, range }) => [name, range]));
  t.equal(found.size, 401);
  t.match(
    ['Stock6', 'Stock7', 'Kept', 'Stock400', 'Stock401'].map((name) => found.get(name)),
    ['A19:B20', undefined, 'A25:B26', 'A1201:B1202', 'A1204:B1205'],
  );
  const taken = { ...create(9), payload: { ...create(9).payload, name: 'kept' } };
  const refused = await book.ask('/branches/main/ops', { body: { ops: [taken] } });
  t.match(refused.json, { results: [{ status: 'rejected' }] }, 'names and places are still taken');
});
