import t from 'tap';

import { SeededRandom } from '../support/seeded-random.ts';
import { MatchedWorkbook, type MatchAnswer } from '../support/matched-workbook.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: every state of a match and what is asked in it. */

const service = await TestService.start(t, {}, {});
const credential = await service.register();

const rowCount = 6000;
const names = Array.from({ length: rowCount }, (_, row) => {
  const words = ['Harbour', 'Castle', 'Meadow', 'River', 'Mill', 'Forest', 'Bridge'];
  return `${words[row % 7] ?? ''} ${words[(row * 3 + 1) % 5] ?? ''} ${row}`;
});

async function largeBook(): Promise<MatchedWorkbook> {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'Places',
    ['id', 'name'],
    names.map((name, row) => [row, name]),
  );
  await book.table(
    'Other',
    ['id', 'name'],
    names.map((name, row) => [row, name.slice(1)]),
  );
  return book;
}

const columns = {
  left: { tableId: 'Places', column: 'name' },
  right: { tableId: 'Other', column: 'name' },
};

t.test('progress only grows, and there are no rows before the end', async (t) => {
  const book = await largeBook();
  const path = await book.match(columns);
  const seen: MatchAnswer[] = [];
  do seen.push(await book.page(path));
  while (['queued', 'running'].includes(seen.at(-1)?.status ?? ''));
  t.equal(seen.at(-1)?.status, 'done');
  t.ok(seen.length > 2, 'it was seen on its way');
  for (const [at, page] of seen.entries()) {
    t.ok(page.progress >= (seen[at - 1]?.progress ?? 0));
    if (page.status !== 'done') t.match(page, { total: 0, rows: [], retry_after: 1 });
  }
  t.match(seen.at(-1), { progress: 1, phase: null, total: Number });
  const waited = await book.send('GET', path, undefined, { prefer: 'wait=1' });
  t.equal(waited.headers.get('preference-applied'), 'wait=1');
});

t.test('an account has so many at a time, and a cancelled one stays so', async (t) => {
  const book = await largeBook();
  const asked = await Promise.all(
    Array.from({ length: 26 }, (_, at) =>
      book.send('POST', '/matches', { ...columns, opts: { minConfidence: at / 100 } }),
    ),
  );
  const made = asked.filter(({ status }) => status === 202);
  const refused = asked.filter(({ status }) => status === 429);
  t.ok(made.length >= 22 && refused.length >= 1, `${made.length} made`);
  t.match(refused[0], { json: { code: 'too_many_matches', hint: /DELETE/ } });
  t.ok(refused[0]?.headers.get('retry-after'));
  const paths = made.map(({ json }) => `/matches/${(json as { matchId: string }).matchId}`);
  const before = Date.now();
  for (const path of paths) {
    const { json, status } = await book.send('DELETE', path);
    t.equal(status, 200);
    t.match((json as MatchAnswer).status, /^(cancelled|done)$/);
  }
  t.ok(Date.now() - before < 20_000);
  const [last = ''] = paths.slice(-1);
  t.match(await book.page(last), { status: 'cancelled', total: 0, rows: [], error: null });
  t.match((await book.send('DELETE', last)).json, { status: 'cancelled' });
  const csv = await book.send('GET', last, undefined, { accept: 'text/csv' });
  t.match(csv, { status: 409, json: { code: 'match_not_done' } });
  const decisions = [{ leftKey: 1, rightKey: 1, decision: 'accept' }];
  t.match(await book.send('PATCH', `${last}/rows`, { decisions }), { status: 409 });
  t.match(await book.send('POST', `${last}/apply`, { branch: 'main' }), {
    status: 409,
    json: { code: 'match_not_done' },
  });
  const list = await book.send('GET', '/matches?limit=100');
  const { matches } = list.json as { matches: MatchAnswer[] };
  t.ok(matches.every(({ status }) => ['cancelled', 'done'].includes(status)));
  const next = await book.ended(await book.match({ ...columns, opts: { topK: 2 } }));
  t.equal(next.status, 'done');
});

t.test('hashed vectors of a given size decide like exact ones, nearly', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  const random = new SeededRandom(11);
  const syllables = ['ka', 'lo', 'mir', 'ten', 'vu', 'sha', 'rop', 'eli', 'dun', 'gor'];
  const word = (): string =>
    Array.from({ length: 3 }, () => syllables[random.between(0, 9)] ?? '').join('');
  const some = Array.from({ length: 300 }, () => `${word()} ${word()} ${word()}`);
  await book.table(
    'Places',
    ['id', 'name'],
    some.map((name, row) => [row, `${name}s`]),
  );
  await book.table(
    'Other',
    ['id', 'name'],
    some.map((name, row) => [row, name]),
  );
  const exact = await book.ended(await book.match(columns));
  const hashed = await book.ended(await book.match({ ...columns, opts: { dim: 1024 } }));
  t.match(hashed, { status: 'done', opts: { dim: 1024 } });
  const first = ({ rows }: MatchAnswer) =>
    new Map(rows.flatMap((row) => (row.rank === 1 ? [[row.leftKey, row.rightKey]] : [])));
  const [own, other] = [first(exact), first(hashed)];
  const same = [...own].filter(([key, right]) => other.get(key) === right);
  t.ok(same.length >= 260, `${same.length} of 300 are the same`);
});

t.test('what was matched is metered', async (t) => {
  const own = await service.register();
  const book = await MatchedWorkbook.on(service, own);
  await book.table(
    'One',
    ['id', 'x'],
    [
      [1, 'alpha'],
      [2, 'beta'],
      [3, 'betas'],
    ],
  );
  const side = { tableId: 'One', column: 'x' };
  await book.ended(await book.match({ left: side, right: side }));
  const usage = await service.request('/v1/account/usage', { credential: own });
  t.match(usage, { status: 200 });
  t.match(usage.text, /"match.pairs":9/);
  t.match(usage.text, /"matches":1/);
});
