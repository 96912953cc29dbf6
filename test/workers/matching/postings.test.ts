import * as fc from 'fast-check';
import t from 'tap';

import { openPostings, Postings, postingsIn } from '../../../workers/kernel-postings.ts';
import { caseCount } from '../../support/case-count.ts';

const rowCount = 12;
const most = 4;
/** Exact in 32 bits, whatever they are added to; of hashed terms some are negative. */
const weight = fc.integer({ min: -8, max: 8 }).map((eighths) => eighths / 8);
const posting = fc.tuple(fc.nat(rowCount - 1), weight);
const query = fc.record({
  below: fc.nat(rowCount),
  block: fc.option(fc.nat(1)),
  lists: fc.array(fc.record({ postings: fc.array(posting, { maxLength: 9 }), weight })),
});
const blocks = Uint32Array.from({ length: rowCount }, (_, row) => row % 2);

type Query = typeof query extends fc.Arbitrary<infer Value> ? Value : never;

/** The rows with the highest sums, lower rows first where sums are equal. */
function plainly({ below, block, lists }: Query): number[] {
  const sums = new Map<number, number>();
  for (const list of lists) {
    for (const [row, own] of list.postings) {
      sums.set(row, Math.fround((sums.get(row) ?? 0) + list.weight * own));
    }
  }
  return [...sums]
    .filter(([row, sum]) => sum > 0 && row < below && (block === null || row % 2 === block))
    .toSorted(([a, left], [b, right]) => right - left || a - b)
    .slice(0, most)
    .map(([row]) => row)
    .toSorted((a, b) => a - b);
}

t.test('the kernel keeps the rows with the highest sums', async (t) => {
  const law = fc.property(fc.array(query, { minLength: 1, maxLength: 4 }), (queries) => {
    const all = queries.flatMap(({ lists }) => lists.flatMap(({ postings }) => postings));
    const memory = openPostings(all.length, rowCount);
    const written = postingsIn(memory);
    for (const [at, [row, own]] of all.entries()) {
      written.rows[at] = row;
      written.weights[at] = own;
    }
    let from = 0;
    for (const one of queries) {
      const postings = new Postings(memory, most, one.block === null ? undefined : blocks);
      for (const list of one.lists) {
        postings.add(from, from + list.postings.length, list.weight);
        from += list.postings.length;
      }
      const kept = postings.best({ below: one.below, block: one.block ?? 0 });
      t.strictSame(
        [...kept].toSorted((a, b) => a - b),
        plainly(one),
      );
      postings.close();
    }
  });
  fc.assert(law, { numRuns: caseCount(60) });
});

t.test('a room is taken until it is closed, and the next finds it clean', async (t) => {
  const memory = openPostings(1, rowCount);
  const { rows, weights } = postingsIn(memory);
  rows[0] = 5;
  weights[0] = 1;
  const first = new Postings(memory, most);
  const second = new Postings(memory, most);
  t.equal(first.add(0, 1, 1), 1);
  t.same([...second.best({ below: rowCount, block: 0 })], []);
  // As a thread that is stopped in the middle of a query leaves it.
  first.close();
  const third = new Postings(memory, most);
  t.same([...third.best({ below: rowCount, block: 0 })], []);
  third.close();
  second.close();
  t.throws(() => new Postings(memory, 2_000), /more than 1024/);
});
