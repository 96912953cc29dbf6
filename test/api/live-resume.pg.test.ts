import { pathToFileURL } from 'node:url';
import t from 'tap';

import { Book } from '../support/book.ts';
import { fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

t.test('a client that comes back gets what it missed, or is told what it misses', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const first = await LiveClient.join(book);
  const early = await fill(book, 300);
  const { headHash } = (await first.hello({ lastSeq: early })) as LiveMessage & {
    headHash: string;
  };
  const head = await fill(book, 5_000);
  const back = await LiveClient.join(book, { hello: { lastSeq: early, lastHash: headHash } });
  t.match(back.snapshot, { head, replay: { from: early + 1, to: head } });
  t.equal(await back.settled(), head);
  t.equal(holeIn(back, early), undefined);
  t.ok(back.of('op_applied').length >= 5_000 / 256);
  t.match(await first.find(({ lastSeq }) => lastSeq === head), { kind: 'op_applied' });

  const here = `/v1/workbooks/${book.id}/branches/main`;
  const diverged = await LiveClient.join(book, {
    hello: { lastSeq: early, lastHash: 'A'.repeat(43) },
  });
  t.match(await diverged.next('gap'), {
    reason: 'diverged',
    toSeq: head,
    recover: { ops: null, state: `${here}/state?ref=main%40${head}` },
  });
  const ahead = await LiveClient.join(book, { hello: { lastSeq: head + 9 } });
  t.match(await ahead.next('gap'), { reason: 'ahead', toSeq: head, head, recover: { ops: null } });
  await fill(book, 5_000);
  const last = await fill(book, 4_000);
  const far = await LiveClient.join(book, { hello: { lastSeq: early } });
  const gap = await far.next('gap');
  t.match(gap, { reason: 'too_far', fromSeq: early + 1, toSeq: last, head: last });
  const { recover } = gap as LiveMessage & { recover: { ops: string; state: string } };
  const ops = await service.request(recover.ops, { credential: book.credential });
  t.match(ops, { status: 200, json: { ops: [{ seq: early + 1 }] } }, 'what it names is there');
  const state = await service.request(recover.state, { credential: book.credential });
  t.match(state, { status: 200, json: { head: last } });
  const more = await fill(book, 1);
  t.match(await far.next('op_applied'), { firstSeq: last + 1, lastSeq: more }, 'it goes on behind');
  const near = await LiveClient.join(book, { hello: { lastSeq: last - 100 } });
  t.equal(await near.settled(), more);
  t.equal(holeIn(near, last - 100), undefined);
});

t.test('a restart loses nothing, and repeats are answered with what they came to', async (t) => {
  const url = await createMigratedDatabase();
  const objects = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const settings = { DATABASE_URL: url, OBJECT_STORE_URL: objects };
  const service = await TestService.start(t, settings);
  const book = await Book.create(service);
  const client = await LiveClient.join(book, { hello: { lastSeq: 0 } });
  await client.submit([setCell('A1', 1, 'one'), setCell('A2', 2, 'two')]);
  const wrong = { kind: 'sheet.delete', payload: { sheet: 'None' }, id: 'three' };
  const refused = await client.submit([wrong]);
  t.match(refused, { status: 'rejected', results: [{ id: 'three', error: { retryable: false } }] });
  await service.app.stop();
  t.match(await client.closed, { code: 1001 });
  const again = book.at(await TestService.start(t, settings));
  const back = await LiveClient.join(again, { hello: { lastSeq: 0 } });
  await back.settled();
  t.equal(holeIn(back, 0), undefined);
  const { results } = (await back.submit([setCell('A2', 2, 'two'), setCell('A3', 3, 'four')])) as {
    results?: object[];
  };
  t.match(results, [
    { id: 'two', status: 'duplicate' },
    { id: 'four', status: 'applied' },
  ]);
});

t.test('hellos in haste cost no more than a few', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  for (let round = 0; round < 2; round++) await fill(book, 4_900);
  const head = await fill(book, 1);
  const client = await LiveClient.open(book);
  const start = head - 9_000;
  for (let count = 0; count < 2_000; count++) {
    client.send({ kind: 'hello', protocol: 1, writer: 'w', lastSeq: start });
  }
  await client.settled();
  t.ok(client.of('presence_snapshot').length < 10, 'most were cancelled');
  t.equal(client.of('op_applied').at(-1)?.['lastSeq'], head, 'the newest is answered whole');
});
