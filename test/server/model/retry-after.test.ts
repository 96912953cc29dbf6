import t from 'tap';

import { retryAfterSeconds } from '../../../server/model/retry-after.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const day = 24 * 3_600;

t.test('seconds and dates are read, a day at most', async (t) => {
  const cases: [string, number][] = [
    ['120', 120],
    [' 120 ', 120],
    ['0', 0],
    ['9999999999', day],
    ['9'.repeat(400), day],
    ['Sun, 01 Mar 2026 12:10:00 GMT', 600],
    ['Sun, 01 Mar 2026 11:50:00 GMT', 0],
    ['Sun, 01 Mar 2037 12:00:00 GMT', day],
  ];
  for (const [header, seconds] of cases) t.equal(retryAfterSeconds(header, now), seconds, header);
});

t.test('what nobody can read asks for nothing', async (t) => {
  const unreadable = [undefined, '', '-1', '1.5', '1e3', 'soon', '2026-03-02', '0x10'];
  const dates = ['Sun, 99 Mar 2026 12:10:00 GMT', 'Xxx, 01 Xxx 2026 12:10:00 GMT'];
  for (const header of [...unreadable, ...dates]) {
    t.equal(retryAfterSeconds(header, now), 0, header ?? 'none');
  }
});
