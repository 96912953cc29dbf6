import t from 'tap';

import { Book } from '../support/book.ts';
import { deliveries, fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

t.test('many writers at once get every operation once and in order', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const start = await fill(book, 1);
  const clients = await Promise.all(
    [0, 1, 2, 3].map((at) =>
      LiveClient.join(book, {
        framing: at % 2 === 0 ? 'json' : 'msgpack',
        hello: { writer: `w${at}`, lastSeq: start },
      }),
    ),
  );
  const acks: LiveMessage[] = [];
  await Promise.all(
    clients.map(async (client, at) => {
      for (let turn = 0; turn < 10; turn++) {
        const ops = Array.from({ length: 1 + (turn % 3) }, (_, n) =>
          setCell(`A${turn + n + 1}`, at),
        );
        acks.push(...(await Promise.all([client.submit(ops), client.submit(ops.slice(0, 1))])));
        if (turn % 4 === 0) await fill(book, 2);
      }
    }),
  );
  const heads = await Promise.all(clients.map((client) => client.settled()));
  t.equal(new Set(heads).size, 1, 'all are at the head');
  for (const client of clients) {
    t.equal(holeIn(client, start), undefined, 'nothing is missing or doubled');
    t.equal(deliveries(client).at(-1)?.[1], heads[0]);
  }
  t.equal(new Set(acks.map(({ status }) => status)).size, 1);
  const { json } = await book.ask(`/branches/main/ops?after=${start}&limit=10000`);
  const journal = (json as { ops: { seq: number; id: string }[] }).ops;
  t.equal(journal.length, (heads[0] ?? 0) - start);
});

t.test('a whole operation of a socket is refused where a request would be', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const client = await LiveClient.join(book);
  const op = setCell('A1', 1, 'x');
  client.send({ kind: 'submit_ops', submission: 'no base', ops: [op] });
  t.match(await client.next('ack'), { results: [{ error: { code: 'invalid_request' } }] });
  client.send({
    kind: 'submit_ops',
    submission: 'no id',
    baseSeq: 0,
    ops: [{ ...op, id: undefined }],
  });
  t.match(await client.next('ack'), { status: 'rejected' });
  t.match(await client.submit([{ kind: 'cells.set', payload: {} }]), {
    status: 'rejected',
    results: [{ error: { code: 'invalid_request', hint: /openapi\.json/u, retryable: false } }],
  });
  const unknown = await client.submit([{ kind: 'rows.insert', payload: { sheet: 'S', at: 1 } }]);
  t.match(JSON.stringify(unknown), /unknown_member.*Here \\"rows.insert\\" takes/u);
  for (const wrong of [{ mode: 'weird' }, { group: 7 }, { writer: 7 }, { baseSeq: -1 }]) {
    t.match(
      await client.submit([], wrong),
      { status: 'rejected', results: [], error: { code: 'invalid_request', retryable: false } },
      `without operations: ${JSON.stringify(wrong)}`,
    );
  }
  t.match(await client.submit([], { baseSeq: undefined }), { status: 'applied', results: [] });
  t.match(await client.submit([op], { baseSeq: 99 }), {
    results: [{ error: { code: 'base_ahead', retryable: true } }],
  });
  const bad = { kind: 'sheet.delete', payload: { sheet: 'None' } };
  t.match(await client.submit([setCell('A1', 2, 'y'), bad], { mode: 'atomic' }), {
    status: 'rejected',
    results: [
      { error: { code: 'not_applied' } },
      { error: { code: 'sheet_not_found', hint: /state/u } },
    ],
  });
  t.match(await client.submit([setCell('A1', 2, 'y'), bad]), { status: 'partial' });
  await book.archive();
  t.match(await client.submit([op]), { results: [{ error: { code: 'workbook_archived' } }] });
  const reader = await LiveClient.join(book);
  t.match(reader.snapshot, { archived: true }, 'an archived workbook is read');
});
