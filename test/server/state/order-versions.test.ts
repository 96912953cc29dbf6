import * as fc from 'fast-check';
import t from 'tap';

import {
  genesisOrder,
  orderFromSpans,
  pushSpan,
  type Order,
} from '../../../server/state/ids/order.ts';
import { caseCount } from '../../support/case-count.ts';
import { OrderModel } from '../../support/order-model.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const modelCount = 3_000;
/** Rows that an edit may reach: the list has to be longer, whatever was deleted. */
const reach = 600;

type Edit = readonly ['insert' | 'delete' | 'restore' | 'move', number, number, number];

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('insert', 'insert', 'delete', 'restore', 'move'),
  fc.nat(reach),
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.nat(reach / 4)),
  fc.nat(reach),
);

function apply(model: OrderModel, order: Order, [kind, at, count, other]: Edit, sequence: number) {
  if (kind === 'insert') return model.insert(order, at, sequence, count);
  if (kind === 'delete') return model.delete(order, at, count);
  if (kind === 'restore') return model.restore(order, at, count);
  return model.move(order, at, count, other);
}

/** The order of a model whose first rows stand one by one in an order that looks random. */
function shuffled(model: OrderModel, seed: number): Order {
  const random = new SeededRandom(seed);
  for (let at = reach; at > 1; at--) {
    const [taken = 0] = model.ids.splice(random.between(0, at - 1), 1);
    model.ids.splice(at - 1, 0, taken);
  }
  const rest = { branch: 0, sequence: 0, offset: model.ids.length, length: Infinity };
  return orderFromSpans([...model.spansAt(0, model.ids.length), rest]);
}

t.test('each of many versions stays what it was', async () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 120 }), fc.nat(), (edits, seed) => {
      const model = new OrderModel(modelCount);
      let order = seed % 2 === 0 ? genesisOrder : shuffled(model, seed);
      const versions = [{ model: model.copy(), order }];
      for (const [index, one] of edits.entries()) {
        order = apply(model, order, one, index + 1);
        if (index % 20 === 0) versions.push({ model: model.copy(), order });
      }
      for (const version of [...versions, { model, order }]) {
        version.model.ids.length = reach;
        version.model.check(version.order);
      }
    }),
    { numRuns: caseCount(60) },
  );
});

t.test('pieces and parts are those of the list', async () => {
  fc.assert(
    fc.property(
      fc.array(edit, { maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(60), fc.nat(reach), fc.nat(reach)), { maxLength: 20 }),
      fc.nat(),
      (edits, questions, seed) => {
        const model = new OrderModel(modelCount);
        let order = seed % 2 === 0 ? genesisOrder : shuffled(model, seed);
        for (const [index, one] of edits.entries()) {
          order = apply(model, order, one, index + 1);
        }
        for (const [sequence, offset, length] of questions) {
          const run = sequence > edits.length ? 0 : sequence;
          const branch = run === 0 ? 0 : 1 + (run % 3);
          model.checkPieces(order, { branch, sequence: run, offset, length });
          const parts = JSON.stringify(order.spansAt(offset, length));
          if (parts !== JSON.stringify(model.spansAt(offset, length))) throw new Error('parts');
        }
      },
    ),
    { numRuns: caseCount(60) },
  );
});

t.test('equal contents have equal texts and spans however they were reached', async () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 80 }), fc.nat(), (edits, seed) => {
      const model = new OrderModel(modelCount);
      let order = seed % 2 === 0 ? genesisOrder : shuffled(model, seed);
      for (const [index, one] of edits.entries()) order = apply(model, order, one, index + 1);
      const built = orderFromSpans(order.spans());
      if (built.text !== order.text) throw new Error('the text of the spans is another');
      // Row by row, the joins included.
      const singles = order.spansAt(0, 2 * reach).flatMap((span) =>
        Array.from({ length: span.length }, (_, k) => ({
          ...span,
          offset: span.offset + k,
          length: 1,
        })),
      );
      const refilled = order.delete(0, 2 * reach).insert(0, singles);
      if (refilled.text !== order.text) throw new Error('the text after a refill is another');
      const chunks = (one: Order) => JSON.stringify([...one.chunks()]);
      if (chunks(refilled) !== chunks(order)) throw new Error('the chunks are others');
      if (refilled.spanCount !== order.spanCount) throw new Error('the count is another');
      const joined: Parameters<typeof pushSpan>[0] = [];
      for (const span of order.spans()) pushSpan(joined, span);
      if (joined.length !== order.spanCount) throw new Error('a span continues another');
    }),
    { numRuns: caseCount(60) },
  );
});

for (const [name, place] of [
  ['before one row', () => 500],
  ['each after the last', (edit: number) => 500 + edit],
  ['at the top', () => 0],
  ['now here, now there', (edit: number) => (edit % 2 === 0 ? 500 : 500 + edit)],
] as const) {
  t.test(`six thousand rows come in ${name} and go again`, async (t) => {
    const model = new OrderModel(1_000);
    let order = genesisOrder;
    const versions: { order: Order; model: OrderModel }[] = [];
    for (let edit = 0; edit < 6_000; edit++) {
      order = model.insert(order, place(edit), edit + 1, 1);
      if (edit % 1_500 === 0) versions.push({ order, model: model.copy() });
    }
    model.check(order);
    versions.push({ order, model: model.copy() });
    for (let edit = 5_999; edit >= 0; edit--) {
      order = model.delete(order, place(edit), 1);
      if (edit % 1_500 === 0) versions.push({ order, model: model.copy() });
    }
    for (const version of versions) version.model.check(version.order);
    t.equal(order.text, genesisOrder.text);
    t.equal(order.spanCount, 1);
  });
}

t.test('rows that were dealt out come together again, move by move', async (t) => {
  const half = 2_000;
  const model = new OrderModel(2 * half);
  const even = model.ids.filter((id) => id % 2 === 0);
  model.ids.splice(0, 2 * half, ...even, ...even.map((id) => id + 1));
  const rest = { branch: 0, sequence: 0, offset: 2 * half, length: Infinity };
  let order = orderFromSpans([...model.spansAt(0, 2 * half), rest]);
  const seed = 5;
  const random = new SeededRandom(seed);
  const rows = even.map((id) => ({ id: id + 1, chance: random.next() }));
  for (const [index, { id }] of rows.sort((a, b) => a.chance - b.chance).entries()) {
    const from = model.ids.indexOf(id);
    order = model.move(order, from, 1, model.ids.indexOf(id - 1) + 1);
    if (index % 100 === 0) model.check(order);
  }
  t.equal(order.text, genesisOrder.text);
});

t.test('a long life loses and doubles no id', async (t) => {
  const seed = 20_260_801;
  t.comment(`seed ${seed}`);
  const random = new SeededRandom(seed);
  const model = new OrderModel(20_000);
  let order = genesisOrder;
  for (let edit = 1; edit <= 6_000; edit++) {
    const at = random.between(0, 9_000);
    const chance = random.next();
    if (chance < 0.5) order = model.insert(order, at, edit, random.between(1, 3));
    else if (chance < 0.7) order = model.delete(order, at, random.between(1, 3));
    else if (chance < 0.9) order = model.move(order, at, random.between(1, 5), at ^ 1_023);
    else if (chance < 0.99) order = model.restore(order, at, random.between(1, 9));
    else order = model.delete(order, at, random.between(50, 400));
    if (edit % 1_000 === 0) model.check(order);
  }
  t.ok(order.spanCount > 4_000, `${order.spanCount} spans`);
  const half = model.copy();
  const before = order;
  order = model.delete(order, 100, 12_000);
  model.check(order);
  order = model.restore(order, 50, 12_000);
  model.check(order);
  half.check(before);
});

t.test('what cannot be is refused', async (t) => {
  const run = { branch: 1, sequence: 4, offset: 0, length: 3 };
  const order = genesisOrder.insert(5, [run]);
  const again = [{ ...run, offset: 2, length: 9 }];
  t.throws(() => order.insert(0, again), { message: '1.4.2 is there already' });
  t.throws(
    () =>
      order.insert(0, [
        { ...run, offset: 9 },
        { ...run, offset: 11 },
      ]),
    {
      message: '1.4.11 is there twice',
    },
  );
  t.throws(() => order.insert(0, [{ ...run, offset: 9, length: Infinity }]), RangeError);
  t.throws(() => order.idAt(-1), RangeError);
  t.throws(() => order.idAt(Infinity), RangeError);
  t.throws(() => order.delete(3, Infinity), RangeError);
  t.throws(() => orderFromSpans([run]), RangeError);
  t.throws(() => orderFromSpans([run, ...order.spans()]), { message: '1.4.0 is there twice' });
  t.equal(order.insert(3, []), order);
  t.equal(order.delete(3, 0), order);
  t.strictSame(order.piecesOf({ ...run, length: 0 }), []);
});
