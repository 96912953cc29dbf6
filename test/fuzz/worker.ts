import { parentPort, workerData } from 'node:worker_threads';

import { checkSteps } from './check-steps.ts';
import type { Fault } from './fault.ts';
import { makeRound } from './round.ts';
import { shrink } from './shrink.ts';
import { stepText, type Step } from './step.ts';

/** Work that a worker is started with: a seed to go on from, or one case to look at. */
export type Work =
  | { readonly from: number; readonly count: number; readonly beat: Int32Array }
  | { readonly steps: readonly Step[]; readonly leaks: boolean };

export type Message =
  | { readonly done: number }
  | { readonly seed: number; readonly fault: Fault; readonly smallest: readonly string[] };

const shrinkMilliseconds = 60_000;
/** About twice what the fuel of a cell takes. */
const callMillisecondsMost = 2_000;

if (parentPort === null) throw new Error('this is a worker of test/fuzz/main.ts');
const port = parentPort;
const work = workerData as Work;
if ('steps' in work) {
  checkSteps(work.steps, { leaks: work.leaks, callMillisecondsMost });
  port.postMessage({ done: 1 } satisfies Message);
} else await runRounds(work.from, work.count, work.beat);

/** `beat` holds the number of checks and the seed, so that the watchdog sees where it stands. */
async function runRounds(from: number, count: number, beat: Int32Array): Promise<void> {
  for (let seed = from; seed < from + count; seed++) {
    Atomics.store(beat, 1, seed);
    Atomics.add(beat, 0, 1);
    const { steps, leaks } = makeRound(seed);
    const depth = { leaks, callMillisecondsMost };
    const fault = checkSteps(steps, depth);
    if (fault === undefined) continue;
    const isSame = (fewer: readonly Step[]): boolean => {
      Atomics.add(beat, 0, 1);
      return checkSteps(fewer, depth)?.kind === fault.kind;
    };
    const smallest = await shrink(steps, isSame, performance.now() + shrinkMilliseconds);
    const shown = checkSteps(smallest, depth) ?? fault;
    const message: Message = { seed, fault: shown, smallest: smallest.map(stepText) };
    port.postMessage(message);
  }
  port.postMessage({ done: count } satisfies Message);
}
