import t from 'tap';

import { hashKeyBytes, hashKeyWords, useHashKey } from '../../workers/hash-key.ts';
import { Book } from '../fuzz/book.ts';
import { makeRound } from '../fuzz/round.ts';
import { mutationOf, type Step } from '../fuzz/step.ts';
import { caseCount } from '../support/case-count.ts';
import { testSeed } from '../support/test-seed.ts';

/** The key of the hash tables shows nowhere: not in values, not in changes, not in what work costs. */

const keys = [0, 1, 2].map((first) =>
  Uint8Array.from({ length: hashKeyBytes }, (_, index) => (first * 91 + index * first * 57) & 255),
);

/** All that can be seen of a book after each edit, as text. */
function seenOf(steps: readonly Step[]): string[] {
  const book = new Book(Infinity);
  const seen: string[] = [];
  book.kernel.watchChanges(true);
  for (const mutation of steps.map(mutationOf)) {
    book.apply([mutation]);
    book.calculate();
    const changed: unknown[] = [];
    book.kernel.readChanges('computed', 1_000, (cell) => changed.push(cell));
    const { evaluated, usedBytes } = book.kernel.statistics();
    seen.push(JSON.stringify([[...book.values()], changed, evaluated, usedBytes]));
  }
  return seen;
}

t.test('values are the same whatever the key is', async (t) => {
  for (let index = 0; index < caseCount(20); index++) {
    const { seed, steps } = makeRound(testSeed + index);
    const [first, ...others] = keys.map((key) => {
      useHashKey(key);
      return seenOf(steps);
    });
    for (const other of others) if (!t.same(other, first, `seed ${seed}`)) return;
  }
});

t.test('the fuel that a calculation takes is the same whatever the key is', async (t) => {
  // Many rows of one key and few of others, above a range that begins further down.
  const inputs = Array.from({ length: 3_000 }, (_, row) => (row % 3 ? `t${row}` : 'same'));
  const formulas = Array.from({ length: 400 }, (_, row) => {
    const from = 1 + (row % 50) * 20;
    return { formula: `=MATCH("same",A$${from}:A$3000,0)+COUNTIF(A$${from}:A$3000,"t${row}")` };
  });
  const stops = keys.map((key) => {
    useHashKey(key);
    const book = new Book(Infinity);
    const { kernel } = book;
    kernel.apply([
      { kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 },
      { kind: 'column', sheet: 1, row: 0, column: 0, inputs },
      { kind: 'column', sheet: 1, row: 0, column: 1, inputs: formulas },
      { kind: 'cell', sheet: 1, row: 0, column: 2, input: { formula: '=ROWS(UNIQUE(A1:A3000))' } },
    ]);
    const done: number[] = [];
    const clock = { clockSerial: 46_000, seedHigh: 1, seedLow: 2 };
    for (let isDone = false; !isDone;) {
      isDone = kernel.recalculate(clock, 400);
      done.push(kernel.statistics().evaluated);
    }
    return done;
  });
  t.ok((stops[0]?.length ?? 0) > 5, 'it takes some calls');
  t.same(stops[1], stops[0]);
  t.same(stops[2], stops[0]);
});

t.test('a key has 128 bits, all of which count', async (t) => {
  t.throws(() => useHashKey(new Uint8Array(15)), RangeError);
  useHashKey(Uint8Array.from({ length: hashKeyBytes }, (_, index) => index));
  t.same(hashKeyWords(), [0x0001_0203, 0x0405_0607, 0x0809_0a0b, 0x0c0d_0e0f]);
});
