import { setTimeout } from 'node:timers/promises';
import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Longer than the service waits before it weighs what it holds. */
const weighMilliseconds = 250;

t.test(
  'two branches too large together, written to in turn, do not push each other out',
  async (t) => {
    const service = await TestService.start(t, { STATE_MEMORY_MIB: '1' });
    const books = [await Book.create(service), await Book.create(service)];
    for (const book of books) {
      for (const column of ['A', 'B']) {
        const payload = { range: `${column}1:${column}40000`, input: 7 };
        const body = { ops: [{ kind: 'range.fill', payload }] };
        t.equal((await book.ask('/branches/main/ops', { body })).status, 200);
      }
    }
    const departures = async (): Promise<number> => {
      const { text } = await service.request('/metrics');
      return Number(/^quire_state_departures (\d+)$/m.exec(text)?.[1]);
    };
    const before = await departures();
    const rounds = 8;
    for (let round = 0; round < rounds; round++) {
      for (const book of books) {
        t.equal((await book.set('C1', round)).status, 200);
        await setTimeout(weighMilliseconds);
      }
    }
    const left = (await departures()) - before;
    t.ok(left > 0, 'they have no room together');
    t.ok(left <= rounds + 1, `${left} had to leave in ${rounds} rounds`);
  },
);
