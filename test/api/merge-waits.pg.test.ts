import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { fork, makeBook, run, values, write } from '../support/merged-book.ts';

// How long a merge is waited for is said by the request.

interface Waited {
  readonly id: string;
  readonly state: string;
  readonly digest?: string;
  readonly retry_after?: number;
  readonly links: { readonly self: string };
}

const atOnce = { prefer: 'wait=0' };

t.test('a proposal that is not waited for is compared later', async (t) => {
  const book = await makeBook();
  await fork(book, 'side');
  await run(book, 'side', 'range.fill', { sheet: 'Sheet1', range: 'D1:H3000', input: 7 });
  await write(book, 'main', ['A1', 1]);
  const made = await book.ask('/merges', { body: { source: 'side' }, headers: atOnce });
  const { id, links, digest } = made.json as Waited;
  t.match(made, { status: 202, json: { state: 'computing', retry_after: 1 } }, made.text);
  t.equal(digest, undefined);
  t.equal(made.headers.get('location'), links.self);
  t.equal(made.headers.get('retry-after'), '1');
  let seen = made;
  for (let tries = 0; tries < 200 && seen.status === 202; tries++) {
    await sleep(50);
    seen = await book.ask(`/merges/${id}`, { headers: atOnce });
  }
  t.match(seen, { status: 200, json: { id, state: 'review', digest: /^sha256:/ } }, seen.text);
  const waited = await book.ask(`/merges/${id}`);
  t.equal((waited.json as Waited).digest, (seen.json as Waited).digest);
  const done = await book.ask(`/merges/${id}/approve`, { body: {} });
  t.match(done, { status: 200, json: { state: 'merged' } }, done.text);
  t.strictSame(await values(book, 'A1:D1'), [[1, 12, null, 7]]);
});

t.test('one that is to be applied by itself is waited for', async (t) => {
  const book = await makeBook();
  await fork(book, 'side');
  await write(book, 'side', ['A1', 1]);
  const body = { source: 'side', apply: 'auto' };
  const made = await book.ask('/merges', { body, headers: atOnce });
  t.match(made, { status: 201, json: { state: 'merged' } }, made.text);
  t.match(made.headers.get('location'), /\/merges\/mrg_/u);
});

t.test('of the same request, sent again, there is one merge', async (t) => {
  const book = await makeBook();
  await fork(book, 'side');
  await write(book, 'side', ['A1', 1]);
  const body = { source: 'side', idempotencyKey: 'once-and-for-all' };
  const first = await book.ask('/merges', { body, headers: atOnce });
  const again = await book.ask('/merges', { body, headers: atOnce });
  t.equal((again.json as Waited).id, (first.json as Waited).id);
  t.match((await book.ask('/merges')).json, { total: 1 });
});

t.test('merges of the same are compared once, however many are asked for at a time', async (t) => {
  const book = await makeBook();
  await fork(book, 'side');
  await run(book, 'side', 'range.fill', { sheet: 'Sheet1', range: 'D1:M9000', input: 7 });
  await write(book, 'main', ['A1', 1]);
  /** Digests of so many trials at a time, and how long they take. */
  const asked = async (count: number) => {
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: count }, (_, no) => {
        const body = { source: 'side', title: `trial ${no}`, dryRun: true };
        return book.ask('/merges', { body });
      }),
    );
    const digests = new Set(answers.map(({ json }) => (json as Waited).digest));
    return { digests, milliseconds: performance.now() - begun };
  };
  await asked(1);
  const one = await asked(1);
  const ten = await asked(10);
  t.strictSame(ten.digests, one.digests);
  t.match([...ten.digests], [/^sha256:/u]);
  t.ok(ten.milliseconds < 4 * one.milliseconds, `${ten.milliseconds} for ${one.milliseconds}`);
});
