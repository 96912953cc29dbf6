import t, { type Test } from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Requests that meet one another: each is done, or refused for a reason that it is told. */

const refusals = new Set([404, 409]);

function checkAll(t: Test, answers: readonly TestAnswer[]): void {
  for (const { status, text } of answers) {
    if (status >= 200 && status < 300) continue;
    if (!refusals.has(status)) t.fail(`${status} ${text}`);
  }
  t.ok(answers.length > 0);
}

t.test('what meets an archive, a purge or a deletion is refused, and never an error', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new Formulas() });
  const credential = await service.registerClaimed();
  for (let round = 0; round < 6; round++) {
    const book = await Book.create(service, { credential });
    await book.set('A1', round);
    await book.ask('/branches', { body: { name: 'side', from: 'main' } });
    const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'B1', input: 1 }] } }];
    await book.ask('/branches/side/ops', { body: { ops } });
    const others = [
      ...Array.from({ length: 8 }, (_, no) =>
        book.ask('/branches', { body: { name: `b${no}`, from: no % 2 ? 'main' : 'side' } }),
      ),
      book.ask('/merges', { body: { source: 'side', target: 'main' } }),
      book.ask('/merges', { body: { source: 'b1', target: 'main', apply: 'auto' } }),
      book.ask('/branches/main/commit', { body: { message: 'now', tag: 't' } }),
      book.ask('/branches/main/checkpoint', { method: 'POST' }),
      book.ask('/branches/side/flush', { method: 'POST' }),
      book.ask('/settings', { method: 'PUT', body: { policy: { branch: { maxBranches: 20 } } } }),
      book.ask('/branches/side', { method: 'DELETE' }),
      book.ask('/branches/side/restore', { method: 'POST' }),
      book.ask('', { method: 'PATCH', body: { name: `renamed ${round}` } }),
    ];
    const ending = book.ask('', { method: 'DELETE' });
    checkAll(t, await Promise.all(others));
    const { confirm } = (await ending).json as { confirm: string };
    const late = [
      book.ask('/restore', { method: 'POST' }),
      ...['late', 'later'].map((name) => book.ask('/branches', { body: { name } })),
      book.ask('/merges', { body: { source: 'b3', target: 'main' } }),
      book.ask('/branches/main/ops?after=0'),
      book.ask('/slice?range=A1'),
      book.ask('/values'),
      book.ask('/blame?range=A1'),
      book.ask('/branches/main/export?format=csv'),
      book.purge(confirm),
    ];
    checkAll(t, await Promise.all(late));
  }
});

/** A workbook to whose target somebody writes right before a merge is written there. */
async function makeMoving(t: Test) {
  const books: Book[] = [];
  const moving = {
    left: 0,
    write: (): Promise<unknown> =>
      Promise.resolve(books[0]?.set(`C${moving.left + 1}`, moving.left)),
  };
  const checkpoint = async (place: string): Promise<void> => {
    if (place !== 'merge.begin' || moving.left === 0) return;
    moving.left--;
    await moving.write();
  };
  const environment = { ...realEnvironment, checkpoint };
  const service = await TestService.start(t, {}, { formulas: new Formulas(), environment });
  const book = await Book.create(service);
  books.push(book);
  await book.set('A1', 1);
  await book.ask('/branches', { body: { name: 'side', from: 'main' } });
  const set = (a1: string, input: unknown) => ({
    kind: 'cells.set',
    payload: { cells: [{ a1, input }] },
  });
  return { book, moving, set };
}

t.test('a merge that is applied by itself is tried again when its target moves', async (t) => {
  const { book, moving, set } = await makeMoving(t);
  await book.ask('/branches/side/ops', { body: { ops: [set('B1', 'side')] } });
  moving.left = 5;
  const merge = { source: 'side', target: 'main', apply: 'auto' };
  const done = await book.ask('/merges', { body: merge });
  t.match(done, { status: 201, json: { state: 'merged' } }, done.text);
  t.equal(moving.left, 0);
  const { json } = await book.ask('/slice?range=A1:C5');
  t.match(JSON.stringify(json), /side/);

  await book.ask('/branches/side/ops', { body: { ops: [set('B2', 'theirs')] } });
  await book.set('B2', 'ours');
  const open = await book.ask('/merges', { body: merge });
  t.match(open, { status: 201, json: { state: 'conflicted' } }, 'a conflict is left open');
});

t.test('an approval without a digest is for what the merge comes to', async (t) => {
  const { book, moving, set } = await makeMoving(t);
  await book.ask('/branches/side/ops', { body: { ops: [set('B1', 'side')] } });
  const made = await book.ask('/merges', { body: { source: 'side' } });
  const { id, digest } = made.json as { id: string; digest: string };
  const approve = (body: object) => book.ask(`/merges/${id}/approve`, { body });
  moving.left = 1;
  const looked = await approve({ digest });
  t.match(looked, { status: 409, json: { code: 'digest_mismatch', hint: /GET \/v1/ } });
  moving.left = 5;
  const done = await approve({});
  t.match(done, { status: 200, json: { state: 'merged' } }, done.text);
  t.equal(moving.left, 0);
  t.match((await book.ask('/slice?range=B1:C1')).json, { rows: [['side', 0]] });

  await book.ask('/branches/side/ops', { body: { ops: [set('B2', 'theirs')] } });
  const next = (await book.ask('/merges', { body: { source: 'side' } })).json as { id: string };
  moving.write = () => book.set('B2', 'ours');
  moving.left = 1;
  const late = await book.ask(`/merges/${next.id}/approve`, { body: {} });
  t.match(late, { status: 409, json: { code: 'conflicts_open' } }, 'a conflict came up meanwhile');
});

t.test('a merge into a branch that is written to all the time comes through', async (t) => {
  const { book, moving, set } = await makeMoving(t);
  const writes: Promise<unknown>[] = [];
  const write = moving.write;
  moving.write = async () => {
    const writing = write();
    writes.push(writing);
    const waited = new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.race([writing, waited]);
  };
  await book.ask('/branches/side/ops', { body: { ops: [set('B1', 'side')] } });
  moving.left = 1_000;
  const merge = { source: 'side', target: 'main', apply: 'auto' };
  const done = await book.ask('/merges', { body: merge });
  t.match(done, { status: 201, json: { state: 'merged' } }, done.text);
  await book.ask('/branches/side/ops', { body: { ops: [set('B2', 'more')] } });
  const { id } = (await book.ask('/merges', { body: { source: 'side' } })).json as { id: string };
  const approved = await book.ask(`/merges/${id}/approve`, { body: {} });
  t.match(approved, { status: 200, json: { state: 'merged' } }, approved.text);
  moving.left = 0;
  t.match(
    await Promise.all(writes),
    writes.map(() => ({ status: 200 })),
  );
  t.match((await book.ask('/slice?range=B1:B2')).json, { rows: [['side'], ['more']] });
});
