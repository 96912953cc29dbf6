import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { createFormulas } from '../../server/compute/formulas.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { mainProgram } from '../support/service-process.ts';
import { CrashLoop } from './crash-loop.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    writers: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const roundCount = Number(values.rounds);
process.stdout.write(`${roundCount} rounds, ${values.writers} writers, --seed ${values.seed}\n`);

const dataDirectory = await mkdtemp(join(await realpath(tmpdir()), 'quire-crash-'));
await chmod(dataDirectory, 0o711);
const endings: (() => unknown)[] = [];
const started = performance.now();
try {
  const report = await CrashLoop.run(
    {
      dataDirectory,
      program: mainProgram,
      formulas: createFormulas(),
      random: new SeededRandom(Number(values.seed)),
      writerCount: Number(values.writers),
      cleanup: { teardown: (action) => endings.push(action) },
    },
    roundCount,
    (round) => {
      if (round % 10 === 0) process.stdout.write(`round ${round}\n`);
    },
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${JSON.stringify({ ...report, seconds })}\n`);
  if (report.faults.length > 0) process.exitCode = 1;
} finally {
  for (const end of endings.toReversed()) await end();
  await rm(dataDirectory, { recursive: true, force: true });
}
