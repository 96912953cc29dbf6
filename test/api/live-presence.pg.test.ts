import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';

import { Book } from '../support/book.ts';
import { FormulaDouble } from '../support/formula-double.ts';
import { LiveClient, setCell, type LiveMessage } from '../support/live-client.ts';
import { MovingClock } from '../support/moving-clock.ts';
import { TestService } from '../support/test-service.ts';

type Members = Record<string, unknown>;

/** Applies a merge patch as RFC 7396 has it. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Members = isObject ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** The presence of somebody as a client has it that merges, and as one that replaces members. */
function seenBy(client: LiveClient, session: unknown): { merging: unknown; replacing: Members } {
  let [merging, replacing]: [unknown, Members] = [{}, {}];
  for (const message of client.of('presence_changed')) {
    for (const change of message['changes'] as { session: string; presence: Members }[]) {
      if (change.session !== session) continue;
      merging = merged(merging, change.presence);
      replacing = { ...replacing, ...change.presence };
    }
  }
  return { merging, replacing };
}

/** Returns somebody as a newcomer is shown them. */
async function shown(book: Book, session: unknown): Promise<unknown> {
  const client = await LiveClient.join(book);
  client.close();
  const peers = client.snapshot['peers'] as { session: string; presence: unknown }[];
  return peers.find((peer) => peer.session === session)?.presence;
}

/** Waits until somebody is seen so, for five seconds at most. */
async function seenAs(client: LiveClient, session: unknown, wanted: object): Promise<void> {
  const end = Date.now() + 5_000;
  const isSeen = (): boolean => isDeepStrictEqual(seenBy(client, session).merging, wanted);
  while (!isSeen() && Date.now() < end) await sleep(20);
}

t.test('a presence is patched by members, in whatever steps, and all see the same', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble() });
  const book = await Book.create(service);
  const ann = await LiveClient.join(book);
  const bob = await LiveClient.join(book);
  const { session } = ann.snapshot as LiveMessage & { session: string };
  const editing = { cell: 'A1', draft: '=SU' };
  const steps: { patch: object; is: object; isWaitedFor: boolean }[] = [
    { patch: { editing, cell: 'A1' }, is: { editing, cell: 'A1' }, isWaitedFor: true },
    {
      patch: { editing: { draft: '=SUM(' } },
      is: { editing: { cell: 'A1', draft: '=SUM(' }, cell: 'A1' },
      isWaitedFor: true,
    },
    {
      patch: { editing: { draft: null } },
      is: { editing: { cell: 'A1' }, cell: 'A1' },
      isWaitedFor: true,
    },
    { patch: { editing, cell: null }, is: { editing }, isWaitedFor: true },
    // At once: the last value of all is told.
    { patch: { editing: null }, is: {}, isWaitedFor: false },
    { patch: { editing: { cell: 'B2' } }, is: { editing: { cell: 'B2' } }, isWaitedFor: true },
    {
      patch: { viewport: { sheet: 'Sheet1', range: 'A1:B2' } },
      is: { editing: { cell: 'B2' }, viewport: { sheet: 'Sheet1', range: 'A1:B2' } },
      isWaitedFor: false,
    },
    {
      patch: { viewport: { range: 'C1:D2' } },
      is: { editing: { cell: 'B2' }, viewport: { sheet: 'Sheet1', range: 'C1:D2' } },
      isWaitedFor: true,
    },
  ];
  for (const { patch, is, isWaitedFor } of steps) {
    ann.send({ kind: 'presence_update', presence: patch });
    if (!isWaitedFor) continue;
    await seenAs(bob, session, is);
    t.same(await shown(book, session), is, JSON.stringify(patch));
    const { merging, replacing } = seenBy(bob, session);
    t.same(merging, is, 'merged');
    t.same(merged({}, replacing), is, 'replaced');
  }
  ann.send({ kind: 'presence_update', presence: { editing: null } });
  ann.send({ kind: 'presence_update', presence: { editing: { draft: 'of no cell' } } });
  t.match(await ann.closed, { code: 4400, reason: /editing: it has no cell/ });
});

t.test('a hello that follows at once goes on with the presence of the first', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble() });
  const book = await Book.create(service);
  const bob = await LiveClient.join(book);
  const ann = await LiveClient.open(book);
  const hello = { kind: 'hello', protocol: 1, lastSeq: null };
  ann.send({ ...hello, presence: { label: 'first' } });
  ann.send({ kind: 'presence_update', presence: { cell: 'A1' } });
  ann.send(hello);
  ann.send({ kind: 'presence_update', presence: { color: 'red' } });
  const snapshot = await ann.next('presence_snapshot');
  await ann.settled();
  t.equal(snapshot['peersTotal'], 1, 'nobody else is there');
  const all = { label: 'first', cell: 'A1', color: 'red' };
  await seenAs(bob, snapshot['session'], all);
  t.same(await shown(book, snapshot['session']), all);
  t.same(seenBy(bob, snapshot['session']).merging, all);
  const told = bob.of('presence_changed').flatMap(({ changes }) => changes as Members[]);
  const others = new Set(told.map(({ session }) => session));
  others.delete(String(bob.snapshot['session']));
  t.same([...others].slice(0, 1), [snapshot['session']], 'nobody came before');
});

t.test('who could not take it is told later who has left', async (t) => {
  const clock = new MovingClock();
  const { environment } = clock;
  const service = await TestService.start(t, {}, { formulas: new FormulaDouble(), environment });
  const book = await Book.create(service);
  const ann = await LiveClient.join(book, { hello: { presence: { cell: 'A1' } } });
  const bob = await LiveClient.join(book);
  bob.socket.pause();
  const text = 'x'.repeat(30_000);
  for (let round = 0; round < 10; round++) {
    const ops = Array.from({ length: 50 }, (_, at) => setCell(`C${at}`, `${round} ${text}`));
    await book.ask('/branches/main/ops', { body: { ops: ops.slice(1), writer: 'rest' } });
  }
  ann.close();
  await ann.closed;
  clock.forward(6);
  await sleep(1_500);
  bob.socket.resume();
  const { sessions } = await bob.next('presence_left');
  t.same(sessions, [ann.snapshot['session']]);
});
