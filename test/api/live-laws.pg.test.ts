import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';

import { Book } from '../support/book.ts';
import { caseCount } from '../support/case-count.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { ReplicaClient, type SentOperation } from '../support/replica-client.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { testSeed } from '../support/test-seed.ts';
import { TestService } from '../support/test-service.ts';

// The guarantees of docs/protocol.md, whatever happens on the way: eight clients of two processes
// edit one branch, lose their connections, fall behind and come back.

const clientCount = 8;
const stepCount = 30;

type Bare = Omit<SentOperation, 'id'>;

function anyCell(random: SeededRandom): string {
  return `${'ABCDEFGH'[random.between(0, 7)] ?? 'A'}${random.between(1, 15)}`;
}

function anyInput(random: SeededRandom): unknown {
  const kind = random.between(0, 4);
  if (kind === 0) return `=SUM(${anyCell(random)}:${anyCell(random)})`;
  if (kind === 1) return `=${anyCell(random)}+1`;
  return kind === 2 ? `text ${random.between(0, 9)}` : random.between(0, 99);
}

function anyOperation(random: SeededRandom): Bare {
  const sheet = 'Sheet1';
  const kind = random.between(0, 19);
  const line = random.between(1, 12);
  const count = random.between(1, 2);
  if (kind === 0) return { kind: 'rows.insert', payload: { sheet, before: line, count } };
  if (kind === 1) return { kind: 'rows.delete', payload: { sheet, from: line, count } };
  if (kind === 2) {
    const before = random.between(1, 15);
    return { kind: 'rows.move', payload: { sheet, from: line, count, before } };
  }
  const column = 'ABCDEF'[random.between(0, 5)] ?? 'A';
  if (kind === 3) return { kind: 'cols.insert', payload: { sheet, before: column, count: 1 } };
  if (kind === 4) return { kind: 'cols.delete', payload: { sheet, from: column, count: 1 } };
  if (kind === 5) {
    const inputs = [[anyInput(random), anyInput(random)]];
    return { kind: 'range.set', payload: { range: `${sheet}!A${line}:B${line}`, inputs } };
  }
  if (kind === 6) return { kind: 'range.clear', payload: { range: `${sheet}!${anyCell(random)}` } };
  if (kind === 7) return { kind: 'sheet.add', payload: { name: `S${random.between(1, 3)}` } };
  const cells = Array.from({ length: count }, () => ({
    a1: anyCell(random),
    input: anyInput(random),
  }));
  return { kind: 'cells.set', payload: { sheet, cells } };
}

/** One thing that a client does, or that happens to it. */
async function step(client: ReplicaClient, books: readonly Book[], random: SeededRandom) {
  if (!client.isConnected) await client.connect(books[random.between(0, books.length - 1)]);
  const kind = random.between(0, 19);
  if (kind <= 11) {
    client.submit(Array.from({ length: random.between(1, 3) }, () => anyOperation(random)));
  } else if (kind <= 14) {
    const taking = random.next() < 0.7 ? 'undo' : 'redo';
    client.submit([{ kind: taking, payload: { of: { last: true } } }]);
  } else if (kind === 15) client.drop();
  else if (kind === 16) client.hello();
  else if (kind === 17) void client.stall(random.between(5, 60));
  if (client.pendingCount > 12) await client.settle();
  await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)));
}

interface Written {
  readonly seq: number;
  readonly id: string;
  readonly writer: string;
}

async function journalOf(book: Book): Promise<Written[]> {
  const { json } = await book.ask('/branches/main/ops?limit=10000');
  return (json as { ops: Written[] }).ops;
}

async function run(t: Test, services: readonly TestService[], random: SeededRandom): Promise<void> {
  const [first] = services;
  if (!first) throw new Error('there is no service');
  const book = await Book.create(first);
  const books = services.map((service) => book.at(service));
  const clients = Array.from(
    { length: clientCount },
    (_, at) => new ReplicaClient(books[at % books.length] ?? book, `c${at}`),
  );
  await Promise.all(
    clients.map(async (client) => {
      for (let count = 0; count < stepCount; count++) await step(client, books, random);
    }),
  );
  for (const client of clients) if (!client.isConnected) await client.connect();
  await Promise.all(clients.map((client) => client.settle()));
  const state = (await book.ask('/branches/main/state')).json as {
    head: number;
    stateHash: string;
  };
  const journal = await journalOf(book);
  t.same(
    journal.map(({ seq }) => seq),
    Array.from({ length: state.head }, (_, at) => at + 1),
  );
  for (const client of clients) {
    // The last operations of others may still be on their way.
    const end = Date.now() + 5_000;
    while (client.appliedSeq < state.head && Date.now() < end) await client.settle();
    t.same(client.faults, [], client.name);
    t.equal(client.appliedSeq, state.head, `${client.name} has all`);
    t.equal(client.hash(), state.stateHash, `${client.name} has the state of the service`);
    // A process knows what it has rejected itself: another one that is asked may do it later.
    const isLate = (id: string): boolean =>
      client.sentAgain.has(id) && client.outcomes.get(id)?.status === 'rejected';
    const written = journal.filter(({ writer }) => writer === client.name);
    t.equal(new Set(written.map(({ id }) => id)).size, written.length, 'nothing is done twice');
    const own = written.filter(({ id }) => !isLate(id));
    const done = [...client.outcomes].filter(([, { status }]) => status !== 'rejected');
    t.same(
      own.map(({ id }) => id).toSorted(),
      done.map(([id]) => id).toSorted(),
      `${client.name}: what was acknowledged was written once, and nothing else`,
    );
    t.ok(done.every(([id, { seq }]) => own.some((one) => one.id === id && one.seq === seq)));
  }
  const total = (count: (client: ReplicaClient) => number): number =>
    clients.reduce((sum, client) => sum + count(client), 0);
  const reconnects = total(({ reconnectCount }) => reconnectCount);
  t.comment(
    `${state.head} operations, ${reconnects} connections, ${total(({ gapCount }) => gapCount)} gaps`,
  );
  for (const client of clients) client.drop();
}

t.test('clients that lose their connections end with the state of the service', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    TLOG_ORIGIN: 'quire.test/log',
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    TLOG_MEMORY_DIR: 'off',
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
  };
  const services = [await TestService.start(t, settings), await TestService.start(t, settings)];
  const count = caseCount(3);
  for (let round = 0; round < count; round++) {
    const seed = testSeed + round;
    t.comment(`seed ${seed}`);
    await run(t, services, new SeededRandom(seed));
  }
});
