import t from 'tap';

import { Pool, TaskAborted } from '../../server/compute/pool.ts';
import { MergeComputer } from '../../server/merges/merge-computer.ts';
import { Failure } from '../../server/model/failure.ts';
import type { Book } from '../support/book.ts';
import { approve, fork, makeBook, propose, run, values, write } from '../support/merged-book.ts';

interface Effect {
  readonly kind: string;
  readonly text: string;
  readonly value: object;
  readonly becauseOf: readonly string[];
}

type Run = typeof Pool.prototype.run;
type Compute = typeof MergeComputer.prototype.compute;

/** Names the tasks of the pool, and has some of them come to an end that is not theirs. */
function watchPool(endOf: (task: string) => Error | undefined = () => undefined): {
  readonly tasks: string[];
  readonly stop: () => void;
} {
  const run: Run = Reflect.get(Pool.prototype, 'run');
  const tasks: string[] = [];
  const watched: Run = function watched(this: Pool, name, payload, options) {
    tasks.push(name);
    const end = endOf(name);
    return end ? Promise.reject(end) : Reflect.apply(run, this, [name, payload, options]);
  };
  Pool.prototype.run = watched;
  return { tasks, stop: () => void (Pool.prototype.run = run) };
}

async function prepared(): Promise<Book> {
  const book = await makeBook();
  await write(book, 'main', ['C1', '=A1*B1'], ['C2', '=SUM(A1:A3)+C1'], ['D1', '=A3*2']);
  await fork(book, 'q3');
  await write(book, 'main', ['A1', 2]);
  await write(book, 'q3', ['B1', 3]);
  return book;
}

async function effectsOf(book: Book, id: string): Promise<readonly Effect[]> {
  const { json } = await book.ask(`/merges/${id}/conflicts`);
  return (json as { effects: readonly Effect[] }).effects;
}

async function builds(book: Book): Promise<number> {
  const { json } = await book.ask('/eval-stats');
  return (json as { cache: { builds: number } }).cache.builds;
}

const expected = [
  { kind: 'effect.value', text: 'Sheet1!C1', value: { ours: 24, theirs: 33, merged: 6 } },
  { kind: 'effect.value', text: 'Sheet1!C2', value: { ours: 78, theirs: 96, merged: 60 } },
];

t.test(
  'effects are found in a copy of the model of the target, and no other is built',
  async (t) => {
    const book = await prepared();
    const before = await builds(book);
    const { tasks, stop } = watchPool();
    t.teardown(stop);
    const merge = await propose(book, { source: 'q3' });
    t.match(await effectsOf(book, merge.id), expected);
    t.equal(await builds(book), before, 'no model of the source, and none of what they come to');
    t.equal(tasks.filter((task) => task === 'copyModel').length, 1);
    t.equal(tasks.filter((task) => task === 'readChanges').length, 2);
    t.same(await values(book, 'C1:C2'), [[24], [78]], 'nothing of it is seen in the target');
    await approve(book, merge.id);
    t.same(await values(book, 'C1:C2'), [[6], [60]]);
  },
);

t.test('values of the target are calculated while the merge is computed', async (t) => {
  const book = await prepared();
  const before = await builds(book);
  const compute: Compute = Reflect.get(MergeComputer.prototype, 'compute');
  t.teardown(() => (MergeComputer.prototype.compute = compute));
  MergeComputer.prototype.compute = async function late(this: MergeComputer, input) {
    // The merge waits for the model, which nobody else asks for.
    while ((await builds(book)) === before) continue;
    return Reflect.apply(compute, this, [input]);
  };
  const { id } = await propose(book, { source: 'main', target: 'q3' });
  t.equal((await effectsOf(book, id)).length, 2);
  t.equal(await builds(book), before + 1, 'and no other is built');
});

t.test('a trial is made once for what a merge comes to', async (t) => {
  const book = await prepared();
  const { id } = await propose(book, { source: 'q3' });
  await effectsOf(book, id);
  const { tasks, stop } = watchPool();
  t.teardown(stop);
  await effectsOf(book, id);
  const again = await book.ask('/merges', { body: { source: 'q3', dryRun: true } });
  t.match(again, { status: 200, json: { summary: { effects: { values: 2 } } } });
  t.equal(tasks.includes('copyModel'), false);
});

t.test('a thread that dies in a trial changes nothing of what is found', async (t) => {
  for (const dying of ['copyModel', 'recalculate', 'readChanges']) {
    const book = await prepared();
    await values(book, 'C1');
    let isDead = false;
    const { stop } = watchPool((task) => {
      if (task !== dying || isDead) return undefined;
      isDead = true;
      return new TaskAborted('the thread of the task died');
    });
    try {
      const merge = await propose(book, { source: 'q3' });
      t.match(await effectsOf(book, merge.id), expected, dying);
      t.equal(isDead, true, dying);
      t.same(await values(book, 'C1'), [[24]], 'the model of the target is as it was');
    } finally {
      stop();
    }
  }
});

t.test('where the pool has no room, effects are not told now and looked for later', async (t) => {
  const book = await prepared();
  await values(book, 'C1');
  const full = new Failure('unavailable', { detail: 'More calculations are waiting.' });
  const { stop } = watchPool((task) => (task === 'copyModel' ? full : undefined));
  t.teardown(stop);
  const merge = await propose(book, { source: 'q3' });
  t.match(merge, { summary: { effects: { values: 0, unchecked: full.message } } });
  stop();
  t.match(await effectsOf(book, merge.id), expected);
});

t.test('rows that the target has and the source has not are no hindrance', async (t) => {
  const book = await prepared();
  await run(book, 'main', 'rows.insert', { sheet: 'Sheet1', before: 2, count: 2 });
  await write(book, 'main', ['A2', 100], ['D5', '=RAND()+NOW()']);
  await values(book, 'C1');
  const before = await builds(book);
  const merge = await propose(book, { source: 'q3' });
  const found = await effectsOf(book, merge.id);
  t.match(found, [
    { text: 'Sheet1!C1', value: { ours: 24, theirs: 33, merged: 6 } },
    { text: 'Sheet1!C4', value: { ours: 178, theirs: 96, merged: 160 } },
  ]);
  t.same(found[1]?.becauseOf.toSorted(), ['Sheet1!A1', 'Sheet1!A2', 'Sheet1!B1']);
  t.equal(await builds(book), before);
});

t.test('a source that lacks a name of the target is evaluated by itself', async (t) => {
  const book = await prepared();
  await run(book, 'main', 'name.set', { name: 'Rate', formula: '=Sheet1!$A$1' });
  const { tasks, stop } = watchPool();
  t.teardown(stop);
  const merge = await propose(book, { source: 'q3' });
  t.match(await effectsOf(book, merge.id), expected);
  t.equal(tasks.includes('copyModel'), false);
});
