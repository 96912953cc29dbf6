import t from 'tap';

import type { Book } from '../support/book.ts';
import { approve, fork, makeBook, propose, run, write } from '../support/merged-book.ts';

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly ours: { readonly cells?: readonly object[] };
  readonly theirs: { readonly cells?: readonly object[] };
}

async function conflicts(book: Book, id: string): Promise<Shown[]> {
  const { json } = await book.ask(`/merges/${id}/conflicts`);
  return (json as { conflicts: Shown[] }).conflicts;
}

interface Listed {
  readonly type: string;
  readonly ranges: string[];
  readonly value: Record<string, unknown>;
}

async function records(book: Book, type: string, branch = 'main'): Promise<Listed[]> {
  const { json } = await book.ask(`/diff?from=main@0&to=${branch}&kinds=records`);
  const found = (json as { records: { type: string; after: Omit<Listed, 'type'> | null }[] })
    .records;
  return found.flatMap((one) => (one.type === type && one.after ? [{ ...one.after, type }] : []));
}

async function texts(book: Book): Promise<unknown[]> {
  const [thread] = await records(book, 'thread');
  const comments = thread?.value['comments'] as { text: string }[] | undefined;
  return comments?.map(({ text }) => text) ?? [];
}

const sheet = 'Sheet1';

t.test('two replies in a thread are both there, whichever side they were written on', async (t) => {
  for (const [source, target] of [
    ['f', 'main'],
    ['main', 'f'],
  ] as const) {
    const book = await makeBook();
    await run(book, 'main', 'comment.add', { sheet, a1: 'A1', thread: 't1', text: 'why?' });
    await fork(book, 'f');
    await run(book, 'main', 'comment.reply', { thread: 't1', text: 'one' });
    await run(book, 'f', 'comment.reply', { thread: 't1', text: 'two' });
    await run(book, 'f', 'comment.resolve', { thread: 't1', resolved: true });
    const { id } = await propose(book, { source, target });
    t.strictSame(await conflicts(book, id), []);
    await approve(book, id);
    if (target === 'main') {
      t.strictSame(await texts(book), ['why?', 'one', 'two']);
      t.match(await records(book, 'thread'), [{ ranges: ['A1'], value: { resolved: true } }]);
    }
    const back = await book.ask('/merges', { body: { source: target, target: source } });
    t.match(back, { status: 201, json: { fastForward: true } });
  }
});

t.test('a comment that both edit is asked about, and no other one', async (t) => {
  const book = await makeBook();
  const first = { sheet, a1: 'A1', thread: 't1', comment: 'c1', text: 'why?' };
  await run(book, 'main', 'comment.add', first);
  await run(book, 'main', 'comment.reply', { thread: 't1', comment: 'c2', text: 'gone soon' });
  await fork(book, 'f');
  const edit = (text: string) => ({ thread: 't1', comment: 'c1', text });
  await run(book, 'main', 'comment.edit', edit('why ours?'));
  await run(book, 'f', 'comment.edit', edit('why theirs?'));
  await run(book, 'f', 'comment.delete', { thread: 't1', comment: 'c2' });
  await run(book, 'main', 'comment.reply', { thread: 't1', text: 'because' });
  const { id } = await propose(book, { source: 'f' });
  const [conflict, ...more] = await conflicts(book, id);
  t.strictSame(more, []);
  t.match(conflict, {
    kind: 'rule.edit',
    base: { value: { text: 'why?' } },
    ours: { value: { text: 'why ours?' } },
    theirs: { value: { text: 'why theirs?' } },
    choices: ['ours', 'theirs'],
  });
  const resolutions = [{ id: conflict?.id, choice: 'theirs' }];
  await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
  await approve(book, id);
  t.strictSame(await texts(book), ['why theirs?', 'because']);
});

t.test('labels, roles of protections and criteria of filters are sets', async (t) => {
  const book = await makeBook();
  const protect = (...who: string[]) => ({ id: 'p1', sheet, ranges: ['A1:B1'], who });
  const filter = (...columns: string[]) => ({
    sheet,
    range: 'A1:B3',
    criteria: columns.map((column) => ({ column, values: ['21', '22'] })),
  });
  await run(book, 'main', 'props.set', { labels: ['draft'] });
  await run(book, 'main', 'protect.set', protect('*', 'ann'));
  await run(book, 'main', 'filter.set', filter());
  await fork(book, 'f');
  await run(book, 'main', 'props.set', { labels: ['draft', 'finance'] });
  await run(book, 'main', 'protect.set', protect('*', 'ann', 'bob'));
  await run(book, 'main', 'filter.set', filter('A'));
  await run(book, 'f', 'props.set', { labels: ['2026'] });
  await run(book, 'f', 'protect.set', protect('*', 'cem'));
  await run(book, 'f', 'filter.set', filter('B'));
  const { id } = await propose(book, { source: 'f' });
  t.strictSame(await conflicts(book, id), []);
  await approve(book, id);
  const state = (await book.ask('/branches/main/state')).json;
  t.match(state, { settings: { labels: ['2026', 'finance'] } });
  t.match(await records(book, 'protection'), [{ value: { who: ['*', 'bob', 'cem'] } }]);
  t.match(await records(book, 'filter'), [
    { value: { criteria: [{ column: 'A' }, { column: 'B' }] } },
  ]);
});

t.test('all that is at stake on a deleted row is shown, and a link is told', async (t) => {
  const book = await makeBook();
  await run(book, 'main', 'note.set', { sheet, a1: 'A3', text: 'old' });
  await fork(book, 'f');
  await run(book, 'main', 'rows.delete', { sheet, from: 2, count: 2 });
  await run(book, 'f', 'hyperlink.set', { sheet, range: 'B2', url: 'https://example.com/' });
  await run(book, 'f', 'comment.add', { sheet, a1: 'A3', thread: 't1', text: 'keep this' });
  await run(book, 'f', 'note.set', { sheet, a1: 'A3', text: 'new' });
  await write(book, 'f', ['B3', 5]);
  const { id } = await propose(book, { source: 'f' });
  const found = await conflicts(book, id);
  t.match(found, [
    {
      kind: 'row.edit_delete',
      ours: { change: 'removed' },
      theirs: { cells: [{ a1: 'B2', link: { url: 'https://example.com/' } }] },
    },
    {
      kind: 'row.edit_delete',
      theirs: {
        cells: [
          { a1: 'B3', input: 5 },
          { a1: 'A3', note: { text: 'new' } },
          { a1: 'A3', comment: { comments: [{ text: 'keep this' }] } },
        ],
      },
    },
  ]);
  t.equal(found.length, 2);
});

t.test('a conversation about a deleted row goes on beside it, from both directions', async (t) => {
  for (const [source, target] of [
    ['f', 'main'],
    ['main', 'f'],
  ] as const) {
    const book = await makeBook();
    await fork(book, 'f');
    await run(book, 'main', 'rows.delete', { sheet, from: 2, count: 1 });
    await run(book, 'f', 'comment.add', { sheet, a1: 'A2', thread: 't1', text: 'keep this' });
    const { id } = await propose(book, { source, target });
    const found = await conflicts(book, id);
    const resolutions = found.map((one) => ({ id: one.id, choice: 'delete' }));
    await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
    const done = await approve(book, id);
    t.equal(done.status, 200);
    t.match(await records(book, 'thread', target), [
      { ranges: ['A1'], value: { displaced: true, comments: [{ text: 'keep this' }] } },
    ]);
  }
});

t.test('cells that one side merged and a table of the other side are asked about', async (t) => {
  const columns = [{ name: 'k' }, { name: 'v' }];
  const table = { name: 'T', keyColumn: 'k', sheetRange: `${sheet}!D1:E3`, schema: { columns } };
  for (const target of ['main', 'f']) {
    for (const winner of ['main', 'f']) {
      const book = await makeBook();
      await write(book, 'main', ['D1', 'k'], ['E1', 'v'], ['D2', 'a'], ['D3', 'b']);
      await fork(book, 'f');
      await run(book, 'main', 'cellmerge.add', { sheet, range: 'D2:E2' });
      await run(book, 'f', 'table.create', table);
      const source = target === 'main' ? 'f' : 'main';
      const { id } = await propose(book, { source, target });
      const [conflict, ...more] = await conflicts(book, id);
      t.equal(conflict?.kind, 'range.merge_overlap');
      t.same(more, []);
      const choice = winner === target ? 'ours' : 'theirs';
      const resolutions = [{ id: conflict?.id, choice }];
      await book.ask(`/merges/${id}/resolve`, { body: { resolutions } });
      t.equal((await approve(book, id)).status, 200);
      const { json } = await book.ask(`/branches/${target}/state`);
      const { tables } = json as { tables: object[] };
      const merged = await records(book, 'cellmerge', target);
      t.equal(tables.length, winner === 'f' ? 1 : 0, `${winner} wins, in ${target}`);
      t.equal(merged.length, winner === 'main' ? 1 : 0);
    }
  }
});
