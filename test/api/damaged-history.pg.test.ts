import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/**
 * Objects that are missing or damaged in the store are passed over, reported and made anew.
 * Runs long.
 */

interface World {
  readonly service: TestService;
  readonly book: Book;
  /** Where the objects of the workbook are. */
  readonly folder: string;
  /** The same service after a restart, and the same workbook asked there. */
  restart(): Promise<Cold>;
}

interface Cold {
  readonly service: TestService;
  ask: Book['ask'];
}

async function makeWorld(t: Test, settings: Readonly<Record<string, string>>): Promise<World> {
  const folder = await makeTemporaryFolder(t);
  const objects = `${folder}/objects`;
  const all = {
    DATABASE_URL: await createMigratedDatabase(),
    OBJECT_STORE_URL: pathToFileURL(objects).href,
    // Each start has a folder of its own, and the log of one database goes on under one key.
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    LOG_LEVEL: 'silent',
    SEAL_IDLE_SECONDS: '1000',
    ...settings,
  };
  const service = await TestService.start(t, all, { formulas: new Formulas() });
  const book = await Book.create(service);
  const restart = async (): Promise<Cold> => {
    const next = await TestService.start(t, all, { formulas: new Formulas() });
    const { credential, id } = book;
    const ask: Book['ask'] = (rest, options) =>
      next.request(`/v1/workbooks/${id}${rest}`, { credential, ...options });
    return { service: next, ask };
  };
  return { service, book, folder: `${objects}/wb/${book.id}`, restart };
}

async function write(book: Pick<Book, 'ask'>, branch: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const cells = [{ a1: `A${number}`, input: `${branch} ${number}` }];
    const ops = [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }];
    const { status, text } = await book.ask(`/branches/${branch}/ops`, { body: { ops } });
    if (status !== 200) throw new Error(text);
  }
}

async function checkpoint(book: Pick<Book, 'ask'>, branch = 'main'): Promise<void> {
  const { status, text } = await book.ask(`/branches/${branch}/checkpoint`, { method: 'POST' });
  if (status !== 200) throw new Error(text);
}

async function readyOf({ service }: Cold): Promise<{ status: string; damagedObjects?: number }> {
  return (await service.request('/ready')).json as { status: string; damagedObjects?: number };
}

async function untilMended(cold: Cold): Promise<void> {
  const deadline = performance.now() + 20_000;
  while ((await readyOf(cold)).damagedObjects !== undefined) {
    if (performance.now() > deadline) throw new Error('it was never made anew');
    await sleep(20);
  }
}

async function verified({ ask }: Cold): Promise<unknown> {
  return (await ask('/verify', { method: 'POST', body: {} })).json;
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .toSorted();
}

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 0x10;
  await writeFile(path, bytes);
}

const harms: Readonly<Record<string, (path: string) => Promise<void>>> = {
  missing: (path) => rm(path),
  empty: (path) => truncate(path),
  cut: (path) => truncate(path, 50),
  flipped: flip,
};

/** Everything that may begin at a snapshot. */
async function readAll(book: Pick<Book, 'ask'>): Promise<unknown[]> {
  const paths = [
    '/slice?range=Sheet1!A1:A30',
    '/slice?ref=main@7&range=Sheet1!A1:A30',
    '/slice?ref=main@14&range=Sheet1!A1:A30',
    '/slice?ref=side&range=Sheet1!A1:A30',
    '/branches/main/state',
    '/branches/main@12/state',
    '/branches/main/export?format=csv',
    '/diff?from=main@12&to=side',
  ];
  const answers: unknown[] = [];
  for (const path of paths) {
    const answer = await book.ask(path);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.text}`);
    answers.push(answer.json ?? answer.text);
  }
  return answers;
}

/** Three snapshots of main and one of a branch that begins between them. */
async function fill({ book }: World): Promise<void> {
  await write(book, 'main', 5);
  await checkpoint(book);
  await write(book, 'main', 5);
  await checkpoint(book);
  await book.ask('/branches', { body: { name: 'side', from: 'main' } });
  await write(book, 'side', 3);
  await checkpoint(book, 'side');
  await write(book, 'main', 4);
  await checkpoint(book);
}

for (const [kind, harm] of Object.entries(harms)) {
  for (const what of ['snapshot', 'pack']) {
    t.test(`${what}s that are ${kind} are passed over and made anew`, async (t) => {
      const world = await makeWorld(t, {});
      await fill(world);
      const before = await readAll(world.book);
      await world.service.app.stop();
      const files = await filesOf(`${world.folder}/${what}`);
      for (const path of files) await harm(path);

      const cold = await world.restart();
      t.same(await readAll(cold), before, 'all is read as it was');
      await write(cold, 'main', 1);
      await write(cold, 'side', 1);
      await untilMended(cold);
      t.equal((await readyOf(cold)).damagedObjects, undefined);
      const { text } = await cold.service.request('/metrics');
      t.match(text, /quire_mended_objects_total [1-9]/);
      t.match(text, /quire_found_damages [1-9]/);
      t.match(await verified(cold), { ok: true });
      await cold.service.app.stop();
      const next = await world.restart();
      await readAll(next);
      t.equal((await readyOf(next)).damagedObjects, undefined, 'nothing is left for the next');
    });
  }
}

t.test('one damaged snapshot costs no more than the older one', async (t) => {
  const world = await makeWorld(t, {});
  await fill(world);
  const before = await readAll(world.book);
  await world.service.app.stop();
  const snapshots = await filesOf(`${world.folder}/snapshot/1`);
  await flip(snapshots.at(-1) ?? '');
  const cold = await world.restart();
  t.same(await readAll(cold), before);
  await untilMended(cold);
  t.match(await verified(cold), { ok: true });
});

t.test('a checkpoint replaces what is damaged in its place', async (t) => {
  const world = await makeWorld(t, {});
  await fill(world);
  await rm(`${world.folder}/pack`, { recursive: true });
  await rm(`${world.folder}/snapshot`, { recursive: true });
  await checkpoint(world.book);
  await checkpoint(world.book, 'side');
  await untilMended({ service: world.service, ask: world.book.ask.bind(world.book) });
  await write(world.book, 'main', 2);
  await checkpoint(world.book);
  await world.service.app.stop();
  const cold = await world.restart();
  t.equal((await cold.ask('/slice?range=Sheet1!A1:A9')).status, 200);
  await untilMended(cold);
  t.match(await verified(cold), { ok: true });
});

t.test('verify names what is damaged, and has it made anew', async (t) => {
  const world = await makeWorld(t, {});
  await fill(world);
  const [pack] = await filesOf(`${world.folder}/pack`);
  await harms['cut']?.(pack ?? '');
  const warm: Cold = { service: world.service, ask: world.book.ask.bind(world.book) };
  t.match(await verified(warm), { ok: false, firstBad: { where: /^pack\// } });
  await untilMended(warm);
  t.match(await verified(warm), { ok: true });
});

t.test('a sealed part is made anew from its rows', async (t) => {
  const world = await makeWorld(t, {});
  await fill(world);
  await world.book.ask('/branches/main/flush', { method: 'POST' });
  await write(world.book, 'main', 5);
  await world.book.ask('/branches/main/flush', { method: 'POST' });
  const warm: Cold = { service: world.service, ask: world.book.ask.bind(world.book) };
  for (const path of await filesOf(`${world.folder}/log`)) {
    await flip(path);
    t.match(await verified(warm), { ok: false, firstBad: { where: /^log\//, what: 'damaged' } });
    await untilMended(warm);
  }
  t.match(await verified(warm), { ok: true });
});

t.test('what nothing can make anew is named, and all else goes on', async (t) => {
  const world = await makeWorld(t, {
    SEAL_OPERATIONS: '10',
    SEAL_IDLE_SECONDS: '1',
    HOT_OPERATIONS: '2',
  });
  const { book, folder } = world;
  await write(book, 'main', 30);
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { json } = await book.ask('/topology', { body: {} });
    const { text } = await world.service.request('/metrics');
    if (/quire_keeper_trimmed_operations_total [1-9]/.test(text)) break;
    if (performance.now() > deadline) throw new Error(JSON.stringify(json));
    await sleep(50);
  }
  await world.service.app.stop();
  await cp(folder, `${folder}-copy`, { recursive: true });
  const [first = ''] = await filesOf(`${folder}/log`);
  await rm(first);
  const cold = await world.restart();
  const head = await cold.ask('/slice?range=Sheet1!A1:A30');
  t.equal(head.status, 200, 'the head begins at its snapshot');
  const history = await cold.ask('/branches/main/ops?after=0&limit=5');
  t.match(history, { status: 503, json: { code: 'storage_damaged' } });
  t.match(history.json, { detail: first.slice(first.indexOf('wb/')) });
  t.match(await readyOf(cold), { status: 'degraded', damagedObjects: 1 });
  await cp(`${folder}-copy`, folder, { recursive: true });
  await untilMended(cold);
  t.equal((await cold.ask('/branches/main/ops?after=0&limit=5')).status, 200);
});
