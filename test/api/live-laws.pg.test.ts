import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { caseCount } from '../support/case-count.ts';
import { faultsAfter, runSchedule } from '../support/live-schedule.ts';
import { ReplicaClient } from '../support/replica-client.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { testSeed } from '../support/test-seed.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: clients lose their connections again and again. */

// The guarantees of docs/protocol.md, whatever happens on the way: eight clients of two processes
// edit one branch, lose their connections, fall behind and come back. test/crash/ kills the processes.

const clientCount = 8;
const stepCount = 30;

async function run(t: Test, services: readonly TestService[], random: SeededRandom): Promise<void> {
  const [first] = services;
  if (!first) throw new Error('there is no service');
  const book = await Book.create(first);
  const books = services.map((service) => book.at(service));
  const anyBook = (): Book => books[random.between(0, books.length - 1)] ?? book;
  const names = Array.from({ length: clientCount }, (_, at) => `c${at}`);
  const clients = names.map((name) => new ReplicaClient(anyBook, name));
  await runSchedule({ clients, random, stepCount });
  t.same(await faultsAfter(book, clients), []);
  const total = (count: (client: ReplicaClient) => number): number =>
    clients.reduce((sum, client) => sum + count(client), 0);
  const reconnects = total(({ reconnectCount }) => reconnectCount);
  const gaps = total(({ gapCount }) => gapCount);
  t.comment(`${clients[0]?.appliedSeq} operations, ${reconnects} connections, ${gaps} gaps`);
  for (const client of clients) client.drop();
}

t.test('clients that lose their connections end with the state of the service', async (t) => {
  const settings = await sharedSettings(t);
  const services = [await TestService.start(t, settings), await TestService.start(t, settings)];
  const count = caseCount(2);
  for (let round = 0; round < count; round++) {
    const seed = testSeed + round;
    t.comment(`seed ${seed}`);
    await run(t, services, new SeededRandom(seed));
  }
});
