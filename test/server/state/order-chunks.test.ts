import t from 'tap';

import {
  genesisOrder,
  orderFromSpans,
  type IdSpan,
  type Order,
} from '../../../server/state/ids/order.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const rowCount = 200_000;
const insertionCount = 5_000;

function largeOrder(random: SeededRandom): Order {
  let order = genesisOrder;
  for (let sequence = 1; sequence <= insertionCount; sequence++) {
    const run = { branch: 1, sequence, offset: 0, length: random.between(1, 3) };
    order = order.insert(random.between(0, rowCount), [run]);
  }
  return order;
}

function textOf({ branch, sequence, offset, length }: IdSpan): string {
  return `${branch}.${sequence}.${offset}+${length}`;
}

function chunkTexts(order: Order): Set<string> {
  return new Set([...order.chunks()].map((chunk) => chunk.map(textOf).join(' ')));
}

/** How many chunks one set has that another one has not. */
function missing(from: Set<string>, to: Set<string>): number {
  return [...from].filter((chunk) => !to.has(chunk)).length;
}

t.test('chunks are the spans, cut where ids say', async (t) => {
  const order = largeOrder(new SeededRandom(7));
  const chunks = [...order.chunks()];
  t.equal(chunks.flat().map(textOf).join(' '), order.text);
  t.ok(chunks.every((chunk) => chunk.length > 0 && chunk.length <= 512));
  const mean = order.spanCount / chunks.length;
  t.ok(mean > 45 && mean < 90, `${mean} spans a chunk`);
});

t.test('borders are where they always were, for chunks are stored', async (t) => {
  const ids = [0, 1, 2 ** 33].flatMap((offset) =>
    Array.from({ length: 200 }, (_, k) => ({
      branch: k % 5,
      sequence: k < 150 ? k : 2 ** 34 + k,
      offset: offset + 2 * k,
      length: 1,
    })),
  );
  const rest = { branch: 9, sequence: 0, offset: 0, length: Infinity };
  const starts = [...orderFromSpans([...ids, rest]).chunks()].map(([first]) => first);
  t.strictSame(
    starts.map((first) => first && textOf(first)),
    [
      '0.0.0+1',
      '3.48.96+1',
      '2.72.144+1',
      '4.144.288+1',
      '1.81.163+1',
      '2.127.255+1',
      '0.17179869359.351+1',
      '4.39.8589934670+1',
      '0.17179869339.8589934902+1',
      '2.17179869346.8589934916+1',
      '0.17179869349.8589934922+1',
      '3.17179869372.8589934968+1',
    ],
  );
});

t.test('an edit changes one or two chunks', async (t) => {
  const seed = 41;
  const random = new SeededRandom(seed);
  let order = largeOrder(random);
  t.comment(`seed ${seed}, ${order.spanCount} spans`);
  const gone: number[] = [];
  const come: number[] = [];
  let before = chunkTexts(order);
  for (let edit = 0; edit < 100; edit++) {
    const at = random.between(0, rowCount);
    const run = { branch: 2, sequence: edit, offset: 0, length: random.between(1, 50) };
    order = edit % 2 === 0 ? order.insert(at, [run]) : order.delete(at, 1);
    const after = chunkTexts(order);
    gone.push(missing(before, after));
    come.push(missing(after, before));
    before = after;
  }
  t.ok(Math.max(...gone) <= 2, `at most ${Math.max(...gone)} chunks are not there any more`);
  t.ok(Math.max(...come) <= 2, `at most ${Math.max(...come)} chunks are new`);
  const mean = come.reduce((sum, count) => sum + count, 0) / come.length;
  t.ok(mean < 1.2, `${mean} new chunks an edit`);
});

t.test('an edit at the border of two chunks changes these two', async (t) => {
  const order = largeOrder(new SeededRandom(42));
  const before = chunkTexts(order);
  const chunks = [...order.chunks()].slice(0, 30);
  let border = 0;
  let joinedCount = 0;
  for (const [index, chunk] of chunks.entries()) {
    border += chunk.reduce((sum, { length }) => sum + length, 0);
    const next = chunks[index + 1];
    for (const edited of next ? editsAt(order, border, next[0]?.length ?? 0) : []) {
      const after = chunkTexts(edited);
      const [gone, come] = [missing(before, after), missing(after, before)];
      // A chunk of a single span that goes takes its border along.
      const most = next?.length === 1 ? 3 : 2;
      if (gone > most || come > 3) t.fail(`${gone} chunks gone and ${come} come at ${border}`);
      joinedCount += after.size < before.size ? 1 : 0;
    }
  }
  t.ok(joinedCount > 20, `${joinedCount} edits took a border away`);
});

function editsAt(order: Order, border: number, length: number): Order[] {
  return [
    order.insert(border, [{ branch: 2, sequence: 1, offset: 0, length: 1 }]),
    order.delete(border, 1),
    order.delete(border - 1, 1),
    order.delete(border, length),
    order.move(border - 1, 1, border + 1),
  ];
}

t.test('a move changes the chunks at both ends', async (t) => {
  const random = new SeededRandom(43);
  let order = largeOrder(random);
  let before = chunkTexts(order);
  for (let edit = 0; edit < 40; edit++) {
    order = order.move(random.between(0, rowCount), 2, random.between(0, rowCount));
    const after = chunkTexts(order);
    if (missing(before, after) > 4) t.fail(`edit ${edit}: ${missing(before, after)} chunks`);
    before = after;
  }
});

t.test('ids of one run that stand far apart are cut by 512 at the latest', async (t) => {
  const spans = Array.from({ length: 20_000 }, (_, k) => ({
    branch: 0,
    sequence: 0,
    offset: 2 * k,
    length: 1,
  }));
  const rest = { branch: 0, sequence: 0, offset: 40_000, length: Infinity };
  const chunks = [...orderFromSpans([...spans, rest]).chunks()];
  t.ok(chunks.every(({ length }) => length <= 512));
  t.ok(chunks.length > 200 && chunks.length < 450, `${chunks.length} chunks`);
});
