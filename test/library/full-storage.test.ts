import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';

import { Outbox } from '../../client/library/outbox.ts';
import type { Pending } from '../../client/library/pending.ts';
import { closed } from '../../client/library/session-ends.ts';

/** A storage that is full refuses a submission, and no later one; one that is slow loses none. */

const pendingOf = (submission: string): Pending => ({ submission, baseSeq: 0, ops: [] });

/** As `localStorage`, which throws when it is full. */
class FullStorage {
  isFull = false;
  readonly texts = new Map<string, string>();

  getItem(name: string): string | null {
    return this.texts.get(name) ?? null;
  }

  setItem(name: string, text: string): void {
    if (this.isFull) throw new Error('QuotaExceededError');
    this.texts.set(name, text);
  }

  removeItem(name: string): void {
    this.texts.delete(name);
  }
}

t.test('what cannot be stored is refused and never sent', async (t) => {
  const storage = new FullStorage();
  const outbox = new Outbox(storage, 'waiting');
  await outbox.add(pendingOf('one'));
  storage.isFull = true;
  const adding = outbox.add(pendingOf('two'));
  const early = [...outbox.due()].map(({ submission }) => submission);
  t.same(early, ['one'], 'nothing is sent before it is stored');
  await t.rejects(adding, { message: 'QuotaExceededError' });
  t.same([...outbox.due()], []);
  t.equal(outbox.pending.length, 1);
  storage.isFull = false;
  await outbox.add(pendingOf('three'));
  t.same(
    [...outbox.due()].map(({ submission }) => submission),
    ['three'],
    'the next one is stored',
  );
  t.match(storage.texts.get('waiting'), /one.*three/u);
});

t.test('an answer arrives, though the storage does not take what is left', async (t) => {
  const storage = new FullStorage();
  const outbox = new Outbox(storage, 'waiting');
  for (const submission of ['one', 'two']) await outbox.add(pendingOf(submission));
  const answer = outbox.answerTo('one');
  storage.isFull = true;
  const acknowledged = { kind: 'ack', submission: 'one', status: 'applied', head: 1, results: [] };
  await outbox.settle(acknowledged as never, () => undefined);
  t.match(await answer, { head: 1 });
  t.same(
    outbox.pending.map(({ submission }) => submission),
    ['two'],
  );
});

t.test('a session that ends while a submission is being stored ends no program', async (t) => {
  let store = (): void => undefined;
  const storage = {
    getItem: () => null,
    setItem: () => new Promise<void>((resolve) => (store = resolve)),
    removeItem: () => undefined,
  };
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', hear);
  t.teardown(() => process.off('unhandledRejection', hear));
  const outbox = new Outbox(storage, 'waiting');
  const answer = outbox.answerTo('one');
  const adding = outbox.add(pendingOf('one'));
  outbox.end(closed('The session is closed.'));
  await turn();
  await turn();
  t.same(unheard, []);
  store();
  await adding;
  await t.rejects(answer, { message: 'The session is closed.' });
});
