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
  // Changed values make what was accepted another question.
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
      choices: ['accept', 'custom', 'keep'],
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
  await fork(book, 'later');
  await write(book, 'later', ['A3', 0]);
  await write(book, 'main', ['C1', 999]);
  const later = await propose(book, { source: 'later' });
  t.equal((await approve(book, later.id)).status, 200);
  t.same(await values(book, 'C1'), [[999]], 'nobody wrote it into another merge');
});

t.test('what was written over a merge counts while its cell is as it was', async (t) => {
  const { book, merge, found } = await proposed(withoutColumn);
  const id = found.effects[0]?.id;
  const custom = { resolutions: [{ id, choice: 'custom', input: '=A1+1' }] };
  const settled = await book.ask(`/merges/${merge.id}/resolve`, { body: custom });
  t.match(settled, { status: 200, json: { state: 'review' } });
  await write(book, 'main', ['A2', 5]);
  t.match((await book.ask(`/merges/${merge.id}`)).json, { state: 'review' }, 'elsewhere');
  await write(book, 'q3', ['D1', '=B1+2']);
  t.match((await book.ask(`/merges/${merge.id}`)).json, { state: 'conflicted' });
  t.match((await findingsOf(book, merge.id)).effects, [
    { id, status: 'open', previousResolution: { choice: 'custom' } },
  ]);
});

const withoutColumn: Prepared = {
  ours: (book) => run(book, 'main', 'cols.delete', { sheet: 'Sheet1', from: 'B' }),
  theirs: (book) => write(book, 'q3', ['D1', '=B1+1']),
};

async function choose(book: Book, merge: string, id: string | undefined, choice: string | null) {
  return book.ask(`/merges/${merge}/resolve`, { body: { resolutions: [{ id, choice }] } });
}

t.test('scenario 9: the deleted column is kept for the formula that names it', async (t) => {
  const { book, merge, found } = await proposed(withoutColumn);
  const id = found.effects[0]?.id;
  const kept = await choose(book, merge.id, id, 'keep');
  t.match(kept, { status: 200, json: { state: 'review', resolved: 1 } });
  t.same((await findingsOf(book, merge.id)).effects, []);
  // The cells that the formula names are the same, wherever it stands: nobody is asked again.
  await write(book, 'q3', ['D1', '=B1*2']);
  t.match((await book.ask(`/merges/${merge.id}`)).json, { state: 'review' });
  await write(book, 'q3', ['D1', '=B1+B2'], ['A3', 5]);
  t.match((await book.ask(`/merges/${merge.id}`)).json, { state: 'review' });
  const taken = await choose(book, merge.id, id, null);
  t.match(taken, { status: 200, json: { state: 'conflicted' } });
  await choose(book, merge.id, id, 'keep');
  // A merge in the other direction comes to the same, and nobody is asked either.
  const back = await propose(book, { source: 'main', target: 'q3' });
  t.equal(back.state, 'review');
  for (const one of [merge, back]) t.equal((await approve(book, one.id)).status, 200);
  t.strictSame(await values(book, 'A1:D2'), [
    [11, 12, null, 34],
    [21, 22, null, null],
  ]);
  t.strictSame(await values(book, 'A1:D3', 'q3'), await values(book, 'A1:D3'));
});

t.test('a column that the source deleted is kept for a formula of the target', async (t) => {
  const { book, merge, found } = await proposed({
    ours: (book) => write(book, 'main', ['D1', '=B1+1']),
    theirs: (book) => run(book, 'q3', 'cols.delete', { sheet: 'Sheet1', from: 'B' }),
  });
  t.match(found.effects, [{ kind: 'effect.error', choices: ['accept', 'custom', 'keep'] }]);
  await choose(book, merge.id, found.effects[0]?.id, 'keep');
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.strictSame(await values(book, 'A1:D1'), [[11, 12, null, 13]]);
});

t.test(
  'a row is kept for a formula although a conversation goes with its neighbours',
  async (t) => {
    const { book, merge, found } = await proposed({
      base: (book) =>
        run(book, 'main', 'comment.add', { sheet: 'Sheet1', range: 'A1:A3', text: '?' }),
      ours: (book) => write(book, 'main', ['D7', '=B2+1']),
      theirs: (book) => run(book, 'q3', 'rows.delete', { sheet: 'Sheet1', from: 1, count: 3 }),
    });
    t.match(found, { conflicts: [], effects: [{ kind: 'effect.error' }] });
    const kept = await choose(book, merge.id, found.effects[0]?.id, 'keep');
    t.match(kept, { status: 200, json: { state: 'review' } });
    t.equal((await approve(book, merge.id)).status, 200);
    t.strictSame(await values(book, 'A1:D5'), [
      [21, 22, null, null],
      ...Array.from({ length: 3 }, () => [null, null, null, null]),
      [null, null, null, 23],
    ]);
  },
);

t.test('a choice to keep is asked again when the formula names something else', async (t) => {
  const { book, merge, found } = await proposed(withoutColumn);
  await choose(book, merge.id, found.effects[0]?.id, 'keep');
  await run(book, 'main', 'cols.delete', { sheet: 'Sheet1', from: 'A' });
  t.match((await book.ask(`/merges/${merge.id}`)).json, { state: 'review' });
  await write(book, 'q3', ['D1', '=A1+B1']);
  const again = await findingsOf(book, merge.id);
  t.match(again.effects, [{ status: 'open', previousResolution: { choice: 'keep' } }]);
  await choose(book, merge.id, again.effects[0]?.id, 'keep');
  const applied = await approve(book, merge.id);
  t.match(applied, { status: 200, json: { state: 'merged' } });
  t.strictSame(await values(book, 'A1:D1'), [[11, 12, null, 23]]);
  const reverted = await propose(book, { revertOf: merge.id });
  t.equal((await approve(book, reverted.id)).status, 200);
  t.strictSame(await values(book, 'A1:D1'), [[null, null, null, null]], 'and is taken back');
});

t.test('errors are accepted; where nothing was deleted there is nothing to keep', async (t) => {
  const { book, merge, found } = await proposed({
    base: (book) => write(book, 'main', ['C1', 1]),
    ours: async (book) => {
      await withoutColumn.ours(book);
      await write(book, 'main', ['B1', 0]);
    },
    theirs: (book) => write(book, 'q3', ['D1', '=B1+1'], ['D2', '=1/C1']),
  });
  const [lost, divided] = found.effects;
  t.match(found.effects, [
    { text: 'Sheet1!C1', choices: ['accept', 'custom', 'keep'] },
    { text: 'Sheet1!C2', choices: ['accept', 'custom'] },
  ]);
  t.same((divided as { choices?: unknown }).choices, ['accept', 'custom']);
  const refused = await choose(book, merge.id, divided?.id, 'keep');
  t.match(refused, {
    status: 422,
    json: { code: 'bad_choice', detail: /Sheet1!C2 \(effect.error\) takes accept, custom\./u },
  });
  await choose(book, merge.id, lost?.id, 'accept');
  await choose(book, merge.id, divided?.id, 'accept');
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.strictSame(await values(book, 'C1'), [[{ error: '#REF!' }]]);
});

t.test('scenario 21: the deleted sheet is kept for the formula that names it', async (t) => {
  const { book, merge, found } = await proposed({
    base: async (book) => {
      await run(book, 'main', 'sheet.add', { name: 'Other' });
      const cells = [{ a1: 'A1', input: 40 }];
      await run(book, 'main', 'cells.set', { sheet: 'Other', cells });
    },
    ours: (book) => run(book, 'main', 'sheet.delete', { sheet: 'Other' }),
    theirs: (book) => write(book, 'q3', ['D1', '=Other!A1+2']),
  });
  t.match(found.effects, [{ kind: 'effect.error', choices: ['accept', 'custom', 'keep'] }]);
  await choose(book, merge.id, found.effects[0]?.id, 'keep');
  t.match(await approve(book, merge.id), { status: 200, json: { state: 'merged' } });
  t.strictSame(await values(book, 'D1'), [[42]]);
  t.strictSame(await values(book, 'Other!A1'), [[40]]);
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
