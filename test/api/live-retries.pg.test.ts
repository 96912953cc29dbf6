import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

interface Result {
  readonly status: string;
  readonly error?: { readonly code: string; readonly retryable: boolean };
}

/** A refusal by its code, and whether it says that the same may be accepted later. */
function refusals(ack: LiveMessage): unknown[] {
  return (ack['results'] as Result[]).map(({ status, error }) =>
    error ? [error.code, error.retryable] : status,
  );
}

async function open(t: Test): Promise<{ book: Book; client: LiveClient }> {
  const service = await TestService.start(t);
  const book = await Book.create(service, { credential: await service.registerClaimed() });
  return { book, client: await LiveClient.join(book) };
}

t.test('what is refused as retryable is applied when it is sent again', async (t) => {
  const { book, client } = await open(t);
  const early = [setCell('A1', 1, 'early')];
  t.same(refusals(await client.submit(early, { baseSeq: 2 })), [['base_ahead', true]]);
  await book.set('B1', 1);
  await book.set('B1', 2);
  t.same(refusals(await client.submit(early, { baseSeq: 2 })), ['applied']);

  const archived = [setCell('A2', 1, 'archived')];
  await book.archive();
  t.same(refusals(await client.submit(archived)), [['workbook_archived', true]]);
  await book.ask('/restore', { body: {} });
  t.same(refusals(await client.submit(archived)), ['applied']);
  t.same(refusals(await client.submit(archived)), ['duplicate'], 'once');
});

t.test('what was rejected for itself is rejected again, and its neighbours are not', async (t) => {
  const { client } = await open(t);
  const good = setCell('A1', 1, 'good');
  const bad = {
    id: 'bad',
    kind: 'cells.set',
    payload: { sheet: 'Later', cells: [{ a1: 'A1', input: 1 }] },
  };
  const refused = await client.submit([good, bad], { mode: 'atomic' });
  t.same(refusals(refused), [
    ['not_applied', true],
    ['sheet_not_found', false],
  ]);
  await client.submit([{ id: 'sheet', kind: 'sheet.add', payload: { name: 'Later' } }]);
  t.same(refusals(await client.submit([good])), ['applied']);
  t.same(refusals(await client.submit([bad])), [['sheet_not_found', false]]);
  const wrong = { id: 'wrong', kind: 'cells.set', payload: {} };
  t.same(refusals(await client.submit([wrong])), [['invalid_request', false]]);
});

t.test('a refusal names the member at fault, whichever door it goes out by', async (t) => {
  const { book, client } = await open(t);
  const bad = (id: string) => ({
    id,
    kind: 'cells.set',
    payload: {
      cells: [
        { a1: 'A1', input: 1 },
        { a1: 'A0', input: 2 },
      ],
    },
  });
  const good = (id: string) => setCell('C1', 1, id);
  const pointer = '/cells/1';
  const post = (body: object) => book.ask('/branches/main/ops', { body });
  const atomic = await post({ ops: [good('a'), bad('b')], mode: 'atomic' });
  const at = `/ops/1/payload${pointer}`;
  t.match(atomic, { status: 409, json: { errors: [{ pointer: at }], requestId: String } });
  t.equal(atomic.headers.get('x-request-id'), (atomic.json as { requestId: string }).requestId);
  const none = await post({ ops: [bad('c')] });
  t.match(none, { status: 409, json: { errors: [{ pointer: at.replace('1', '0') }] } });
  const partial = await post({ ops: [good('d'), bad('e')] });
  t.match(partial, { status: 200, json: { results: [{}, { error: { pointer } }] } });
  const { requestId } = partial.json as { requestId: string };
  t.equal(requestId, partial.headers.get('x-request-id'));
  t.notOk('requestId' in ((await post({ ops: [good('f')] })).json as object));
  const ack = await client.submit([good('g'), bad('h')], { mode: 'atomic' });
  t.match(ack, { results: [{}, { error: { code: 'bad_range', pointer } }] });
});
