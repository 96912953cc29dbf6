import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { Book } from '../support/book.ts';
import { LiveClient, type LiveMessage } from '../support/live-client.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: a room of more than two hundred sockets. */

/** More people than are told of each other wherever they are. */
const peopleCount = 205;
const viewport = { sheet: 'Sheet1', range: 'A1:J50' };
const elsewhere = { sheet: 'Sheet1', range: 'A1000:J1050' };

interface Change {
  readonly session: string;
  readonly presence: { readonly cell?: string };
}

const changesOf = (message: LiveMessage): readonly Change[] =>
  message.kind === 'presence_changed' ? (message['changes'] as Change[]) : [];

function join(book: Book, writer: string, options: { isForgetful?: boolean } = {}) {
  const want = { ops: true, presence: true, cell_activity: 'none' };
  const hello = { writer, want, presence: { sheet: 'Sheet1', cell: 'A1', viewport } };
  return LiveClient.join(book, { hello, ...options });
}

/** Waits until nothing came for longer than news are apart. */
async function quiet({ messages }: LiveClient): Promise<number> {
  for (let count = -1; count !== messages.length; await sleep(1_300)) count = messages.length;
  return messages.length;
}

t.test('in a crowd the news of all come in one frame', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  const watcher = await join(book, 'watcher');
  const crowd: Awaited<ReturnType<typeof join>>[] = [];
  t.teardown(() => [watcher, ...crowd].forEach((client) => client.close()));
  while (crowd.length < peopleCount) {
    const writers = Array.from({ length: 20 }, (_, at) => `w${crowd.length + at}`);
    const forgetful = writers.map((writer) => join(book, writer, { isForgetful: true }));
    crowd.push(...(await Promise.all(forgetful)));
  }
  const before = await quiet(watcher);
  const rounds = 4;
  for (let round = 1; round <= rounds; round++) {
    for (const client of crowd) {
      client.send({ kind: 'presence_update', presence: { cell: `B${round}` } });
    }
    await sleep(200);
  }
  await quiet(watcher);
  const news = watcher.messages.slice(before).filter(({ kind }) => kind === 'presence_changed');
  t.ok(news.length <= 10, `${news.length} frames about ${rounds * crowd.length} changes`);
  const last = new Map(news.flatMap(changesOf).map((one) => [one.session, one.presence.cell]));
  t.equal(last.size, crowd.length);
  t.same(new Set(last.values()), new Set([`B${rounds}`]), 'the last value counts');

  const mover = crowd[0];
  const gone = watcher.messages.length;
  for (let round = 0; round < 10; round++) {
    watcher.send({ kind: 'presence_update', presence: { viewport: elsewhere } });
  }
  mover?.send({ kind: 'presence_update', presence: { cell: 'C1005', viewport: elsewhere } });
  await quiet(watcher);
  const met = watcher.messages.slice(gone).filter((message) => changesOf(message).length > 0);
  t.ok(met.length >= 1 && met.length <= 3, `${met.length} frames`);
  const seen = new Set(met.flatMap(changesOf).map(({ session }) => session));
  t.equal(seen.size - Number(seen.has(String(watcher.snapshot['session']))), 1, 'one is there');

  const left = watcher.messages.length;
  const far = { sheet: 'Sheet1', range: 'A5000:J5050' };
  mover?.send({ kind: 'presence_update', presence: { cell: 'C5005', viewport: far } });
  await quiet(watcher);
  const told = watcher.messages.slice(left).flatMap(changesOf);
  t.match(told, [{ session: mover?.snapshot['session'], presence: { cell: 'C5005' } }], 'it went');
});
