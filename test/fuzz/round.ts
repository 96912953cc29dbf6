import { readFunctionTable } from '../support/function-table.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { Choice } from './choice.ts';
import { WorkbookMaker } from './workbook-maker.ts';
import type { Step } from './step.ts';

/** Building and blanking again and again takes long, so not every round does it. */
const leakEvery = 6;

const functions = readFunctionTable();

export interface Round {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly leaks: boolean;
}

/** Makes the round of a seed. */
export function makeRound(seed: number): Round {
  const choice = new Choice(new SeededRandom(seed));
  return {
    seed,
    steps: new WorkbookMaker(choice, functions).make(),
    leaks: seed % leakEvery === 0,
  };
}
