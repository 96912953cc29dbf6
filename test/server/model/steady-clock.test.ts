import t from 'tap';
import { SteadyClock } from '../../../server/model/steady-clock.ts';

t.test('time passes evenly, whatever is done to the clock of the wall', (t) => {
  let wall = 1_000_000;
  let even = 40;
  const clock = new SteadyClock({ wall: () => wall, even: () => even });
  const pass = (milliseconds: number, set = 0): number => {
    const before = clock.elapsed();
    wall += milliseconds + set;
    even += milliseconds;
    return clock.elapsed() - before;
  };
  t.equal(pass(1_000), 1_000);
  t.equal(pass(1_000, -3_600_000), 1_000, 'set back by an hour');
  t.equal(pass(1_000), 1_000);
  t.equal(pass(1_000, 3_600_000), 3_601_000, 'set ahead, or the machine was suspended');
  t.equal(pass(1_000, -20), 1_000, 'corrected by little');
  for (let count = 0; count < 100; count++) pass(10, count % 2 === 0 ? 1 : -1);
  t.equal(pass(1_000), 1_000, 'rounded up and down');
  t.end();
});
