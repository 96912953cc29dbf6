import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';

import { LogSigner } from '../../../../server/tlog/service/signing-keys.ts';
import { formatCheckpoint } from '../../../../server/tlog/note/checkpoint.ts';
import { checkGrown } from '../../../support/log-reader.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';
import { digest, LogWorld, seeds, until, type Node } from '../../../support/log-world.ts';

async function stopped(t: Test): Promise<LogWorld> {
  const world = await LogWorld.open(t);
  const node = world.start();
  await world.add(300);
  await world.caughtUp();
  await node.sequencer.stop();
  return world;
}

async function haltedOf({ sequencer }: Node): Promise<string> {
  await until(() => sequencer.haltedReason !== undefined, 'halt');
  return sequencer.haltedReason ?? '';
}

const tables = ['tlog_state', 'tlog_entry', 'tlog_signed', 'tlog_pending'];

t.test('a database restored from an older backup halts the log', async (t) => {
  const world = await stopped(t);
  const { sql } = world;
  for (const name of tables) await sql.unsafe(`create table old_${name} as table ${name}`);
  const node = world.start();
  await world.add(77);
  const seen = await world.caughtUp();
  await node.sequencer.stop();
  for (const name of tables.toReversed()) await sql.unsafe(`delete from ${name}`);
  for (const name of tables) {
    await sql.unsafe(`insert into ${name} overriding system value select * from old_${name}`);
  }
  const files = digest(world.objects.files);
  await world.enqueue([Buffer.from('written after the restore')]);
  const restored = world.start();
  t.match(await haltedOf(restored), /size 377, newer than any in the database.*older backup/);
  t.equal(digest(world.objects.files), files, 'nothing was written');
  t.notOk((await world.signed()).has(301));
  t.equal(restored.published.newest?.size, 377, 'what the world saw it goes on seeing');
  checkGrown(seen, await world.see());
});

t.test('database and objects restored together halt it where the machine remembers', async (t) => {
  const folder = `${await makeTemporaryFolder(t)}/deep/memory`;
  const world = await LogWorld.open(t);
  const first = world.start({ memoryFolder: folder });
  await world.add(300);
  await world.caughtUp();
  await first.sequencer.stop();
  const { sql } = world;
  for (const name of tables) await sql.unsafe(`create table old_${name} as table ${name}`);
  const files = new Map(world.objects.files);
  const node = world.start({ memoryFolder: folder });
  await world.add(77);
  await world.caughtUp();
  await node.sequencer.stop();
  for (const name of tables.toReversed()) await sql.unsafe(`delete from ${name}`);
  for (const name of tables) {
    await sql.unsafe(`insert into ${name} overriding system value select * from old_${name}`);
  }
  world.objects.files = files;
  await world.enqueue([Buffer.from('written after the restore')]);
  const restored = world.start({ memoryFolder: folder });
  t.match(await haltedOf(restored), /this machine has shown size 377.*database knows 300/);
  t.equal(restored.published.newest?.size, 377);
  t.notOk((await world.signed()).has(301));
  await restored.sequencer.stop();
  const [name = ''] = await readdir(folder);
  const path = join(folder, name);
  const own = await readFile(path, 'utf8');
  const root = Buffer.alloc(32, 9).toString('base64');
  const [, , , , line = ''] = own.split('\n');
  await writeFile(path, own.replace(line, root));
  const passing = world.start({ memoryFolder: folder });
  await until(() => passing.failures.length > 0, 'warning');
  t.match(passing.failures[0], /read .*passed over/, 'what the log has not signed is no memory');
  await until(async () => (await world.sizeInStore()) === 301, 'checkpoint of 301');
  await passing.sequencer.stop();
  // A checkpoint of the other story now halts it, smaller or not.
  await world.add(99);
  await writeFile(path, own);
  const forked = world.start({ memoryFolder: folder });
  t.match(await haltedOf(forked), /this machine has shown size 377/);
});

t.test('a memory that cannot be kept is said once, and the log goes on', async (t) => {
  const folder = await makeTemporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  const world = await LogWorld.open(t);
  const node = world.start({ memoryFolder: join(folder, 'file', 'memory') });
  await world.add(1);
  await world.caughtUp();
  await world.add(1);
  await world.caughtUp();
  t.equal(node.failures.filter((text) => /TLOG_MEMORY_DIR/.test(text)).length, 1);
});

t.test('a checkpoint in the object store that is another one halts the log', async (t) => {
  const world = await stopped(t);
  const own = world.objects.files.get('tlog/checkpoint') ?? Buffer.alloc(0);
  const { origin, size } = await world.see();
  const root = Buffer.alloc(32, 9);
  const sign = (keys: readonly Uint8Array[], name = origin): Promise<string> =>
    new LogSigner(name, keys).sign(formatCheckpoint({ origin: name, size, root, extensions: [] }));
  const cases = [
    { note: await sign(seeds), reason: /size 300 in the object store is another one/ },
    { note: await sign([new Uint8Array(32).fill(8)]), reason: /is not ours/ },
    { note: await sign(seeds, 'other.example/log'), reason: /is not ours/ },
    { note: 'nonsense', reason: /is not ours/ },
  ];
  for (const { note, reason } of cases) {
    world.objects.files.set('tlog/checkpoint', Buffer.from(note));
    const node = world.start();
    t.match(await haltedOf(node), reason);
    await node.sequencer.stop();
  }
  world.objects.files.set('tlog/checkpoint', own);
  world.start();
  await world.add(5);
  t.equal((await world.caughtUp()).size, 305);
});

t.test('a log is not gone on with under another name or key', async (t) => {
  const world = await stopped(t);
  const renamed = world.start({ name: 'new.example/v1/tlog' });
  t.match(await haltedOf(renamed), /began as log\.example\/v1\/tlog/);
  await renamed.sequencer.stop();
  const rekeyed = world.start({ keys: [new Uint8Array(32).fill(1)] });
  t.match(await haltedOf(rekeyed), /is not ours/);
});

t.test('a new key signs beside the old one, and then alone', async (t) => {
  const world = await stopped(t);
  const before = await world.see();
  const next = new Uint8Array(32).fill(21);
  const both = world.start({ keys: [next, ...seeds] });
  await world.add(1);
  await until(async () => (await world.sizeInStore()) === 301, 'checkpoint of 301');
  checkGrown(before, await world.see(seeds));
  checkGrown(before, await world.see([next]));
  await both.sequencer.stop();
  world.start({ keys: [next] });
  await world.add(1);
  await until(async () => (await world.sizeInStore()) === 302, 'checkpoint of 302');
  checkGrown(before, await world.see([next]));
  await t.rejects(world.see(seeds), /has not signed/);
});

t.test('an object store that lost the log, or is older, gets it again', async (t) => {
  const world = await stopped(t);
  const old = new Map(world.objects.files);
  const node = world.start();
  await world.add(700);
  const seen = await world.caughtUp();
  await node.sequencer.stop();
  world.objects.files = new Map(old);
  const again = world.start();
  t.same(await world.caughtUp(), seen);
  await again.sequencer.stop();
  world.objects.files = new Map();
  world.start();
  await world.add(1);
  checkGrown(seen, await world.caughtUp());
});

t.test('a tile that is there and different halts the log before anything is signed', async (t) => {
  const world = await stopped(t);
  const path = 'tlog/tile/entries/001.p/45';
  world.objects.files.set(path, Buffer.from('what nobody wrote'));
  const node = world.start();
  await world.add(1);
  t.match(await haltedOf(node), /tile\/entries\/001\.p\/45 in the object store is not/);
  t.equal(await world.sizeInStore(), 300);
  t.notOk((await world.signed()).has(301));
});

t.test('a damaged tree in the database halts the log', async (t) => {
  const world = await stopped(t);
  await world.sql`update tlog_state set edge = overlay(edge placing '\\x00'::bytea from 5)`;
  t.match(await haltedOf(world.start()), /tlog_state is damaged/);
  const other = await stopped(t);
  await other.sql`update tlog_signed set root = sha256('x') where size = 300`;
  t.match(await haltedOf(other.start()), /300 was signed, and the tree in tlog_state/);
});

t.test('entries are logged once, however often they come', async (t) => {
  const world = await LogWorld.open(t);
  world.start();
  const entries = ['a', 'b', 'c'].map((text) => Buffer.from(text));
  await world.enqueue(entries);
  await world.caughtUp(3);
  await world.enqueue([...entries, Buffer.from('d'), ...entries]);
  const { entries: logged } = await world.caughtUp(4);
  t.same(logged.map(String), ['a', 'b', 'c', 'd']);
});

t.test('while the object store is away nothing is published, and then all of it', async (t) => {
  const world = await LogWorld.open(t);
  const node = world.start();
  await world.caughtUp(0);
  world.objects.isDown = true;
  await world.add(300);
  await until(() => node.failures.length > 1, 'failure');
  t.equal(await world.sizeInStore(), 0);
  world.objects.isDown = false;
  t.equal((await world.caughtUp()).size, 300);
  t.equal(node.sequencer.haltedReason, undefined);
});
