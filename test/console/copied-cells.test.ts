import t from 'tap';

import { parseRange, rangeName, type Range } from '../../server/model/range.ts';
import { copySteps, markOf, readMark } from '../../client/console/sheet/copied-cells.ts';
import { joined, piecesOf, type Pieces } from '../../client/console/grid/pieces.ts';

/** Ranges in line are one block of the clipboard. */

function rangeOf(name: string): Range {
  const range = parseRange(name);
  if (!range) throw new Error(`${name} is no range`);
  return range;
}

function pieces(first: string, ...others: readonly string[]): Pieces | undefined {
  return piecesOf([rangeOf(first), ...others.map(rangeOf)]);
}

function copied(of: Pieces | undefined, isCut = false) {
  if (!of) throw new Error('no pieces');
  const place = { id: 'c', workbookId: 'wb', branch: 'main', sheet: 's1' };
  return { ...place, pieces: of, isCut, seq: 1, text: undefined };
}

function stepsOf(of: Pieces | undefined, to: string, sheet = 's1') {
  return copySteps(copied(of), rangeOf(to), sheet)?.map(
    (one) => `${rangeName(one.source)} ${one.to}`,
  );
}

t.test('ranges of the same rows or columns are one block, in their order', (t) => {
  t.same(pieces('D2:D3', 'A2:B3')?.map(rangeName), ['A2:B3', 'D2:D3']);
  t.same(pieces('A7', 'A2:A3')?.map(rangeName), ['A2:A3', 'A7']);
  t.equal(pieces('A2:A3', 'B7'), undefined);
  t.equal(pieces('A2:A5', 'A4:A9'), undefined, 'ranges that overlap are none');
  t.same(
    joined(pieces('A1:A2', 'C1:C2') as Pieces, [
      [[1], [2]],
      [[3], [4]],
    ]),
    [
      [1, 3],
      [2, 4],
    ],
  );
  t.same(joined(pieces('A1', 'A3') as Pieces, [[[1]], [[2]]]), [[1], [2]]);
  t.end();
});

t.test('a paste takes no cell that it has written over', (t) => {
  const apart = pieces('A1:A2', 'C1:C2');
  t.same(stepsOf(apart, 'F1'), ['A1:A2 F1', 'C1:C2 G1']);
  t.same(stepsOf(apart, 'C1'), ['C1:C2 D1', 'A1:A2 C1']);
  t.equal(stepsOf(pieces('A1', 'C1', 'F1', 'H1'), 'C1'), undefined);
  t.same(stepsOf(apart, 'C1', 's2'), ['A1:A2 C1', 'C1:C2 D1'], 'on another sheet nothing meets');
  t.same(stepsOf(pieces('A1:A2'), 'C1:D4'), ['A1:A2 C1:D4'], 'one piece fills what is selected');
  t.end();
});

t.test('a mark is read by another page', (t) => {
  const cells = copied(pieces('A1', 'C1'));
  t.same(readMark(markOf(cells)), cells);
  t.equal(readMark('{"pieces":["A1","B7"]}'), undefined);
  t.equal(readMark('{'), undefined);
  t.end();
});
