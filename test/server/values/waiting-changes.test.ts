import t from 'tap';

import type { Change } from '../../../server/values/model-view.ts';
import { WaitingChanges } from '../../../server/values/waiting-changes.ts';

function change(seq: number, rowCount: number): Change {
  const fill = { kind: 'fill', sheet: 1, row: 0, column: 0, columnCount: 10, input: 1 } as const;
  return { firstSeq: seq, lastSeq: seq, at: 0, mutations: [{ ...fill, rowCount }] };
}

t.test('large changes do not wait for as many as small ones', async (t) => {
  const waiting = new WaitingChanges();
  for (let seq = 1; seq < 256; seq++) t.equal(waiting.add(change(seq, 1)), false);
  t.equal(waiting.add(change(256, 1)), true);
  t.equal(waiting.add(change(257, 1)), false, 'told once');
  t.equal(waiting.take(200).length, 200);
  t.equal(waiting.add(change(258, 1)), false);
  t.equal(waiting.take(Infinity).length, 58);
  t.equal(waiting.add(change(259, 2_000)), false);
  t.equal(waiting.add(change(260, 3_000)), true, '50,000 cells');
  t.equal(waiting.isHoard, false);
  for (let seq = 261; seq < 280; seq++) waiting.add(change(seq, 5_000));
  t.equal(waiting.isHoard, true);
  waiting.take(Infinity);
  t.equal(waiting.isHoard, false);
});
