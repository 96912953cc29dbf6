import t from 'tap';

import { FormulaDouble } from '../support/formula-double.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { doubleProgram } from '../support/service-process.ts';
import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { testSeed } from '../support/test-seed.ts';
import { CrashLoop } from './crash-loop.ts';

/** Runs long: the process is killed again and again. */

t.test('nothing that was acknowledged is lost, moved or doubled by kill -9', async (t) => {
  const seed = testSeed;
  t.comment(`seed ${seed}`);
  const report = await CrashLoop.run(
    {
      dataDirectory: await makeDataDirectory(t),
      program: doubleProgram,
      formulas: new FormulaDouble(),
      random: new SeededRandom(seed),
      writerCount: 6,
      cleanup: t,
    },
    3,
  );
  t.comment(JSON.stringify(report));
  t.same(report.faults, []);
  t.ok(report.acknowledgedCount > 20);
});
