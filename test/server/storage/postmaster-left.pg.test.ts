import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isRunning } from '../../../server/storage/process-table.ts';
import { someOf } from '../../support/case-count.ts';
import {
  ask,
  freeze,
  makeDataDirectory,
  start,
  startUnwatched,
} from '../../support/embedded-cluster.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { testSeed } from '../../support/test-seed.ts';

/**
 * Start-up in the presence of a PostgreSQL that an earlier start left, and of those of others.
 * Runs long.
 */

/** Most of them start PostgreSQL twice or more. */
t.setTimeout(180_000);

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

t.test('a PostgreSQL of somebody else that has the pid of ours now is left alone', async (t) => {
  const folder = await makeDataDirectory(t);
  const first = await start(folder);
  const path = join(folder, 'postgres/postmaster.pid');
  const pidFile = await readFile(path, 'utf8');
  await first.stop();
  const stranger = await start(await makeDataDirectory(t));
  await ask(stranger, 'create table kept as select 11 as answer');
  await writeFile(path, pidFile.replace(/^\d+/, String(stranger.pid)));
  const second = await start(folder);
  t.not(second.pid, stranger.pid);
  t.ok(await isRunning(stranger.pid));
  t.equal(await ask(stranger, 'select answer from kept'), 11);
  await second.stop();
  t.equal(await ask(stranger, 'select answer from kept'), 11);
  await stranger.stop();
});

t.test('ours is found though its file names somebody else', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  await ask(left, 'create table kept as select 12 as answer');
  const stranger = await start(await makeDataDirectory(t));
  const path = join(folder, 'postgres/postmaster.pid');
  const pidFile = await readFile(path, 'utf8');
  await writeFile(path, pidFile.replace(/^\d+/, String(stranger.pid)));
  const second = await start(folder);
  t.notOk(await isRunning(left.pid));
  t.equal(await ask(second, 'select answer from kept'), 12);
  t.ok(await isRunning(stranger.pid));
  await second.stop();
  await stranger.stop();
});

const cuts: readonly [string, (text: string) => string][] = [
  ['empty', () => ''],
  ['cut in its first line', (text: string) => text.slice(0, 2)],
  ['cut after its first line', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
  ['cut before the key of its memory', (text: string) => text.split('\n').slice(0, 6).join('\n')],
  ['nonsense', () => 'nothing\nof the kind\n'],
];

for (const [name, cut] of someOf(cuts, 2, new SeededRandom(testSeed))) {
  t.test(`a postmaster.pid that is ${name} needs no human`, async (t) => {
    const folder = await makeDataDirectory(t);
    const killed = await startUnwatched(folder);
    await ask(killed, 'create table kept as select 13 as answer');
    const path = join(folder, 'postgres/postmaster.pid');
    const pidFile = await readFile(path, 'utf8');
    process.kill(killed.pid, 'SIGKILL');
    while (await isRunning(killed.pid)) await pause();
    await writeFile(path, cut(pidFile));
    const second = await start(folder);
    t.equal(await ask(second, 'select answer from kept'), 13);
    await second.stop();
  });
}

t.test('a file that was emptied under a PostgreSQL of ours does not make two of it', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  await ask(left, 'create table kept as select 14 as answer');
  await writeFile(join(folder, 'postgres/postmaster.pid'), '');
  const second = await start(folder);
  t.notOk(await isRunning(left.pid));
  t.equal(await ask(second, 'select answer from kept'), 14);
  await second.stop();
});

t.test('a frozen PostgreSQL of ours is woken and adopted', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  await freeze(folder);
  const events: string[] = [];
  const second = await start(folder, events);
  t.equal(second.pid, left.pid);
  t.equal(await ask(second, 'select 15 as answer'), 15);
  await second.stop();
});

t.test('children that a killed postmaster left frozen do not stand in the way', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  await ask(left, 'create table kept as select 16 as answer');
  const frozen = await freeze(folder);
  process.kill(left.pid, 'SIGKILL');
  while (await isRunning(left.pid)) await pause();
  const second = await start(folder);
  t.equal(await ask(second, 'select answer from kept'), 16);
  for (const pid of frozen) t.notOk(await isRunning(pid));
  await second.stop();
});

t.test('a stop ends a frozen PostgreSQL too', async (t) => {
  const folder = await makeDataDirectory(t);
  const server = await start(folder);
  const frozen = await freeze(folder);
  await server.stop();
  for (const pid of frozen) t.notOk(await isRunning(pid));
});
