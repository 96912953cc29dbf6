import t from 'tap';

import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { MatchesCrash } from './matches-crash.ts';

/** Runs long: processes and PostgreSQL are killed while matches run. */

t.test('a match whose process or database is killed comes to the same rows', async (t) => {
  const crash = await MatchesCrash.start(t, await makeDataDirectory(t));
  await crash.round('local', 'process', 1 / 3);
  await crash.round('local', 'process', 2 / 3);
  await crash.round('local', 'database', 1 / 2);
  await crash.round('remote', 'process', 1 / 2);
  t.same(crash.faults, []);
  t.same(crash.kills, { process: 3, database: 1 });
  t.equal(await crash.stop(), 0);
});
