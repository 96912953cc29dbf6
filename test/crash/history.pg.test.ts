import t from 'tap';

import { someOf } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { HistoryCrash, keeperPlaces, requestPlaces } from './history-crash.ts';
import type { RequestKind, RequestPlace } from './history-crash.ts';

/** Places of each request; `npm run crash` kills it at all of them. Runs long. */
const someCount = 2;

t.test('a kill -9 while history is stored or trimmed loses nothing', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  const crash = await HistoryCrash.start({
    dataDirectory: await makeDataDirectory(t),
    random,
    cleanup: t,
  });
  for (const kind of Object.keys(requestPlaces) as RequestKind[]) {
    for (const place of someOf<RequestPlace>(requestPlaces[kind], someCount, random)) {
      await crash.requestAt(kind, place);
      t.same(crash.faults, [], `${kind} at ${place}`);
    }
  }
  await crash.wakeKeeper();
  t.same(crash.faults, [], 'kept');
  for (const place of someOf(keeperPlaces, someCount, random)) {
    await crash.keepAt(place);
    t.same(crash.faults, [], `keeper at ${place}`);
  }
  await crash.checkAll();
  t.same(crash.faults, [], 'later');
  await crash.stop();
});
