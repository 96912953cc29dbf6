import { pathToFileURL } from 'node:url';
import t from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { openObjects } from '../../../server/storage/objects.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { testSeed } from '../../support/test-seed.ts';
import { testObjects } from './objects-suite.ts';

const seed = testSeed;
t.comment(`seed ${seed}`);

t.test('a folder is a store of objects', async (t) => {
  await testObjects(
    t,
    async (t) => {
      const url = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
      return { open: () => openObjects(url, realEnvironment) };
    },
    { seed, historyCount: 60 },
  );
});

t.test('an address that names no store is refused', async (t) => {
  await t.rejects(openObjects('ftp://bucket/x', realEnvironment), /file: or s3:/);
});
