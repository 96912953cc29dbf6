import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { makeDataDirectory } from '../support/embedded-cluster.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { MatchesCrash, type Victim, type Way } from './matches-crash.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
process.stdout.write(`${values.rounds} rounds, --seed ${values.seed}\n`);
const turns: readonly (readonly [Way, Victim])[] = [
  ['local', 'process'],
  ['remote', 'process'],
  ['local', 'database'],
  ['remote', 'database'],
];
const endings: (() => unknown)[] = [];
const cleanup = { teardown: (action: () => unknown) => void endings.push(action) };
const random = new SeededRandom(Number(values.seed));
const started = performance.now();
const end = started + Number(values.minutes) * 60_000;
try {
  const crash = await MatchesCrash.start(cleanup, await makeDataDirectory(cleanup));
  const { kills, faults } = crash;
  for (let round = 0; round < Number(values.rounds) && faults.length === 0; round++) {
    if (performance.now() > end) break;
    const [way, victim] = turns[round % turns.length] ?? ['local', 'process'];
    await crash.round(way, victim, random.next());
    if (round % 10 === 9) process.stdout.write(`${JSON.stringify({ kills, faults })}\n`);
  }
  await crash.stop();
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(`${JSON.stringify({ kills, faults, seconds })}\n`);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  for (const action of endings.toReversed()) await action();
}
