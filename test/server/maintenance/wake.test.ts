import t from 'tap';

import { Waking, type WakingOptions } from '../../../server/maintenance/wake.ts';
import type { Environment } from '../../../server/model/environment.ts';
import { Failure } from '../../../server/model/failure.ts';
import type { LimitsProfile } from '../../../server/model/limits.ts';
import { failureOf } from '../../support/failure-of.ts';

interface Clock {
  now: number;
  late: (() => void) | undefined;
}

function start(limits: LimitsProfile, read: WakingOptions['branches']['read']) {
  const clock: Clock = { now: 0, late: undefined };
  const environment: Environment = {
    now: () => clock.now,
    elapsed: () => clock.now,
    random: (byteCount) => new Uint8Array(byteCount),
    after: (_delay, action) => {
      clock.late = action;
      return () => undefined;
    },
  };
  const branches: WakingOptions['branches'] = {
    address: async (workbookId) => ({ workbookId, branchNo: 1 }),
    read,
  };
  const models: WakingOptions['models'] = {
    locate: async () => {
      throw new Error('not asked for');
    },
  };
  const reports: unknown[] = [];
  const report = (_step: string, error: unknown): void => void reports.push(error);
  const values = { warm: async () => undefined };
  const waking = new Waking({ branches, models, values, environment, limits, report });
  return { waking, clock, reports };
}

const never = () => new Promise<never>(() => undefined);
const request = { workbookId: 'wb_1', branches: ['main'], warm: [], waitMilliseconds: 100 };

t.test('a workbook is woken six times a minute by one user', async (t) => {
  const { waking, clock } = start('on', never);
  const wake = (userId = 'ann', workbookId = 'wb_1') =>
    failureOf(() => waking.checkRate(workbookId, userId));
  for (let count = 0; count < 6; count++) t.equal(await wake(), undefined);
  t.match(await wake(), { key: 'rateLimited', extra: { retry_after: 10 } });
  t.equal(await wake('ann', 'wb_2'), undefined, 'another workbook');
  t.equal(await wake('bob'), undefined, 'another user');
  clock.now += 10_000;
  t.equal(await wake(), undefined);
  t.equal((await wake())?.key, 'rateLimited');
  const free = start('off', never).waking;
  for (let count = 0; count < 100; count++) free.checkRate('wb_1', 'ann');
});

t.test('what is not loaded in time goes on, and its failure is reported', async (t) => {
  let fail: (reason: unknown) => void = () => undefined;
  const { waking, clock, reports } = start('on', () => {
    return new Promise((_resolve, reject) => {
      fail = reject;
    });
  });
  const answered = waking.wake(request);
  await new Promise((resolve) => setImmediate(resolve));
  clock.late?.();
  t.equal(await answered, undefined);
  fail(new Error('gone'));
  await new Promise((resolve) => setImmediate(resolve));
  t.match(reports, [{ message: 'gone' }]);
});

t.test('a failure in time is the answer', async (t) => {
  const { waking, reports } = start('on', async () => {
    throw new Failure('unavailable');
  });
  t.equal((await failureOf(() => waking.wake(request)))?.key, 'unavailable');
  t.same(reports, []);
  t.equal(waking.lastMilliseconds('wb_1'), null);
});
