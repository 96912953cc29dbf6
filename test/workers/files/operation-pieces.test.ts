import t from 'tap';

import type { Operation } from '../../../server/model/operation.ts';
import { inPieces } from '../../../workers/files/operation-pieces.ts';

const name = (number: number): Operation => ({
  kind: 'name.set',
  payload: { name: `n${number}`, formula: '=1' },
});
const block: Operation = { kind: 'range.set', payload: { range: 'A1', inputs: [[1]] } };
const note = (length: number): Operation => ({
  kind: 'note.set',
  payload: { a1: 'A1', text: 'x'.repeat(length) },
});

function lengths(operations: readonly Operation[]): number[] {
  return [...inPieces(operations)].map(({ length }) => length);
}

t.test('small operations come together, blocks of cells and long texts alone', async (t) => {
  const names = Array.from({ length: 150 }, (_, number) => name(number));
  t.same(lengths(names), [60, 60, 30]);
  t.same([...inPieces(names)].flat(), names, 'all of them, in order');
  t.same(lengths([name(1), block, block, name(2), name(3)]), [1, 1, 1, 2]);
  t.same(lengths([note(40_000), note(20_000), note(20_000), note(90_000), name(1)]), [2, 1, 1, 1]);
  t.same(lengths([]), []);
});
