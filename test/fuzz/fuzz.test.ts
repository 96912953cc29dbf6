import t from 'tap';

import { testSeed } from '../support/test-seed.ts';
import { checkSteps } from './check-steps.ts';
import { makeRound } from './round.ts';
import { shrink } from './shrink.ts';
import { stepText, type Step } from './step.ts';

const roundCount = 60;
const shrinkMilliseconds = 20_000;

t.test('formulas of every kind are calculated as they should be', async (t) => {
  for (let seed = testSeed; seed < testSeed + roundCount; seed++) {
    const { steps, leaks } = makeRound(seed);
    const depth = { leaks, callMillisecondsMost: Infinity };
    const fault = checkSteps(steps, depth);
    t.equal(fault?.kind, undefined, `--seed ${seed}`);
    if (fault === undefined) continue;
    const isSame = (fewer: readonly Step[]) => checkSteps(fewer, depth)?.kind === fault.kind;
    const smallest = await shrink(steps, isSame, performance.now() + shrinkMilliseconds);
    t.comment(`${fault.detail}\n${smallest.map(stepText).join('\n')}`);
  }
});
