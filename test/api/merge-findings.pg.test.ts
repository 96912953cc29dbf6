import t from 'tap';

import type { Book } from '../support/book.ts';
import { approve, fork, makeBook, propose, run, values, write } from '../support/merged-book.ts';

interface Finding {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly value?: { base: unknown; ours: unknown; theirs: unknown; merged: unknown };
  readonly becauseOf?: readonly string[];
}

interface Found {
  readonly violations: readonly Finding[];
  readonly effects: readonly Finding[];
}

interface Prepared {
  readonly base?: (book: Book) => Promise<unknown>;
  readonly ours: (book: Book) => Promise<unknown>;
  readonly theirs: (book: Book) => Promise<unknown>;
}

async function proposed({ base, ours, theirs }: Prepared) {
  const book = await makeBook();
  await base?.(book);
  await fork(book, 'q3');
  await ours(book);
  await theirs(book);
  const merge = await propose(book, { source: 'q3' });
  return { book, merge, found: await findingsOf(book, merge.id) };
}

async function findingsOf(book: Book, id: string, query = ''): Promise<Found> {
  return (await book.ask(`/merges/${id}/conflicts${query}`)).json as Found;
}

async function settings(book: Book, merge: object): Promise<void> {
  const answer = await book.ask('/settings', { method: 'PUT', body: { policy: { merge } } });
  if (answer.status !== 200) throw new Error(answer.text);
}

const product: Prepared = {
  base: (book) => write(book, 'main', ['A1', 1], ['B1', 1], ['C1', '=A1*B1'], ['D1', '=C1+1']),
  ours: (book) => write(book, 'main', ['A1', 2]),
  theirs: (book) => write(book, 'q3', ['B1', 3]),
};

t.test(
  'scenario 14: values that only the merge brings about are told, and what they come of',
  async (t) => {
    const { book, merge, found } = await proposed(product);
    t.match(merge, {
      state: 'review',
      summary: { effects: { values: 2, errors: 0 }, violations: 0 },
    });
    t.match(found.effects, [
      {
        kind: 'effect.value',
        severity: 'warn',
        status: 'noted',
        text: 'Sheet1!C1',
        path: { a1: { base: 'C1', ours: 'C1', theirs: 'C1', merged: 'C1' } },
        value: { base: 1, ours: 2, theirs: 3, merged: 6 },
      },
      { kind: 'effect.value', value: { base: 2, ours: 3, theirs: 4, merged: 7 } },
    ]);
    for (const { becauseOf } of found.effects) {
      t.same([...(becauseOf ?? [])].sort(), ['Sheet1!A1', 'Sheet1!B1']);
    }
    t.equal((await approve(book, merge.id)).status, 200);
    t.same(await values(book, 'C1:D1'), [[6, 7]]);
  },
);

t.test('effects may block, until somebody takes them as they are', async (t) => {
  const { book, merge, found } = await proposed({
    ...product,
    base: async (book) => {
      await product.base?.(book);
      await settings(book, { semanticEffects: 'block' });
    },
  });
  t.match(merge, { state: 'conflicted', policy: { blockedBy: ['effects'] } });
  const refused = await approve(book, merge.id);
  t.match(refused, { status: 409, json: { code: 'conflicts_open' } });
  const [first] = found.effects;
  const body = { resolutions: [{ id: first?.id, choice: 'accept' }] };
  const one = await book.ask(`/merges/${merge.id}/resolve`, { body });
  t.match(one, { status: 200, json: { state: 'conflicted', resolved: 1 } });
  const open = await findingsOf(book, merge.id, '?status=open');
  t.same(
    open.effects.map(({ id }) => id),
    found.effects.slice(1).map(({ id }) => id),
  );
  const bulk = [{ where: { kind: 'effect.*' }, choice: 'accept' }];
  await book.ask(`/merges/${merge.id}/resolve`, { body: { bulk } });
  // The values change, so what was accepted is another question.
  await write(book, 'q3', ['B1', 4]);
  const again = await findingsOf(book, merge.id);
  t.match(again.effects, [
    { status: 'open', previousResolution: { choice: 'accept' } },
    { status: 'open' },
  ]);
  await book.ask(`/merges/${merge.id}/resolve`, { body: { bulk } });
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
});

t.test('what nobody asks for is not looked for', async (t) => {
  const { found, merge } = await proposed({
    ...product,
    base: async (book) => {
      await product.base?.(book);
      await settings(book, { semanticEffects: 'ignore', newErrors: 'ignore' });
    },
  });
  t.match(merge, { summary: { effects: { values: 0, errors: 0 } } });
  t.same(found.effects, []);
});

t.test('a formula that loses what it names is an error that blocks', async (t) => {
  const { book, merge, found } = await proposed({
    ours: (book) => run(book, 'main', 'cols.delete', { sheet: 'Sheet1', from: 'B' }),
    theirs: (book) => write(book, 'q3', ['D1', '=B1+1']),
  });
  t.match(merge, { state: 'conflicted', policy: { blockedBy: ['effects'] } });
  t.match(found.effects, [
    {
      kind: 'effect.error',
      severity: 'block',
      status: 'open',
      text: 'Sheet1!C1',
      path: { a1: { ours: 'C1', theirs: 'D1', merged: 'C1' } },
      value: { ours: null, theirs: 13, merged: { error: '#REF!' } },
      choices: ['accept', 'custom'],
    },
  ]);
  const id = found.effects[0]?.id ?? '';
  const wrong = { resolutions: [{ id, choice: 'theirs' }] };
  const refused = await book.ask(`/merges/${merge.id}/resolve`, { body: wrong });
  t.match(refused, { status: 422, json: { code: 'bad_choice' } });
  const custom = { resolutions: [{ id, choice: 'custom', input: '=A1+1' }] };
  const settled = await book.ask(`/merges/${merge.id}/resolve`, { body: custom });
  t.match(settled, { status: 200, json: { state: 'review' } });
  t.same((await findingsOf(book, merge.id)).effects, []);
  const back = { resolutions: [{ id, choice: null }] };
  const taken = await book.ask(`/merges/${merge.id}/resolve`, { body: back });
  t.match(taken, { status: 200, json: { state: 'conflicted', resolved: 1 } });
  await book.ask(`/merges/${merge.id}/resolve`, { body: custom });
  t.equal((await approve(book, merge.id)).status, 200);
  t.same(await values(book, 'C1'), [[12]]);
});

t.test('a formula on a sheet that is deleted elsewhere is told', async (t) => {
  const { found } = await proposed({
    base: (book) => run(book, 'main', 'sheet.add', { name: 'Other' }),
    ours: (book) => run(book, 'main', 'sheet.delete', { sheet: 'Other' }),
    theirs: (book) => write(book, 'q3', ['D1', '=SUM(Other!A1:A4)']),
  });
  t.match(found.effects, [{ kind: 'effect.error', value: { merged: { error: '#REF!' } } }]);
});

t.test('scenario 31: a cycle that neither side has blocks', async (t) => {
  const { merge, found } = await proposed({
    ours: (book) => write(book, 'main', ['A1', '=B1']),
    theirs: (book) => write(book, 'q3', ['B1', '=A1']),
  });
  t.match(merge, { state: 'conflicted' });
  t.same(
    found.effects.map(({ kind }) => kind),
    ['effect.cycle', 'effect.cycle'],
  );
});

t.test('scenario 30: what a rule of the other side forbids blocks', async (t) => {
  const rule = { type: 'whole', operator: 'between', formula1: 1, formula2: 40 };
  const { book, merge, found } = await proposed({
    ours: (book) =>
      run(book, 'main', 'validation.set', { sheet: 'Sheet1', ranges: ['B1:B9'], rule }),
    theirs: (book) => write(book, 'q3', ['B7', 50], ['B8', 30]),
  });
  t.match(merge, { state: 'conflicted', policy: { blockedBy: ['violations'] } });
  t.match(found.violations, [
    { kind: 'violation.validation', text: /B7 takes a whole number between 1 and 40/u },
  ]);
  const bulk = [{ where: { kind: 'violation.*' }, choice: 'accept' }];
  await book.ask(`/merges/${merge.id}/resolve`, { body: { bulk } });
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
});

t.test(
  'scenario 25: a value that merged cells would hide is told, and stands in nobody’s way',
  async (t) => {
    const { merge, found } = await proposed({
      base: (book) => write(book, 'main', ['E2', null]),
      ours: (book) => run(book, 'main', 'cellmerge.add', { sheet: 'Sheet1', range: 'D1:E2' }),
      theirs: (book) => write(book, 'q3', ['E2', 4]),
    });
    t.match(merge, { state: 'review', summary: { violations: 1 } });
    t.match(found.violations, [{ kind: 'range.merge_overlap', severity: 'warn', status: 'noted' }]);
  },
);

t.test('what was wrong on a side already is no finding', async (t) => {
  const { found } = await proposed({
    base: (book) => write(book, 'main', ['D1', '=1/0'], ['D2', '=D1+A1']),
    ours: (book) => write(book, 'main', ['A1', 5]),
    theirs: (book) => write(book, 'q3', ['B1', 5], ['E1', '=NOW()'], ['E2', '=RAND()']),
  });
  t.same(found, { ...found, effects: [], violations: [] });
});
