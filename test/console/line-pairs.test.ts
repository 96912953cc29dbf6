import { array, assert, constantFrom, integer, nat, property, record } from 'fast-check';
import t from 'tap';

import { LinePairs, type LineChange } from '../../client/console/diff/line-pairs.ts';
import { Axis } from '../../client/console/grid/geometry.ts';
import { caseCount } from '../support/case-count.ts';
import { testSeed } from '../support/test-seed.ts';

/** Rows of two positions in one order, against lists of lines that are told apart by numbers. */

interface Edit {
  readonly kind: 'insert' | 'delete' | 'move';
  readonly at: number;
  readonly count: number;
  readonly to: number;
}

const edits = array(
  record<Edit>({
    kind: constantFrom('insert', 'delete', 'move'),
    at: nat(30),
    count: integer({ min: 1, max: 4 }),
    to: nat(30),
  }),
  { maxLength: 6 },
);

/** Plays edits on lines; those that are new have numbers from 1,000 on. */
function edited(count: number, steps: readonly Edit[]): { to: number[]; moved: Set<number> } {
  let to = Array.from({ length: count }, (_, line) => line);
  let next = 1_000;
  const moved = new Set<number>();
  for (const { kind, at, count: length, to: target } of steps) {
    const first = Math.min(at, to.length);
    if (kind === 'insert') {
      to.splice(first, 0, ...Array.from({ length }, () => next++));
      continue;
    }
    const taken = to.splice(first, length);
    if (kind === 'delete') continue;
    to = to.toSpliced(Math.min(target, to.length), 0, ...taken);
    for (const line of taken) if (line < 1_000) moved.add(line);
  }
  return { to, moved };
}

/** Tells it as a diff does: each line that came, went or moved, by its numbers from 1. */
function changesOf(count: number, to: readonly number[], moved: Set<number>): LineChange[] {
  const whole = (line: number) => `${line + 1}:${line + 1}`;
  const came = to.flatMap((line, at) =>
    line >= 1_000 ? [{ op: 'rows.insert', at: whole(at) }] : [],
  );
  const gone = Array.from({ length: count }, (_, line) => line)
    .filter((line) => !to.includes(line))
    .map((line) => ({ op: 'rows.delete', at: whole(line) }));
  const others = [...moved]
    .filter((line) => to.includes(line))
    .map((line) => ({ op: 'rows.move', from: whole(line), to: whole(to.indexOf(line)) }));
  return [...gone, ...came, ...others];
}

t.test('every line of both positions is there once, in the order of its position', async (t) => {
  const law = property(integer({ min: 1, max: 20 }), edits, (count, steps) => {
    const { to, moved } = edited(count, steps);
    const pairs = LinePairs.of('rows', { from: count, to: to.length }, changesOf(count, to, moved));
    const all = Array.from({ length: pairs.count }, (_, index) => pairs.pairAt(index));
    t.same(
      all.flatMap((pair) => (pair.to === undefined ? [] : [pair.to])),
      to.map((_, at) => at),
    );
    const stayed = all.filter(({ change }) => change !== 'moved');
    const froms = stayed.flatMap(({ from }) => (from === undefined ? [] : [from]));
    t.same(
      froms,
      froms.toSorted((a, b) => a - b),
    );
    for (const [index, { from, to: at, change }] of all.entries()) {
      if (at !== undefined) {
        const line = to[at] ?? -1;
        t.equal(from, line < 1_000 ? line : undefined);
        t.equal(pairs.indexOf('to', at), index);
      } else {
        t.equal(change, 'removed');
        t.notOk(to.includes(from ?? -1));
      }
      if (from !== undefined) t.equal(pairs.indexOf('from', from), index);
    }
  });
  assert(law, { numRuns: caseCount(100), seed: testSeed });
});

t.test('lines keep the sizes of the position that is shown', async (t) => {
  const pairs = LinePairs.of('cols', { from: 4, to: 4 }, [
    { op: 'cols.delete', at: 'B:B' },
    { op: 'cols.insert', at: 'C:C' },
  ]);
  const from = new Axis(4, 10, [{ from: 1, count: 1, px: 11 }]);
  const to = new Axis(4, 20, [{ from: 2, count: 1, px: 22 }]);
  const sizes = new Axis(pairs.count, 0, pairs.sizes(from, to));
  t.same(
    Array.from({ length: pairs.count }, (_, index) => [
      pairs.pairAt(index).change,
      sizes.sizeOf(index),
    ]),
    [
      [undefined, 20],
      ['removed', 11],
      [undefined, 20],
      ['added', 22],
      [undefined, 20],
    ],
  );
});

t.test('a sheet that is at one position alone has its lines', async (t) => {
  const pairs = LinePairs.of('rows', { from: 1_048_576, to: 0 }, []);
  t.equal(pairs.count, 1_048_576);
  t.same(pairs.pairAt(1_000_000), { from: 1_000_000, to: undefined, change: undefined });
});
