import * as fc from 'fast-check';
import t from 'tap';

import { genesisOrder, type IdSpan, type Order } from '../../../server/state/ids/order.ts';
import { caseCount } from '../../support/case-count.ts';

type Edit =
  | { kind: 'insert'; at: number; count: number }
  | { kind: 'delete'; at: number; count: number }
  | { kind: 'move'; at: number; count: number; before: number };

const edits = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      at: fc.nat(120),
      count: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({
      kind: fc.constant('delete' as const),
      at: fc.nat(120),
      count: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({
      kind: fc.constant('move' as const),
      at: fc.nat(120),
      count: fc.integer({ min: 1, max: 9 }),
      before: fc.nat(140),
    }),
  ),
  { maxLength: 300 },
);

function applyModel(model: string[], edit: Edit, sequence: number): void {
  if (edit.kind === 'insert') {
    model.splice(edit.at, 0, ...Array.from({ length: edit.count }, (_, k) => `1.${sequence}.${k}`));
    return;
  }
  if (edit.kind === 'move' && edit.before >= edit.at && edit.before <= edit.at + edit.count) return;
  const taken = model.splice(edit.at, edit.count);
  if (edit.kind === 'move') {
    model.splice(edit.before > edit.at ? edit.before - edit.count : edit.before, 0, ...taken);
  }
}

function applyOrder(order: Order, edit: Edit, sequence: number): Order {
  if (edit.kind === 'insert') {
    return order.insert(edit.at, [{ branch: 1, sequence, offset: 0, length: edit.count }]);
  }
  if (edit.kind === 'delete') return order.delete(edit.at, edit.count);
  return order.move(edit.at, edit.count, edit.before);
}

const idText = (id: { branch: number; sequence: number; offset: number }) =>
  `${id.branch}.${id.sequence}.${id.offset}`;

t.test('an order does what a plain list of ids does', async (t) => {
  const length = 5_000;
  fc.assert(
    fc.property(edits, (list) => {
      const model = Array.from({ length }, (_, k) => `0.0.${k}`);
      let order = genesisOrder;
      for (const [index, edit] of list.entries()) {
        applyModel(model, edit, index + 1);
        order = applyOrder(order, edit, index + 1);
      }
      for (let position = 0; position < 400; position++) {
        const id = order.idAt(position);
        if (idText(id) !== model[position]) throw new Error(`position ${position}`);
        if (order.positionOf(id.branch, id.sequence, id.offset) !== position) {
          throw new Error(`id at ${position}`);
        }
      }
      const spans = order.spansAt(17, 333);
      const listed = spans.flatMap((span: IdSpan) =>
        Array.from({ length: span.length }, (_, k) => idText({ ...span, offset: span.offset + k })),
      );
      if (listed.join() !== model.slice(17, 350).join()) throw new Error('spansAt');
      checkPieces(order, spans, model);
    }),
    { numRuns: caseCount(60) },
  );
  t.pass('all runs agree');
});

function checkPieces(order: Order, spans: readonly IdSpan[], model: readonly string[]): void {
  for (const span of spans) {
    let covered = 0;
    for (const piece of order.piecesOf(span)) {
      const first = { ...span, offset: span.offset + piece.skipped };
      if (model[piece.position] !== idText(first)) throw new Error('piece');
      covered += piece.length;
    }
    if (covered !== span.length) throw new Error('pieces do not cover the span');
  }
}

t.test('an insertion and its deletion lead back to the same order', async (t) => {
  const edited = genesisOrder
    .insert(10, [{ branch: 1, sequence: 5, offset: 0, length: 3 }])
    .delete(10, 3);
  t.equal(edited.text, genesisOrder.text);
  t.equal(genesisOrder.move(5, 2, 9).move(7, 2, 5).text, genesisOrder.text);
});

t.test('a deleted id has no position', async (t) => {
  const order = genesisOrder.delete(3, 2);
  t.equal(order.positionOf(0, 0, 3), undefined);
  t.equal(order.positionOf(0, 0, 5), 3);
  t.equal(order.positionOf(7, 7, 0), undefined);
  t.strictSame(order.piecesOf({ branch: 0, sequence: 0, offset: 2, length: 4 }), [
    { position: 2, length: 1, skipped: 0 },
    { position: 3, length: 1, skipped: 3 },
  ]);
});

t.test('ten thousand edits keep lookups short', async (t) => {
  let order = genesisOrder;
  for (let edit = 1; edit <= 10_000; edit++) {
    order = order.insert((edit * 7919) % 1_000_000, [
      { branch: 1, sequence: edit, offset: 0, length: 1 },
    ]);
  }
  const started = process.hrtime.bigint();
  for (let at = 0; at < 100_000; at++) order.idAt((at * 10_007) % 1_048_576);
  const nanoseconds = Number(process.hrtime.bigint() - started) / 100_000;
  t.comment(`${nanoseconds.toFixed(0)} ns a lookup over ${order.spanCount} spans`);
  t.ok(order.spanCount > 19_000);
});

t.test('many deletions at once leave what one after the other leaves', (t) => {
  const gaps = fc.array(fc.record({ gap: fc.nat(90), count: fc.integer({ min: 1, max: 3 }) }), {
    minLength: 1,
    maxLength: 700,
  });
  fc.assert(
    fc.property(edits, gaps, (list, wanted) => {
      let order = genesisOrder;
      for (const [at, edit] of list.entries()) order = applyOrder(order, edit, at + 1);
      let position = 0;
      const leaving = wanted.map(({ gap, count }) => {
        const from = position + gap;
        position = from + count;
        return { from, count };
      });
      let single = order;
      for (const { from, count } of leaving.toReversed()) single = single.delete(from, count);
      const whole = order.deleteAll(leaving);
      const chunks = (of: Order) => JSON.stringify([...of.chunks()]);
      if (whole.text !== single.text || chunks(whole) !== chunks(single)) return false;
      return leaving.every(({ from, count }) => {
        const gone = order.idAt(from);
        const next = order.idAt(from + count);
        const isGone = whole.positionOf(gone.branch, gone.sequence, gone.offset) === undefined;
        const places = [whole, single].map((of) =>
          of.positionOf(next.branch, next.sequence, next.offset),
        );
        return isGone && places[0] === places[1];
      });
    }),
    { numRuns: caseCount(30) },
  );
  t.end();
});
