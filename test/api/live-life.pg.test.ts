import t from 'tap';

import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import { LiveClient, refusalOf, setCell, type LiveMessage } from '../support/live-client.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { TestService } from '../support/test-service.ts';

interface Change {
  readonly session: string;
  readonly presence: Readonly<Record<string, unknown>>;
}

/** The next news of somebody. */
async function changeOf(
  client: LiveClient,
  session: unknown,
  wanted: (change: Change) => boolean = () => true,
): Promise<Change | undefined> {
  const fits = (change: Change): boolean => change.session === session && wanted(change);
  const { changes } = (await client.find(
    (message) => message.kind === 'presence_changed' && (message['changes'] as Change[]).some(fits),
  )) as LiveMessage & { changes: Change[] };
  return changes.find(fits);
}

function leaveOf(client: LiveClient, session: unknown): Promise<LiveMessage> {
  return client.find(
    ({ kind, sessions }) => kind === 'presence_left' && (sessions as unknown[]).includes(session),
  );
}

t.test('time brings idleness, leaving and the end of silent sockets', async (t) => {
  const clock = new MovingClock();
  const { environment } = clock;
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble(), environment });
  const book = await Book.create(service);
  const ann = await LiveClient.join(book, {
    hello: { presence: { cell: 'B7', status: 'active' } },
  });
  const bob = await LiveClient.join(book);
  const { session, sessionKey } = ann.snapshot as LiveMessage & Record<string, string>;
  t.match(bob.snapshot, {
    peersTotal: 1,
    peers: [{ session, kind: 'agent', presence: { cell: 'B7' } }],
  });
  t.match(await changeOf(ann, bob.snapshot['session']), { kind: 'agent', presence: {} });
  ann.send({ kind: 'presence_update', presence: { cell: 'C8', status: null } });
  const moved = await changeOf(bob, session, ({ presence }) => presence['cell'] === 'C8');
  t.match(moved, { presence: { cell: 'C8' } });

  ann.close();
  await ann.closed;
  const back = await LiveClient.join(book, { hello: { sessionKey } });
  t.match(back.snapshot, { session, sessionKey }, 'it is the same presence');
  const thief = await LiveClient.join(book, { hello: { sessionKey } });
  t.match(await back.closed, { code: 4409 });
  t.match(thief.snapshot, { session });
  await bob.settled();
  t.same(bob.of('presence_left'), [], 'nobody has seen it flicker');

  const silent = await LiveClient.open(book);
  clock.forward(31);
  t.match(await silent.closed, { code: 4408 });
  t.ok(await changeOf(bob, session, ({ presence }) => presence['status'] === 'idle'));
  await bob.settled();
  clock.forward(31);
  t.match(await leaveOf(bob, session), { reason: 'timeout' });
  await thief.settled();
  t.match(await changeOf(bob, session), { principal: String }, 'it is back with all that it is');
  thief.close();
  await thief.closed;
  clock.forward(6);
  t.match(await leaveOf(bob, session), { reason: 'closed' });
});

t.test('sockets end with what they were about', async (t) => {
  const service = await TestService.start(t);
  const owner = await service.registerClaimed();
  const book = await Book.create(service, { credential: owner });
  await book.ask('/branches', { body: { name: 'side' } });
  const inside = await LiveClient.join(book, { branch: 'side' });
  const { credential, userId } = await claimedAgent(service.url);
  const shared = `/collaborators/${userId}`;
  await book.ask(shared, { method: 'PUT', body: { role: 'viewer' } });
  const guest = await LiveClient.join(book, { credential });
  t.match(guest.snapshot, { you: { principal: userId, role: 'viewer' } });
  t.match(await guest.submit([setCell('A1', 1)]), { results: [{ error: { code: 'forbidden' } }] });
  await book.ask(shared, { method: 'DELETE' });
  t.match(await guest.closed, { code: 4403 });
  await book.ask('/branches/side', { method: 'DELETE' });
  t.match(await inside.closed, { code: 4404 });

  const main = await LiveClient.join(book);
  const confirm = await book.archive();
  t.match(await main.submit([setCell('A1', 1)]), { status: 'rejected' });
  await book.purge(confirm);
  t.match(await main.closed, { code: 4410 });
  const gone = LiveClient.open(book);
  t.equal(await refusalOf(gone), 410, 'its owner hears that it is gone for good');
});

t.test('a key that is revoked ends its sockets', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const client = await LiveClient.join(book);
  const { status } = await service.request('/agent/auth/revoke', {
    credential: book.credential,
    body: {},
  });
  t.equal(status, 200);
  t.match(await client.closed, { code: 4401 });
});
