import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Rests of paths that name something that a purge takes along. */
const named = [
  '/diff?from=main@1&to=side',
  '/slice?range=A1&ref=side',
  '/branches/side/state',
  '/branches/side/ops',
];

t.test('what a purge takes along is not missing for itself', async (t) => {
  const service = await TestService.start(t);
  const owner = await service.registerClaimed();
  for (const rest of named) {
    const book = await Book.create(service, { credential: owner });
    await book.ask('/branches', { body: { name: 'side' } });
    const other = await book.ask(rest.replace('side', 'other'));
    t.match(other, { status: 404, json: { code: /^(?:branch|ref)_not_found$/u } }, other.text);
    const confirm = await book.archive();
    // Sent while the purge is under way, at several of its moments.
    const purging = book.purge(confirm);
    const asked = Array.from({ length: 40 }, () => book.ask(rest));
    t.match(await purging, { status: 200 });
    for (const { status, json: told, text } of await Promise.all(asked)) {
      if (status === 200) continue;
      t.match({ status, told }, { status: 404, told: { code: 'not_found' } }, text);
    }
    t.match(await book.ask(rest), { status: 404, json: { code: 'not_found' } });
  }
});
