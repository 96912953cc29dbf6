import { randomInt } from 'node:crypto';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

import { makeRound } from './round.ts';
import { shrink } from './shrink.ts';
import { stepText, type Step } from './step.ts';
import type { Message, Work } from './worker.ts';

/**
 * Feeds formulas to the kernel until the time is over: `npm run fuzz -- --minutes 10 [--seed 1]`.
 * A fault is shown with its seed and the smallest workbook that has it; `--seed 7 --rounds 1`
 * repeats one. The rounds run in a worker, so that one that hangs can be ended.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '1000000000' },
    seed: { type: 'string', default: String(randomInt(2 ** 30)) },
  },
});

const lookMilliseconds = 100;
/** A check that is the same at so many looks hangs; a process that is stopped does not look. */
const looksMost = 300;
const hangShrinkMilliseconds = 120_000;
const faultsMost = 25;
/** The stack of the serving thread, which evaluates small work itself. */
const resourceLimits = { stackSizeMb: 0.9 };
const program = new URL('worker.js', import.meta.url);

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const deadline = performance.now() + Number(values.minutes) * 60_000;
const first = Number(values.seed);
const last = first + Number(values.rounds);
let next = first;
let faultCount = 0;

say(`from --seed ${first} on, ${values.minutes} minutes`);
while (next < last && !isOver()) await watchWorker();
say(`${next - first} rounds, ${faultCount} faults`);
if (faultCount > 0) process.exitCode = 1;

function isOver(): boolean {
  return performance.now() >= deadline || faultCount >= faultsMost;
}

/** Runs one worker until the time is over, it is done, or it hangs or dies. */
async function watchWorker(): Promise<void> {
  const beat = new Int32Array(new SharedArrayBuffer(8));
  const work: Work = { from: next, count: last - next, beat };
  const worker = new Worker(program, { workerData: work, resourceLimits });
  const end: { error?: Error; isReached: boolean } = { isReached: false };
  worker.on('message', (message: Message) => {
    if ('seed' in message) report(message);
  });
  worker.on('error', (error) => (end.error = error));
  worker.on('exit', () => (end.isReached = true));
  let seen = -1;
  let looks = 0;
  while (!end.isReached && !isOver()) {
    await pause(lookMilliseconds);
    const count = Atomics.load(beat, 0);
    looks = count === seen ? looks + 1 : 0;
    seen = count;
    if (looks > looksMost) break;
  }
  const hangs = !end.isReached && looks > looksMost;
  await worker.terminate();
  const seed = Atomics.load(beat, 1);
  next = seed + 1;
  if (end.error !== undefined) {
    report({ seed, fault: { kind: 'trap', detail: end.error.message }, smallest: [] });
  } else if (hangs) await reportHang(seed);
}

async function reportHang(seed: number): Promise<void> {
  const { steps, leaks } = makeRound(seed);
  const hangs = async (fewer: readonly Step[]): Promise<boolean> => {
    const work: Work = { steps: fewer, leaks };
    const worker = new Worker(program, { workerData: work, resourceLimits });
    const ending = new Promise<boolean>((resolve) => {
      worker.on('exit', () => resolve(false));
      worker.on('error', () => resolve(false));
    });
    const answer = await Promise.race([ending, pause(5_000, true)]);
    await worker.terminate();
    return answer;
  };
  const smallest = await shrink(steps, hangs, performance.now() + hangShrinkMilliseconds);
  const fault = { kind: 'hang', detail: `longer than ${looksMost * lookMilliseconds} ms` } as const;
  report({ seed, fault, smallest: smallest.map(stepText) });
}

function report({ seed, fault, smallest }: Exclude<Message, { done: number }>): void {
  faultCount++;
  say(`--seed ${seed} --rounds 1: ${fault.kind}: ${fault.detail}`);
  for (const line of smallest) say(`    ${line}`);
}
