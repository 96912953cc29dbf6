import { setTimeout as sleep } from 'node:timers/promises';

import type { Book } from '../support/book.ts';
import { LiveClient, setCell } from '../support/live-client.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { ServiceDoor } from '../support/service-door.ts';

export interface ChurnOptions {
  readonly books: readonly Book<ServiceDoor>[];
  readonly random: SeededRandom;
  readonly isOver: () => boolean;
  /** How much longer pauses are than those of a few hundred sockets. */
  readonly pace: number;
}

export interface ChurnCounts {
  sockets: number;
  submissions: number;
}

/**
 * Operations that a branch remembers for strict submissions, and a room for sockets that come back.
 * All books begin with them; whoever comes back has seen those.
 */
export const rememberedOperations = 10_000;
const cellsMost = 40;
const arrivalMilliseconds = 2_000;
/** One process reads what 2,000 sockets are sent, and is behind for seconds when it is busy. */
const patienceMilliseconds = 60_000;
let operationCount = 0;

/** One place after another: each is a socket that comes, edits, looks around and goes somehow. */
export async function churn(options: ChurnOptions, counts: ChurnCounts): Promise<void> {
  // Not all at once: that would be a storm, which is another test.
  await sleep(options.pace * options.random.between(0, arrivalMilliseconds));
  while (!options.isOver()) {
    await liveOnce(options, counts);
    counts.sockets++;
  }
}

async function liveOnce({ books, random, isOver, pace }: ChurnOptions, counts: ChurnCounts) {
  const book = books[random.between(0, books.length - 1)];
  if (!book) throw new Error('there is no workbook');
  const framing = random.next() < 0.5 ? 'json' : 'msgpack';
  const line = random.between(1, 9);
  const client = await LiveClient.join(book, {
    framing,
    isForgetful: true,
    waitMilliseconds: patienceMilliseconds,
    hello: {
      writer: `w${random.between(0, 20)}`,
      lastSeq: random.next() < 0.3 ? rememberedOperations : null,
      want: {
        presence: random.next() < 0.7,
        cell_activity: random.next() < 0.5 ? 'viewport' : 'all',
      },
      presence: { viewport: { sheet: 'Sheet1', range: `A${line}:F${line + 9}` } },
    },
  });
  const turns = random.between(0, 4);
  for (let turn = 0; turn < turns && !isOver(); turn++) {
    await sleep(pace * random.between(20, 400));
    const kind = random.between(0, 9);
    // Clients that share a writer number their submissions alike: those would be repeats.
    const id = `churn-${++operationCount}`;
    if (kind <= 5) await client.submit([setCell(`A${random.between(1, cellsMost)}`, turn, id)]);
    else if (kind === 6)
      await client.submit([{ id, kind: 'sheet.delete', payload: { sheet: 'None' } }]);
    else if (kind === 7) await client.hello({ lastSeq: null });
    else client.send({ kind: 'presence_update', presence: { cell: `B${line}` } });
    counts.submissions++;
  }
  const end = random.between(0, 3);
  if (end === 0) client.socket.terminate();
  else if (end === 1) client.send({ kind: 'nonsense' });
  else client.close();
  await client.closed;
}
