import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { findBinaries } from '../../../server/storage/embedded/binaries.ts';
import { findFolderProcesses } from '../../../server/storage/embedded/folder-processes.ts';
import { openPostgres } from '../../../server/storage/postgres.ts';
import { isRunning } from '../../../server/storage/process-table.ts';
import {
  ask,
  makeDataDirectory,
  makeEmptyDirectory,
  start,
  startUnwatched,
} from '../../support/embedded-cluster.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

/** Runs long: most of them start PostgreSQL twice. */
t.setTimeout(180_000);

t.test('a second start finds the data of the first', async (t) => {
  const folder = await makeEmptyDirectory(t);
  const first = await start(folder);
  await ask(first, 'create table kept as select 42 as answer');
  await first.stop();
  t.notOk(await isRunning(first.pid));
  const second = await start(folder);
  t.equal(await ask(second, 'select answer from kept'), 42);
  await second.stop();
});

t.test('it listens on loopback only, with a password that is for the owner alone', async (t) => {
  const folder = await makeEmptyDirectory(t);
  const server = await start(folder);
  t.equal(new URL(server.url).hostname, '127.0.0.1');
  const passwordFile = join(folder, 'postgres.password');
  t.equal((await stat(passwordFile)).mode & 0o777, 0o600);
  t.equal(await ask(server, `select current_setting('listen_addresses') as answer`), '127.0.0.1');
  t.equal(await ask(server, `select current_setting('unix_socket_directories') as answer`), '');
  const stranger = new URL(server.url);
  stranger.password = 'guess';
  const sql = openPostgres({ url: stranger.href, applicationName: 'test', connectionCount: 1 });
  await t.rejects(sql`select 1`, /password authentication failed/);
  await sql.end();
  await server.stop();
});

t.test('of its processes one is the postmaster, which hears what is asked of all', async (t) => {
  const folder = await makeDataDirectory(t);
  const server = await start(folder);
  await ask(server, 'select 1 as answer');
  const found = (await findFolderProcesses(join(folder, 'postgres'))) ?? [];
  t.ok(found.length > 3, 'it has children');
  const postmasters = found.filter(({ isPostmaster }) => isPostmaster);
  t.same(
    postmasters.map(({ pid }) => pid),
    [server.pid],
  );
  await server.stop();
});

t.test('one that a killed Quire left running is adopted', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  const events: string[] = [];
  const adopter = await start(folder, events);
  t.equal(adopter.pid, left.pid);
  t.match(events, [/adopted/]);
  await adopter.stop();
  await left.stop();
});

t.test('one that runs with other settings is stopped cleanly and started again', async (t) => {
  const folder = await makeDataDirectory(t);
  const left = await startUnwatched(folder);
  await ask(left, 'create table kept as select 5 as answer');
  await ask(left, `alter role quire set "quire.launch" = 'of an older Quire'`);
  const events: string[] = [];
  const second = await start(folder, events);
  t.not(second.pid, left.pid);
  t.notOk(await isRunning(left.pid));
  t.same(events, []);
  t.equal(await ask(second, 'select answer from kept'), 5);
  await second.stop();
  await left.stop();
});

t.test('a postmaster.pid of a dead process does not stand in the way', async (t) => {
  const folder = await makeDataDirectory(t);
  const killed = await start(folder);
  await ask(killed, 'create table kept as select 7 as answer');
  const pidFile = await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8');
  await killed.stop();
  await writeFile(join(folder, 'postgres/postmaster.pid'), pidFile);
  const second = await start(folder);
  t.equal(await ask(second, 'select answer from kept'), 7);
  await second.stop();
});

t.test('a postmaster.pid whose pid now is another program does not either', async (t) => {
  const folder = await makeDataDirectory(t);
  const first = await start(folder);
  const path = join(folder, 'postgres/postmaster.pid');
  const pidFile = await readFile(path, 'utf8');
  await first.stop();
  await writeFile(path, pidFile.replace(/^\d+/, String(process.pid)));
  const second = await start(folder);
  t.not(second.pid, process.pid);
  await second.stop();
});

t.test('a start that was cut off in initdb is begun anew', async (t) => {
  const folder = await makeEmptyDirectory(t);
  await mkdir(join(folder, 'postgres.new/base'), { recursive: true });
  await writeFile(join(folder, 'postgres.new/PG_VERSION'), '18\n');
  const server = await start(folder);
  t.equal(await ask(server, 'select 1 as answer'), 1);
  await server.stop();
});

t.test('data of another major version is refused with what to do', async (t) => {
  const folder = await makeDataDirectory(t);
  const server = await start(folder);
  await server.stop();
  await writeFile(join(folder, 'postgres/PG_VERSION'), '15\n');
  await t.rejects(start(folder), { message: /PostgreSQL 15.*pg_dump/ });
});

t.test('when it is killed while we run, it comes back on the same address', async (t) => {
  const folder = await makeDataDirectory(t);
  const events: string[] = [];
  const server = await start(folder, events);
  await ask(server, 'create table kept as select 3 as answer');
  const killedPid = server.pid;
  process.kill(killedPid, 'SIGKILL');
  while (server.pid === killedPid) await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(await ask(server, 'select answer from kept'), 3);
  t.match(events, [/is gone/]);
  await server.stop();
});

t.test('library links that npm did not make are restored', async (t) => {
  const { folder } = await findBinaries();
  const link = join(folder, 'lib/libpq.so');
  const before = await stat(link);
  await rename(link, `${link}.aside`);
  await findBinaries();
  t.equal((await stat(link)).ino, before.ino);
  await rm(`${link}.aside`);
});

t.test('a folder that only root may enter is no obstacle to root', async (t) => {
  if (process.getuid?.() !== 0) return t.pass('an ordinary user owns what it enters');
  const closed = await makeTemporaryFolder(t);
  await run('chmod', ['700', closed]);
  const folder = join(closed, 'data');
  await mkdir(folder);
  const server = await start(folder);
  t.equal(await ask(server, 'select 1 as answer'), 1);
  t.equal((await stat(join(folder, 'postgres'))).uid === 0, false);
  await server.stop();
  return undefined;
});
