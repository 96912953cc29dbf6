import { randomInt } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { Book } from '../support/book.ts';
import { LiveClient } from '../support/live-client.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { churn, rememberedOperations } from './churn.ts';
import { figuresOf, growthIn, type Figures } from './figures.ts';
import { InspectedProcess, inspectedSettings } from './inspected-process.ts';
import { PatientDoor } from './patient-door.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    sockets: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    // A folder in which the heap is written every four minutes.
    snapshots: { type: 'string' },
  },
});
const [minutes, socketCount] = [Number(values.minutes), Number(values.sockets)];
process.stdout.write(`${minutes} minutes, ${socketCount} sockets, --seed ${values.seed}\n`);

const bookCount = 10;
/** So many sockets edit as often as one machine with two cores takes it. */
const socketsAtFullPace = 250;
/** Each edit goes to all sockets of a room: so many more are sent as much all together. */
const paceExponent = 2;
/** Rooms outlive their last socket by five seconds, and are looked at each second. */
const restMilliseconds = 8_000;
const sampleMilliseconds = 15_000;
/**
 * States of older positions fill what they may take: with the usual room that lasts for hours. The
 * branches themselves, with the ids of an hour's operations, have room in it: without that each
 * submission would read its branch anew.
 */
const smallMemory = { STATE_MEMORY_MIB: '40', MODEL_MEMORY_MIB: '32' };
const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', ...smallMemory, ...inspectedSettings };
const snapshotEvery = 16;

const operationsAtOnce = 1_000;

/**
 * Writes as many operations to a book as are remembered, before a socket that stays, so that
 * neither what a branch nor what a room remembers counts as growth.
 */
async function fillHistory(book: Book<PatientDoor>): Promise<LiveClient> {
  const reader = await LiveClient.join(book, { isForgetful: true });
  for (let done = 0; done < rememberedOperations; done += operationsAtOnce) {
    const ops = Array.from({ length: operationsAtOnce }, (_, at) => {
      const cells = [{ a1: `A${(at % 40) + 1}`, input: at }];
      return { id: `before-${done + at}`, kind: 'cells.set', payload: { cells } };
    });
    const answer = await book.ask('/branches/main/ops', { body: { ops, writer: 'before' } });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return reader;
}

const endings: (() => unknown)[] = [];
const cleanup = { teardown: (action: () => unknown) => void endings.push(action) };
try {
  const folder = await makeTemporaryFolder(cleanup);
  const service = await ServiceProcess.start(cleanup, folder, settings);
  // An error that nobody catches ends this process without the endings below.
  process.once('exit', () => service.child.kill('SIGTERM'));
  const inspected = await InspectedProcess.of(service);
  endings.push(() => inspected.close());
  const door = new PatientDoor(service.url);
  const books = await Promise.all(Array.from({ length: bookCount }, () => Book.create(door)));
  const readers: LiveClient[] = [];
  for (const book of books) readers.push(await fillHistory(book));
  const before = await figuresOf(service.url, inspected);
  const counts = { sockets: 0, submissions: 0 };
  const end = performance.now() + minutes * 60_000;
  const isOver = (): boolean => performance.now() >= end;
  const pace = Math.max(1, (socketCount / socketsAtFullPace) ** paceExponent);
  const random = new SeededRandom(Number(values.seed));
  const churning = Array.from({ length: socketCount }, () =>
    churn({ books, random, isOver, pace }, counts),
  );
  const samples: Figures[] = [];
  // Acknowledgements that come late may have waited here.
  const ownLoop = monitorEventLoopDelay();
  ownLoop.enable();
  while (!isOver()) {
    await sleep(sampleMilliseconds);
    samples.push(await figuresOf(service.url, inspected));
    const ownLoopSeconds = ownLoop.max / 1e9;
    ownLoop.reset();
    process.stdout.write(
      `${JSON.stringify({ ...samples.at(-1), ownLoopSeconds, ended: counts })}\n`,
    );
    if (values.snapshots !== undefined && samples.length % snapshotEvery === 0) {
      await inspected.writeSnapshot(`${values.snapshots}/${samples.length}.heapsnapshot`);
    }
  }
  await Promise.all(churning);
  for (const reader of readers) reader.close();
  await sleep(restMilliseconds);
  const after = await figuresOf(service.url, inspected);
  const faults = growthIn(samples);
  if (after.sockets !== 0 || after.rooms !== 0) faults.push('sockets or rooms are left');
  if (after.handles > before.handles + bookCount) faults.push(`handles: ${after.handles} are left`);
  process.stdout.write(`${JSON.stringify({ ...counts, before, after, faults })}\n`);
  if (faults.length > 0) process.exitCode = 1;
  // A process waits at its end for whoever inspects it.
  inspected.close();
  await service.stop();
} finally {
  for (const action of endings.toReversed()) await action();
}
