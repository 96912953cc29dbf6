import t from 'tap';
import { Mutex } from '../../../server/values/mutex.ts';

t.test('work is done one after the other, whatever becomes of it', async (t) => {
  const mutex = new Mutex();
  const order: string[] = [];
  const work = (name: string, milliseconds: number) =>
    mutex.run(async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      order.push(`${name} ends`);
      if (name === 'b') throw new Error('b failed');
      return name;
    });
  const results = await Promise.allSettled([work('a', 20), work('b', 5), work('c', 0)]);
  t.same(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.equal(mutex.isBusy, false);
});
