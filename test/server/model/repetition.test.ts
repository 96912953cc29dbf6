import t from 'tap';

import { realEnvironment } from '../../../server/foundation.ts';
import { Repetition } from '../../../server/model/repetition.ts';

/** Passes that end when they are told to, and a clock whose rests do. */
function repeated() {
  const timers: { delay: number; action: () => void; isCancelled: boolean }[] = [];
  const passes: { end: () => void; fail: (error: Error) => void }[] = [];
  const reports: string[] = [];
  const repetition = new Repetition({
    environment: {
      ...realEnvironment,
      after: (delay, action) => {
        const timer = { delay, action, isCancelled: false };
        timers.push(timer);
        return () => void (timer.isCancelled = true);
      },
    },
    restMilliseconds: 600,
    step: 'tidy',
    pass: () => new Promise((end, fail) => passes.push({ end, fail })),
    report: (step, error) => reports.push(`${step}: ${String(error)}`),
  });
  return { repetition, timers, passes, reports };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('a pass begins a rest after the one before it has ended', async (t) => {
  const { repetition, timers, passes } = repeated();
  repetition.start();
  t.match(timers, [{ delay: 600 }]);
  t.equal(passes.length, 0, 'the first one comes after a rest too');
  timers[0]?.action();
  await settled();
  t.equal(timers.length, 1, 'there is no rest while one runs');
  passes[0]?.end();
  await settled();
  timers[1]?.action();
  t.equal(passes.length, 2);
});

t.test('a pass that fails is reported, and another one comes', async (t) => {
  const { repetition, timers, passes, reports } = repeated();
  repetition.start();
  timers[0]?.action();
  passes[0]?.fail(new Error('no'));
  await settled();
  t.same(reports, ['tidy: Error: no']);
  t.equal(timers.length, 2);
});

t.test('nothing begins once it was stopped', async (t) => {
  const { repetition, timers } = repeated();
  repetition.start();
  await repetition.stop();
  t.match(timers, [{ isCancelled: true }]);
  t.ok(repetition.isStopped);
});

t.test('a stop waits for the pass that runs, which is the last', async (t) => {
  const { repetition, timers, passes } = repeated();
  repetition.start();
  timers[0]?.action();
  let isDone = false;
  const stopping = repetition.stop().then(() => (isDone = true));
  await settled();
  t.notOk(isDone);
  passes[0]?.end();
  await stopping;
  t.equal(timers.length, 1);
});
