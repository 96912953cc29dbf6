import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { MasterKey } from '../../../server/identity/master-key.ts';
import { writeKeyFile } from '../../../server/storage/key-file.ts';
import { readSeeds } from '../../../server/tlog/service/signing-keys.ts';
import { realEnvironment } from '../../support/edge-server.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

// Processes that start at the same time on one DATA_DIR have the same keys.

const starts = 16;

t.test('of several that make the key of the log one wins, and all have it', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'keys/tlog.key');
  const read = Array.from({ length: starts }, () => readSeeds(path, realEnvironment));
  const seeds = await Promise.all(read);
  t.equal(new Set(seeds.map(([seed]) => Buffer.from(seed ?? []).toString('hex'))).size, 1);
  t.same(seeds[0], await readSeeds(path, realEnvironment), 'and so has the next start');
});

t.test('so it is with the key of the identity service', async (t) => {
  const path = join(await makeTemporaryFolder(t), 'identity.key');
  const opened = Array.from({ length: starts }, () => MasterKey.open(path, realEnvironment));
  const keys = await Promise.all(opened);
  t.equal(new Set(keys.map((key) => key.derive('test').toString('hex'))).size, 1);
});

t.test('a file that is there stays, for its owner alone, and no draft is left', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const path = join(folder, 'one.key');
  await writeKeyFile(path, 'first', realEnvironment);
  await writeKeyFile(path, 'second', realEnvironment);
  t.equal(await readFile(path, 'utf8'), 'first');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.same(await readdir(folder), ['one.key']);
});
