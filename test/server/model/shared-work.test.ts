import t from 'tap';

import { SharedWork } from '../../../server/model/shared-work.ts';

/** Work that ends when a test says so, or when it is given up. */
function work() {
  let finish: (result: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const shared = new SharedWork<string>((signal) => {
    return new Promise((resolve, reject) => {
      [finish, fail] = [resolve, reject];
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  });
  return {
    shared,
    finish: (result: string) => finish(result),
    fail: (error: Error) => fail(error),
  };
}

t.test('work goes on as long as one of those who asked is there', async (t) => {
  const { shared, finish } = work();
  const [first, second] = [new AbortController(), new AbortController()];
  const [one, other] = [shared.wait(first.signal), shared.wait(second.signal)];
  first.abort();
  await t.rejects(one, { name: 'AbortError' });
  t.notOk(shared.isGivenUp);
  finish('done');
  t.equal(await other, 'done');
  second.abort();
  t.notOk(shared.isGivenUp, 'who has the result waits no more');
  t.equal(await shared.wait(), 'done');
});

t.test('it is given up when the last of them goes', async (t) => {
  const { shared } = work();
  const [first, second] = [new AbortController(), new AbortController()];
  const both = [shared.wait(first.signal), shared.wait(second.signal)];
  const ended = new Promise((resolve) => shared.whenEnded(resolve));
  first.abort();
  second.abort();
  for (const one of both) await t.rejects(one, { name: 'AbortError' });
  t.ok(shared.isGivenUp);
  t.equal(await ended, false);
});

t.test('who waits whatever comes keeps it going', async (t) => {
  const { shared, finish } = work();
  const lasting = shared.wait();
  const gone = new AbortController();
  gone.abort();
  await t.rejects(shared.wait(gone.signal), { name: 'AbortError' });
  t.notOk(shared.isGivenUp);
  finish('done');
  t.equal(await lasting, 'done');
});

t.test('a failure reaches all who wait, and nobody else', async (t) => {
  const { shared, fail } = work();
  const waiting = [shared.wait(), shared.wait(new AbortController().signal)];
  const ended = new Promise((resolve) => shared.whenEnded(resolve));
  fail(new Error('it broke'));
  for (const one of waiting) await t.rejects(one, { message: 'it broke' });
  t.equal(await ended, false);
});
