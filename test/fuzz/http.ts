import { randomInt } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { readFunctionTable } from '../support/function-table.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { Choice } from './choice.ts';
import { FormulaMaker } from './formula-maker.ts';
import { formulasOf, differencesOf } from './http-round.ts';
import { HttpWorld } from './http-world.ts';

/**
 * Sends formulas through HTTP until the time is over, and compares what a warm model, a cold one
 * and an imported export say of them: `npm run fuzz-http -- --minutes 10 [--seed 1]`. It starts a
 * service of its own, with a PostgreSQL of its own, and starts it again in every round.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(randomInt(2 ** 30)) },
    workbooks: { type: 'string', default: '6' },
  },
});

const faultsMost = 25;
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const deadline = performance.now() + Number(values.minutes) * 60_000;
const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-fuzz-'));
const functions = readFunctionTable();
let seed = Number(values.seed);
let formulaCount = 0;
let faultCount = 0;

say(`from --seed ${seed} on, ${values.minutes} minutes`);
try {
  const world = await HttpWorld.open(folder);
  while (performance.now() < deadline && faultCount < faultsMost) await round(world);
  await world.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
say(`${formulaCount} formulas, ${faultCount} faults`);
if (faultCount > 0) process.exitCode = 1;

/** Several workbooks are written, the service starts again, and all of them are read. */
async function round(world: HttpWorld): Promise<void> {
  const books = [];
  for (let count = Number(values.workbooks); count > 0; count--, seed++) {
    const choice = new Choice(new SeededRandom(seed));
    const texts = formulasOf(choice, new FormulaMaker(choice, functions));
    const book = await world.write(texts);
    formulaCount += book.cells.length;
    books.push({ book, seed });
  }
  await world.restart();
  for (const { book, seed: own } of books) {
    for (const difference of differencesOf(await world.read(book))) {
      faultCount++;
      say(`--seed ${own} --workbooks 1: ${difference}`);
    }
  }
}
