import t from 'tap';

import { untilAnswered } from '../../../server/storage/pulse.ts';

/** The pulse tells a silent database from a process that has no time for its answer. */

/** Time that goes on by as much as each timer is late. */
function timersThatTake(milliseconds: number) {
  let passed = 0;
  const after = (_wanted: number, run: () => void): (() => void) => {
    const timer = setImmediate(() => {
      passed += milliseconds;
      run();
    });
    return () => clearImmediate(timer);
  };
  return { environment: { after, now: () => passed }, passed: () => passed };
}

t.test('a database that answers nothing for four seconds is silent', async (t) => {
  const { environment, passed } = timersThatTake(250);
  const never = new Promise(() => undefined);
  await t.rejects(untilAnswered(never, environment), { message: /no answer/u });
  t.equal(passed(), 4_000);
});

t.test('a busy thread, whose timers are a little late, waits no longer for that', async (t) => {
  const { environment, passed } = timersThatTake(400);
  const never = new Promise(() => undefined);
  await t.rejects(untilAnswered(never, environment), { message: /no answer/u });
  t.equal(passed(), 4_000);
});

t.test('a thread that is held for seconds takes its answer all the same', async (t) => {
  const { environment, passed } = timersThatTake(3_000);
  const answer = new Promise<void>((resolve) => {
    const look = (): void => {
      if (passed() >= 12_000) resolve();
      else setImmediate(look);
    };
    look();
  });
  await untilAnswered(answer, environment);
  t.ok(passed() >= 12_000, `${passed()} ms went by`);
});

t.test('a connection that is refused is told at once', async (t) => {
  const { environment, passed } = timersThatTake(250);
  const refused = Promise.reject(new Error('refused'));
  await t.rejects(untilAnswered(refused, environment), { message: 'refused' });
  t.equal(passed(), 0);
});
