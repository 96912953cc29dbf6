import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

interface Result {
  readonly status: string;
  readonly seq?: number;
  readonly payload?: { readonly of: unknown };
  readonly error?: { readonly code: string; readonly atSeq?: number; readonly hint: string };
}

const undo = { kind: 'undo', payload: { of: { last: true } } };
const redo = { kind: 'redo', payload: { of: { last: true } } };

function resultOf(ack: LiveMessage): Result | undefined {
  return (ack['results'] as Result[])[0];
}

/** Returns the sequence that an operation took back, or the reason why it took none. */
async function tried(client: LiveClient, operation: typeof undo): Promise<unknown> {
  await client.settled();
  const result = resultOf(await client.submit([operation]));
  return result?.payload?.of ?? result?.error?.code ?? result?.status;
}

async function shown(book: Book, range: string): Promise<unknown[][]> {
  const { json } = await book.ask(`/slice?range=Sheet1!${range}&lens=input`);
  return (json as { rows: unknown[][] }).rows;
}

async function two(t: Parameters<typeof TestService.start>[0]) {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const ann = await LiveClient.join(book, { hello: { writer: 'ann' } });
  const bob = await LiveClient.join(book, { hello: { writer: 'bob' } });
  return { service, book, ann, bob };
}

t.test('each writer takes back its own changes, whatever others did since', async (t) => {
  const { book, ann, bob } = await two(t);
  const first = await ann.submit([setCell('A1', 'ann 1')]);
  const second = await ann.submit([setCell('A2', 'ann 2')]);
  const of = [first, second].map(({ firstSeq }) => firstSeq);
  await bob.submit([setCell('B1', 'bob')]);
  await bob.submit([{ kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1, count: 1 } }]);
  t.equal(await tried(ann, undo), of[1]);
  t.same(await shown(book, 'A1:B3'), [
    [null, null],
    ['ann 1', 'bob'],
    [null, null],
  ]);
  t.equal(await tried(ann, undo), of[0]);
  t.equal(await tried(ann, undo), 'no_own_change');
  await ann.submit([redo]);
  t.same(await shown(book, 'A1:A3'), [[null], ['ann 1'], [null]]);
  t.type(await tried(ann, redo), 'number');
  t.equal(await tried(ann, redo), 'no_own_change');
  t.same(await shown(book, 'A1:A3'), [[null], ['ann 1'], ['ann 2']]);
  t.type(await tried(ann, undo), 'number', 'what was done again is taken back again');
  t.same(await shown(book, 'A1:A3'), [[null], ['ann 1'], [null]]);
  await ann.submit([setCell('A9', 'new')]);
  t.equal(await tried(ann, redo), 'no_own_change', 'a new change ends what could be done again');
  t.type(await tried(bob, undo), 'number');
  t.same(await shown(book, 'A1:B2'), [
    ['ann 1', 'bob'],
    [null, null],
  ]);
  const told = await ann.find(
    ({ kind, ops }) => kind === 'op_applied' && (ops as { kind: string }[])[0]?.kind === 'undo',
  );
  t.match(told, { ops: [{ writer: 'bob', payload: { of: 5, ops: [{ kind: 'rows.delete' }] } }] });
});

t.test('what cannot be taken back says why, and the way goes on behind it', async (t) => {
  const { book, ann, bob } = await two(t);
  await ann.submit([setCell('A1', 'first')]);
  const { firstSeq } = await ann.submit([setCell('A2', 'mine')]);
  await bob.submit([setCell('A2', 'theirs')]);
  await ann.settled();
  const refused = resultOf(await ann.submit([undo]));
  t.match(refused, { error: { code: 'nothing_to_undo', atSeq: firstSeq, hint: String } });
  const behind = { kind: 'undo', payload: { of: { last: true, before: refused?.error?.atSeq } } };
  t.match(resultOf(await ann.submit([behind])), { status: 'applied' });
  t.same(await shown(book, 'A1:A2'), [[null], ['theirs']]);
  const both = await ann.submit([setCell('C1', 1), undo]);
  t.match(both, { results: [{ status: 'applied' }, { error: { code: 'cannot_undo' } }] });
  for (const of of [{ last: false }, { last: true, before: 0 }, {}]) {
    const wrong = await ann.submit([{ kind: 'undo', payload: { of } }]);
    t.match(resultOf(wrong), { error: { code: 'invalid_request' } }, JSON.stringify(of));
  }
  const strange = await ann.submit([{ kind: 'undo', payload: { of: { last: true, x: 1 } } }]);
  t.match(resultOf(strange), { error: { code: 'unknown_member' } });
});

t.test('groups go as one, repeats count once, and haste changes nothing', async (t) => {
  const { book, ann, bob } = await two(t);
  await ann.submit([setCell('A1', 0)]);
  await ann.submit([setCell('A1', 1), setCell('A2', 2)], { group: 'paste' });
  await bob.submit([setCell('D1', 'between')]);
  await ann.submit([setCell('A3', 3)], { group: 'paste' });
  t.equal(await tried(ann, undo), 'paste');
  t.same(await shown(book, 'A1:A3'), [[0], [null], [null]]);
  t.type(await tried(ann, redo), 'number');
  t.same(await shown(book, 'A1:A3'), [[1], [2], [3]]);
  for (const at of [4, 5, 6, 7]) await ann.submit([setCell('A4', at)]);
  await ann.settled();
  const acks = await Promise.all([0, 1, 2].map(() => ann.submit([undo])));
  t.same(
    acks.map((ack) => resultOf(ack)?.status),
    ['applied', 'applied', 'applied'],
  );
  t.same(await shown(book, 'A4'), [[4]], 'each of three at once takes another one back');
  const named = { ...undo, id: 'once' };
  await ann.submit([named]);
  t.match(await ann.submit([named]), { status: 'duplicate' });
  t.same(await shown(book, 'A3:A4'), [[3], [null]]);
});

t.test('a request takes the last change of its writer back, too', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const ask = (ops: object[], writer = 'w') =>
    book.ask('/branches/main/ops', { body: { ops, writer } });
  await ask([setCell('A1', 1), setCell('A2', 2)]);
  await ask([setCell('B1', 1)], 'other');
  const answer = await ask([undo]);
  t.match(answer, { status: 200, json: { results: [{ status: 'applied', of: 3 }] } });
  const { results } = answer.json as { results: object[] };
  t.notOk('payload' in (results[0] ?? {}), 'what it came to is in the journal');
  t.match(await ask([undo], 'nobody'), {
    status: 409,
    json: { results: [{ error: { code: 'no_own_change' } }] },
  });
  await ask([undo], 'other');
  t.same(await shown(book, 'A1:B2'), [
    [1, null],
    [null, null],
  ]);
});
