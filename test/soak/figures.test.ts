import t from 'tap';

import { growthIn, type Figures } from './figures.ts';

function samples(figure: keyof Figures, valueAt: (at: number) => number): Figures[] {
  const still = { heapBytes: 80e6, residentBytes: 200e6, handles: 40, sockets: 100, rooms: 10 };
  return Array.from({ length: 90 }, (_, at) => ({ ...still, [figure]: valueAt(at) }));
}

t.test('a leak is told from garbage that waits', async (t) => {
  t.same(growthIn(samples('heapBytes', (at) => 80e6 + (at % 7) * 20e6)), []);
  t.same(growthIn(samples('heapBytes', (at) => 80e6 + Math.min(at, 25) * 2e6)), [], 'warming up');
  t.equal(growthIn(samples('heapBytes', (at) => 80e6 + at * 1e6)).length, 1);
  t.equal(growthIn(samples('handles', (at) => 40 + at)).length, 1);
});
