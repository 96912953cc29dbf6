import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { takeLockFile } from '../../../server/storage/lock-file.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

t.test('a held lock is refused with the pid of its holder, a released one is free', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'lock');
  const lock = await takeLockFile(path);
  await t.rejects(takeLockFile(path), { message: new RegExp(`pid ${process.pid}`) });
  await lock.release();
  await (await takeLockFile(path)).release();
});

t.test('the lock of a process that is gone is taken over', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const path = join(folder, 'lock');
  const child = spawn('true');
  await once(child, 'close');
  await writeFile(path, `${child.pid ?? 0} 12345\n`);
  const lock = await takeLockFile(path);
  t.match(await readFile(path, 'utf8'), new RegExp(`^${process.pid} `));
  await lock.release();
  t.same(await readdir(folder), [], 'no drafts are left');
});

t.test('a pid that now belongs to another process does not hold the lock', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'lock');
  await writeFile(path, `${process.ppid} 1\n`);
  await (await takeLockFile(path)).release();
});

t.test('a lock file without sense in it is taken over', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'lock');
  await writeFile(path, '');
  await (await takeLockFile(path)).release();
});

t.test('of many that take a stale lock at once exactly one gets it', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'lock');
  await writeFile(path, '999999999 1\n');
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => takeLockFile(path)));
  t.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
});
