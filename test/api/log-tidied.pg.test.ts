import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { realEnvironment } from '../../server/foundation.ts';
import { Book } from '../support/book.ts';
import { readLog, readLogOver } from '../support/log-reader.ts';
import { StoredLog } from '../support/stored-log.ts';

/** Runs long: it waits for what a log tidies up in the background. */

// Files of older trees go once the full ones are an hour old, and nobody who reads misses them.

const minute = 60_000;
const passMilliseconds = 100;

/** Faults that a process has at the place before it notes what it deleted. */
const faults = { left: 0, had: 0 };

/** In it a rest of a minute takes a tenth of a second. */
const environment = {
  ...realEnvironment,
  after: (delay: number, action: () => void) =>
    realEnvironment.after(delay === minute ? passMilliseconds : delay, action),
  checkpoint: async (place: string) => {
    if (place !== 'tlog.tidied' || faults.left === 0) return;
    faults.left--;
    faults.had++;
    throw new Error('the process ends here');
  },
};

const log = await StoredLog.start(t, {}, { environment });
const book = await Book.create(log.service);
await book.set('A1', 1);
const sizes: number[] = [];

async function grow(count: number): Promise<void> {
  sizes.push(await log.fill(count, sizes.at(-1) ?? 0));
}

for (const count of [40, 100, 60, 150, 200, 90]) await grow(count);

async function narrow(): Promise<string[]> {
  return (await log.files()).filter((path) => path.includes('.p/')).toSorted();
}

/** Makes every tree older; those who read one of them are done. */
async function anHourLater(): Promise<void> {
  await log.sql`update tlog_signed set published_at = published_at - interval '61 minutes'`;
}

async function tidied(): Promise<number> {
  const [row] = await log.sql<{ tidied: number }[]>`select tidied from tlog_state`;
  return Number(row?.tidied);
}

async function tidiedTo(entries: number): Promise<void> {
  for (let tries = 0; tries < 200 && (await tidied()) < entries; tries++) await sleep(50);
  if ((await tidied()) !== entries) throw new Error(`it was tidied up to ${await tidied()}`);
}

/** Reads the log over HTTP, and as a static server over the files would give it. */
async function seeBoth() {
  const { json } = await log.service.request('/v1/tlog/status');
  const { vkeys, damaged } = json as { vkeys: string[]; damaged: string[] };
  const served = await readLog(readLogOver(`${log.service.url}/v1/tlog`), vkeys[0] ?? '');
  const stored = await readLog((path) => log.read(path), vkeys[0] ?? '');
  return { served, stored, damaged };
}

async function partOf(path: string): Promise<string> {
  const answer = await fetch(`${log.service.url}/v1/tlog/${path}`);
  return `${answer.status} ${Buffer.from(await answer.arrayBuffer()).toString('base64')}`;
}

t.test('nothing goes while somebody may be reading an older tree', async (t) => {
  const before = await narrow();
  t.ok(before.some((path) => path.startsWith('tile/0/000.p/')));
  t.ok(before.some((path) => path.startsWith('tile/entries/001.p/')));
  await sleep(5 * passMilliseconds);
  t.same(await narrow(), before);
  t.equal(await tidied(), 0);
});

t.test('later there are full files alone, and every width is served as before', async (t) => {
  const parts = (await narrow()).filter((path) => /00[01]\.p/u.test(path));
  const before = new Map<string, string>();
  for (const path of parts) before.set(path, await partOf(path));
  const [, missing] = [await log.flip('tile/0/000'), join(log.folder, 'tile/entries/001')];
  const entries = await log.read('tile/entries/001');
  await rm(missing);
  faults.left = 1;
  await anHourLater();
  await tidiedTo(512);
  t.equal(faults.had, 1, 'a pass that ended midway was made again');
  const left = await narrow();
  t.ok(left.length > 0);
  t.same(
    left.filter((path) => !/^tile\/(?:0|entries)\/002\.p\/|^tile\/1\/000\.p\//u.test(path)),
    [],
    'those of the last tree and of tiles that are not full stay',
  );
  t.same(await log.read('tile/entries/001'), entries, 'a full file is made anew before');
  await log.restart();
  for (const [path, part] of before) t.equal(await partOf(path), part, path);
  const { served, stored } = await seeBoth();
  t.equal(served.size, sizes.at(-1));
  t.same(stored, served);
  for (const from of sizes) {
    const { status } = await log.service.request(`/v1/tlog/consistency?from=${from}`);
    t.equal(status, 200, `from ${from}`);
  }
});

t.test('it goes on where it ended, and verify finds nothing amiss', async (t) => {
  await grow(100);
  await grow(200);
  await anHourLater();
  await tidiedTo(768);
  t.notOk((await narrow()).some((path) => path.includes('/002.p/')));
  const own = book.at(log.service);
  await own.ask('/verify', { method: 'POST' });
  t.match(await own.ask('/verify', { method: 'POST' }), { json: { ok: true } });
  const { damaged } = await seeBoth();
  t.same(damaged, []);
});
