import t from 'tap';

import { Admission } from '../../../server/matches/reconciliation/admission.ts';
import { reconciliationLimits as limits } from '../../../server/matches/reconciliation/limits.ts';

t.test('a link is asked so often a minute, however many links there are', async (t) => {
  let now = 0;
  const admission = new Admission('on', () => now);
  for (let n = 0; n < limits.requestsPerMinute; n++) {
    await admission.run('rec_a', () => Promise.resolve());
  }
  await t.rejects(
    admission.run('rec_a', () => Promise.resolve()),
    { code: 'rate_limited', extra: { retry_after: 1 } },
  );
  await admission.run('rec_b', () => Promise.resolve());
  now = 60_000;
  t.equal(await admission.run('rec_a', () => Promise.resolve(7)), 7);
});

t.test('a link is asked so many times at once, and one that fails makes room', async (t) => {
  const admission = new Admission('on', () => 0);
  const ends: ((error?: Error) => void)[] = [];
  const running = Array.from({ length: limits.requestsAtOnce }, () =>
    admission.run(
      'rec_a',
      () => new Promise<void>((resolve, reject) => ends.push((e) => (e ? reject(e) : resolve()))),
    ),
  );
  await t.rejects(
    admission.run('rec_a', () => Promise.resolve()),
    { code: 'too_many_concurrent' },
  );
  ends[0]?.(new Error('lost'));
  await t.rejects(running[0] ?? Promise.resolve(), /lost/);
  t.equal(await admission.run('rec_a', () => Promise.resolve(7)), 7);
  for (const end of ends) end();
  await Promise.all(running.slice(1));
});
