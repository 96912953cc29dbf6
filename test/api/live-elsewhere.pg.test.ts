import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Book } from '../support/book.ts';
import { claim, claimedAgent, unclaimedAgent } from '../support/claimed-agent.ts';
import { EventClient } from '../support/event-client.ts';
import { fill, holeIn } from '../support/live-checks.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { TestService } from '../support/test-service.ts';

/**
 * Two processes of one service, as far as they share nothing but the database and the objects.
 * Runs long: both start for each test.
 */
async function pair(t: Test): Promise<[TestService, TestService]> {
  const settings = await sharedSettings(t);
  return [await TestService.start(t, settings), await TestService.start(t, settings)];
}

async function milliseconds(waiting: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await waiting;
  return performance.now() - start;
}

async function logSize({ url }: TestService): Promise<number> {
  const answer = await fetch(`${url}/v1/tlog/checkpoint`);
  return Number((await answer.text()).split('\n')[1]);
}

/** Writes until a key is known to be replaced: another process hears of it some milliseconds later. */
async function refusalOfKey(socket: LiveClient): Promise<object> {
  for (;;) {
    const { results } = await socket.submit([setCell('B1', 1)]);
    const [result] = results as { error?: { code: string } }[];
    if (result?.error?.code === 'credential_superseded') return result.error;
  }
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

  for (const link of [false, true]) {
    const agent = await unclaimedAgent(here.url);
    const own = await Book.create(here, agent);
    const listening = await EventClient.open(own.at(there));
    await listening.next('start');
    const sockets = [await LiveClient.join(own), await LiveClient.join(own.at(there))];
    const { credential: claimed } = await claim(here.url, agent, { link });
    for (const [at, socket] of sockets.entries()) {
      t.match(await refusalOfKey(socket), { retryable: false });
      t.equal(socket.socket.readyState, socket.socket.OPEN, `socket ${at} listens, link: ${link}`);
    }
    const again = await LiveClient.join(own.at(there), { credential: claimed });
    const { lastSeq } = await again.submit([setCell('A1', 1, 'again')]);
    await listening.next('op_applied', (data) => Number(data['lastSeq']) >= Number(lastSeq));
  }

  await book.purge(await book.archive());
  t.ok((await milliseconds(watcher.closed)) < 2_000);
  t.match(await watcher.closed, { code: 4410 });
});

function changesOf({ kind, changes }: LiveMessage) {
  const all = kind === 'presence_changed' ? changes : [];
  return all as { readonly session: string; readonly presence: object }[];
}

t.test('who comes back at another process is the same person for all others', async (t) => {
  const [here, there] = await pair(t);
  const book = await Book.create(here, { credential: await here.registerClaimed() });
  const watcher = await LiveClient.join(book);
  const presence = { cell: 'C3' };
  const begun = await LiveClient.join(book, { hello: { presence } });
  const { session, sessionKey } = begun.snapshot as LiveMessage & Record<string, string>;
  const isAbout = (message: LiveMessage): boolean =>
    message.kind.startsWith('presence_') && JSON.stringify(message).includes(session ?? '');
  await watcher.find(isAbout, 'who came');
  const seenBefore = watcher.messages.length;

  begun.close();
  const hello = { sessionKey, presence };
  const away = await LiveClient.join(book.at(there), { hello });
  t.match(away.snapshot, { session, sessionKey }, 'where nobody has been yet');
  await sleep(400);
  const back = await LiveClient.join(book, { hello });
  t.match(back.snapshot, { session, sessionKey }, 'where it is known from elsewhere');
  t.match(await away.closed, { code: 4409 }, 'the socket that was left open ends');
  const { credential, userId } = await claimedAgent(there.url);
  await book.ask(`/collaborators/${userId}`, { method: 'PUT', body: { role: 'editor' } });
  const thief = await LiveClient.join(book.at(there), { credential, hello: { sessionKey } });
  t.not(thief.snapshot['session'], session, 'nobody else takes it over');
  // A presence whose socket was closed is kept for five seconds.
  await sleep(6_500);
  const heard = watcher.messages.slice(seenBefore).filter(isAbout);
  t.same(heard, [], 'the others have noticed nothing');
  back.close();
  await watcher.find(({ kind, sessions }) => {
    return kind === 'presence_left' && (sessions as string[]).includes(session ?? '');
  }, 'who left for good');
});

t.test('people at another process are seen, and seen to leave', async (t) => {
  const [here, there] = await pair(t);
  const book = await Book.create(here);
  const near = await LiveClient.join(book, { hello: { presence: { cell: 'B2' } } });
  const far = await LiveClient.join(book.at(there), { hello: { presence: { cell: 'C3' } } });
  const { session: nearId } = near.snapshot;
  const { session: farId } = far.snapshot;
  const viewport = { sheet: 'Sheet1', range: 'A1:F20' };
  const shows =
    (session: unknown, presence: object) =>
    (message: LiveMessage): boolean =>
      changesOf(message).some((one) => {
        return one.session === session && isDeepStrictEqual(one.presence, presence);
      });
  await near.find(shows(farId, { cell: 'C3' }), 'who came elsewhere');
  await far.find(shows(nearId, { cell: 'B2' }), 'who was there already');
  near.send({ kind: 'presence_update', presence: { cell: null, viewport } });
  await far.find(shows(nearId, { viewport }), 'where the other one went');
  const third = await LiveClient.join(book.at(there));
  t.match(third.snapshot, { peersTotal: 2, peers: [{ session: farId }, { session: nearId }] });
  t.notOk(JSON.stringify(third.snapshot['peers']).includes('"B2"'), 'a member that went is gone');
  far.close();
  const isLeft = ({ kind, sessions }: LiveMessage): boolean =>
    kind === 'presence_left' && (sessions as string[]).includes(String(farId));
  await near.find(isLeft, 'who left elsewhere');

  const crowd = Array.from({ length: 60 }, (_, at) => {
    const label = `€ ${'x'.repeat(100)} ${at}`;
    return LiveClient.join(book, { hello: { writer: `w${at}`, presence: { label } } });
  });
  await Promise.all(crowd);
  const last = await LiveClient.join(book.at(there));
  t.match(last.snapshot, { peersTotal: Number });
  const seen = new Set<string>();
  const note = (message: LiveMessage): boolean => {
    for (const { session } of changesOf(message)) seen.add(session);
    return seen.size >= 60;
  };
  await third.find(note, 'all of a crowd, in several parts');

  await there.app.stop();
  await near.find(
    ({ kind, sessions }) =>
      kind === 'presence_left' &&
      (sessions as string[]).includes(String(third.snapshot['session'])),
    'those of a process that is gone',
  );
});

t.test('people elsewhere stay although the news of them were lost for a moment', async (t) => {
  const settings = await sharedSettings(t);
  const here = await TestService.start(t, settings);
  const there = await TestService.start(t, settings);
  const book = await Book.create(here);
  const near = await LiveClient.join(book, { hello: { presence: { cell: 'B2' } } });
  const far = await LiveClient.join(book.at(there), { hello: { presence: { cell: 'C3' } } });
  const { session } = far.snapshot;
  const isFar = (message: LiveMessage): boolean =>
    changesOf(message).some((one) => one.session === session);
  await near.find(isFar, 'who came elsewhere');
  const sql = openPostgres({
    url: String(settings['DATABASE_URL']),
    applicationName: 'test',
    connectionCount: 1,
  });
  t.teardown(() => sql.end({ timeout: 1 }));
  const cut = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where query ilike 'listen %' and datname = current_database()`;
  t.ok(cut.length >= 2, 'both have lost their connections for news');
  await sleep(5_500);
  t.same(near.of('presence_left'), [], 'nobody was called gone');
  far.send({ kind: 'presence_update', presence: { cell: 'D4' } });
  const isMoved = (message: LiveMessage): boolean =>
    changesOf(message).some((one) => isDeepStrictEqual(one.presence, { cell: 'D4' }));
  await near.find(isMoved, 'news of who is there');
  far.close();
  const { sessions } = await near.find(
    ({ kind }) => kind === 'presence_left',
    'the last one there',
  );
  t.same(sessions, [session]);
});

t.test('the transparency log goes back for nobody who asks one process and another', async (t) => {
  const settings = await sharedSettings(t);
  const here = await TestService.start(t, settings);
  const there = await TestService.start(t, settings);
  const book = await Book.create(here);
  for (let round = 0; round < 4; round++) {
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      const done = await book.at(one).ask('/branches/main/commit?wait=published', {
        body: { message: `round ${round}` },
      });
      t.equal(done.status, 201, done.text);
      const size = await logSize(one);
      const seen = await fetch(`${other.url}/v1/tlog/consistency?from=1&to=${size}`);
      t.equal(seen.status, 200, await seen.text());
      t.ok((await logSize(other)) >= size, `size ${size}`);
    }
  }
  const size = await logSize(here);
  const renamed = await TestService.start(t, { ...settings, TLOG_ORIGIN: 'other.example/log' });
  t.ok((await logSize(renamed)) >= size, 'it goes on being read');
  const status = await renamed.request('/v1/tlog/status');
  t.match(status.json, { halted: /began as .* go on as other\.example\/log/, damaged: [] });
  t.notMatch(status.json, { origin: 'other.example/log' });
});
