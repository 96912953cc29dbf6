import t from 'tap';

import type { Book } from '../support/book.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
  type Merge,
} from '../support/merged-book.ts';

// Merges that crossed: both are made before either is applied, so each takes the other's position
// from before it, and the next merge has two common ancestors.

t.test('merges that crossed have a base of their own', async (t) => {
  const book = await makeBook();
  await fork(book, 'f');
  await write(book, 'main', ['A1', 1], ['B1', 'm']);
  await write(book, 'f', ['A1', 2], ['B2', 'f']);
  const head = await write(book, 'main', ['C1', 1]);
  // Both are made before either is applied, so each takes the other's position from before it.
  const into = await propose(book, { source: 'f@1', target: 'main' });
  const back = await propose(book, { source: `main@${head}`, target: 'f' });
  for (const [{ id }, choice] of [
    [into, 'ours'],
    [back, 'ours'],
  ] as const) {
    const where = { kind: 'cell.*' };
    await book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where, choice }] } });
    t.match((await approve(book, id)).json, { state: 'merged' });
  }
  await write(book, 'f', ['C2', 'new']);
  const crossed = await propose(book, { source: 'f', target: 'main' });
  t.match(crossed, { base: { virtual: true } });
  const conflicts = await conflictsOf(book, crossed.id);
  t.equal(conflicts.length, 1, 'only what they settled differently');
  await book.ask(`/merges/${crossed.id}/resolve`, {
    body: { resolutions: [{ id: conflicts[0]?.id, choice: 'theirs' }] },
  });
  await approve(book, crossed.id);
  t.strictSame(await values(book, 'A1:C2'), [
    [2, 'm', 1],
    [21, 'f', 'new'],
  ]);
});

interface Step {
  readonly kind: string;
  readonly payload: object;
}

interface Crossed {
  readonly about: string;
  /** Steps before the branches part. */
  readonly first?: readonly Step[];
  readonly main: Step;
  readonly f: Step;
  /** The kind of the conflict that is still open between both. */
  readonly conflict: string;
  /** The values of the two bases; left out where a conflict tells of lines. */
  readonly terms?: readonly unknown[];
}

const sheet = 'Sheet1';
const schema = { columns: [{ name: 'k' }, { name: 'a', type: 'number' }] };

function step(kind: string, payload: object): Step {
  return { kind, payload: { sheet, ...payload } };
}

const wrote = step('cells.set', { cells: [{ a1: 'B2', input: 220 }] });
const deleted = step('rows.delete', { from: 2, count: 1 });
const deletedColumn = step('cols.delete', { from: 2, count: 1 });

function both(kind: string, main: object, f: object): Pick<Crossed, 'main' | 'f'> {
  return { main: step(kind, main), f: step(kind, f) };
}

const cases: readonly Crossed[] = [
  { about: 'a row kept and deleted', main: wrote, f: deleted, conflict: 'row.edit_delete' },
  { about: 'a row deleted and kept', main: deleted, f: wrote, conflict: 'row.edit_delete' },
  { about: 'a column', main: wrote, f: deletedColumn, conflict: 'col.edit_delete' },
  {
    about: 'a note',
    ...both('note.set', { a1: 'A1', text: 'main' }, { a1: 'A1', text: 'f' }),
    conflict: 'cell.note',
  },
  {
    about: 'a number format',
    ...both('numfmt.set', { range: 'A1', pattern: '0.0' }, { range: 'A1', pattern: '0.000' }),
    conflict: 'cell.format',
    terms: [{ numberFormat: '0.0' }, { numberFormat: '0.000' }],
  },
  {
    about: 'a title',
    main: { kind: 'settings.set', payload: { path: 'title', value: 'main' } },
    f: { kind: 'settings.set', payload: { path: 'title', value: 'f' } },
    conflict: 'setting',
    terms: ['main', 'f'],
  },
  {
    about: 'a name',
    main: { kind: 'name.set', payload: { name: 'n', formula: '=Sheet1!$A$1' } },
    f: { kind: 'name.set', payload: { name: 'n', formula: '=Sheet1!$A$2' } },
    conflict: 'name.collision',
  },
  {
    about: 'the name of a sheet',
    ...both('sheet.rename', { name: 'Main' }, { name: 'F' }),
    conflict: 'sheet.rename',
    terms: ['Main', 'F'],
  },
  {
    about: 'a width',
    ...both('cols.size', { from: 1, count: 1, px: 30 }, { from: 1, count: 1, px: 40 }),
    conflict: 'col.property',
  },
  {
    about: 'a value',
    ...both('cells.set', { cells: [{ a1: 'B2', input: 2 }] }, { cells: [{ a1: 'B2', input: 3 }] }),
    conflict: 'cell.value',
    terms: [2, 3],
  },
  {
    about: 'a formula',
    main: step('cells.set', { cells: [{ a1: 'C1', input: '=B1' }] }),
    f: step('cells.set', { cells: [{ a1: 'C1', input: '=B1*2' }] }),
    conflict: 'cell.formula',
    terms: ['=B1', '=B1*2'],
  },
  {
    about: 'a cell of a keyed table',
    first: [
      { kind: 'table.create', payload: { name: 'T', keyColumn: 'k', schema } },
      { kind: 'rows.upsert', payload: { table: 'T', rows: [{ k: 'x', a: 1 }] } },
    ],
    main: { kind: 'rows.upsert', payload: { table: 'T', rows: [{ k: 'x', a: 2 }] } },
    f: { kind: 'rows.upsert', payload: { table: 'T', rows: [{ k: 'x', a: 3 }] } },
    conflict: 'tablerow.cell',
    terms: [2, 3],
  },
];

async function settleOurs(book: Book, { id }: Merge): Promise<void> {
  await book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where: {}, choice: 'ours' }] } });
  t.match(await approve(book, id), { status: 200, json: { state: 'merged' } });
}

/** A book of two branches that were merged both ways, where each kept its own. */
async function crossed({
  first = [],
  main,
  f,
}: Omit<Crossed, 'about' | 'conflict'>): Promise<Book> {
  const book = await makeBook();
  for (const { kind, payload } of first) await run(book, 'main', kind, payload);
  await fork(book, 'f');
  const head = await run(book, 'main', main.kind, main.payload);
  const other = await run(book, 'f', f.kind, f.payload);
  const into = await propose(book, { source: `f@${other}`, target: 'main' });
  const back = await propose(book, { source: `main@${head}`, target: 'f' });
  for (const merge of [into, back]) await settleOurs(book, merge);
  return book;
}

for (const one of cases) {
  t.test(`crossed merges that were settled otherwise ask again: ${one.about}`, async (t) => {
    const book = await crossed(one);
    for (const [source, target] of [
      ['f', 'main'],
      ['main', 'f'],
    ]) {
      const merge = await propose(book, { source, target });
      t.match(merge, { base: { virtual: true }, state: 'conflicted' });
      const conflicts = await conflictsOf(book, merge.id);
      t.match(conflicts, [{ kind: one.conflict, status: 'open' }], `${source} into ${target}`);
      const [{ base = {}, choices = [] } = {}] = conflicts as {
        base?: object;
        choices?: string[];
      }[];
      if (one.terms) t.same(base, { terms: one.terms });
      t.notOk(choices.includes('base'), 'no base to choose');
      const body = { resolutions: [{ id: conflicts[0]?.id, choice: 'base' }] };
      const refused = await book.ask(`/merges/${merge.id}/resolve`, { body });
      t.match(refused, { status: 422, json: { errors: [{ code: 'bad_choice' }] } });
    }
    const last = await propose(book, { source: 'f', target: 'main' });
    await settleOurs(book, last);
    const done = await book.ask('/merges', { body: { source: 'f', target: 'main' } });
    t.match(done, { status: 409, json: { code: 'nothing_to_merge' } });
  });
}

t.test('a crossed merge takes what one side changed since', async (t) => {
  const note = (text: string) => step('note.set', { a1: 'A1', text });
  const book = await crossed({ main: note('main'), f: note('f') });
  await run(book, 'f', 'note.set', { sheet, a1: 'A1', text: 'later' });
  const merge = await propose(book, { source: 'f', target: 'main' });
  t.same(await conflictsOf(book, merge.id), [], 'main has what it had, f has something new');
  t.match(await approve(book, merge.id), { status: 200 });
  t.match((await book.ask('/records?ref=main')).json, { records: [{ value: { text: 'later' } }] });
});

t.test('a block that crossed merges left in two places is there once', async (t) => {
  for (const [source, target] of [
    ['f', 'main'],
    ['main', 'f'],
  ] as const) {
    const cut = (range: string, to: string) => step('range.move', { source: range, to });
    const book = await crossed({ main: cut('A1:B3', 'H4'), f: cut('B2', 'G1') });
    await settleOurs(book, await propose(book, { source, target }));
    const rows = (await values(book, 'A1:K12', target)) as unknown[][];
    const found = rows.flat().filter((held) => held !== null);
    t.same(
      found.map(Number).toSorted((a, b) => a - b),
      [11, 12, 21, 22, 31, 32],
      `${source} into ${target}`,
    );
  }
});
