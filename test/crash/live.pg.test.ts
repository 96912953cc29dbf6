import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { testSeed } from '../support/test-seed.ts';
import { LiveCrash } from './live-crash.ts';

/** Runs long: processes start, pause and die. */
t.test('clients end with the state of the service, whichever process dies or pauses', async (t) => {
  const settings = await sharedSettings(t);
  const folder = await makeTemporaryFolder(t);
  const loop = await LiveCrash.start({ cleanup: t, settings, folder });
  t.comment(`seed ${testSeed}`);
  await loop.round(testSeed, caseCount(2));
  await loop.stop();
  t.comment(JSON.stringify(loop.report));
  t.same(loop.report.faults, []);
  t.ok(loop.report.operations > 0);
});
