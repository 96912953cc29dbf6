import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { EventClient } from '../support/event-client.ts';
import { fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, setCell } from '../support/live-client.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { TestService } from '../support/test-service.ts';

/** Two processes of one service, as far as they share nothing but the database and the objects. */
async function pair(t: Test): Promise<[TestService, TestService]> {
  const settings = await sharedSettings(t);
  return [await TestService.start(t, settings), await TestService.start(t, settings)];
}

async function milliseconds(waiting: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await waiting;
  return performance.now() - start;
}

t.test('sockets of another process hear all, and end within a second', async (t) => {
  const [here, there] = await pair(t);
  const owner = await here.registerClaimed();
  const book = await Book.create(here, { credential: owner });
  await book.ask('/branches', { body: { name: 'side' } });
  const start = await fill(book, 1);
  const far = book.at(there);
  const watcher = await LiveClient.join(far, { hello: { lastSeq: start, writer: 'far' } });
  const events = await EventClient.open(far, { query: `?after=${start}` });
  const writer = await LiveClient.join(book);
  for (let round = 0; round < 20; round++) {
    const { lastSeq } = await writer.submit([setCell('A1', round), setCell('A2', round)]);
    const told = watcher.find((message) => message['lastSeq'] === lastSeq);
    t.ok((await milliseconds(told)) < 1_000, `operation ${String(lastSeq)}`);
  }
  const last = await fill(book, 600);
  await watcher.find((message) => message['lastSeq'] === last);
  t.equal(holeIn(watcher, start), undefined, 'each once and in order');
  await events.next('op_applied', ({ lastSeq }) => lastSeq === last);
  t.equal(events.seqs.length, last - start);
  t.equal(new Set(events.seqs).size, last - start);
  const back = await watcher.submit([setCell('B1', 1)]);
  await writer.find((message) => message['lastSeq'] === back['lastSeq']);

  const { credential, userId } = await claimedAgent(here.url);
  const shared = `/collaborators/${userId}`;
  await book.ask(shared, { method: 'PUT', body: { role: 'editor' } });
  const guest = await LiveClient.join(far, { credential });
  const guestEvents = await EventClient.open(far, { credential });
  await guestEvents.next('start');
  await book.ask(shared, { method: 'DELETE' });
  t.ok((await milliseconds(guest.closed)) < 1_000);
  t.match(await guest.closed, { code: 4403 });
  t.match(await guestEvents.next('end'), { data: { code: 4403 } });

  const inside = await LiveClient.join(far, { branch: 'side' });
  await book.ask('/branches/side', { method: 'DELETE' });
  t.ok((await milliseconds(inside.closed)) < 2_000);
  t.match(await inside.closed, { code: 4404 });

  const other = await Book.create(here);
  const revoked = await LiveClient.join(other.at(there));
  await here.request('/agent/auth/revoke', { credential: other.credential, body: {} });
  t.ok((await milliseconds(revoked.closed)) < 1_000);
  t.match(await revoked.closed, { code: 4401 });

  await book.purge(await book.archive());
  t.ok((await milliseconds(watcher.closed)) < 2_000);
  t.match(await watcher.closed, { code: 4410 });
});
