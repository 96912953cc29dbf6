import * as fc from 'fast-check';
import t from 'tap';

import { rowLimit } from '../../../server/model/address.ts';
import { LineMap } from '../../../server/state/structure/line-map.ts';
import { genesisOrder, type Order } from '../../../server/state/ids/order.ts';
import type { SheetOutline } from '../../../server/state/structure/structure.ts';
import { caseCount } from '../../support/case-count.ts';

/** Lines that are edited and asked for; those after them only shift. */
const reach = 400;

function outline(rows: Order): SheetOutline {
  return { id: 's1.1.0', key: 1, name: 'One', rows, columns: genesisOrder };
}

type Edit = readonly ['insert' | 'delete' | 'move', number, number, number];

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('insert', 'delete', 'move'),
  fc.nat(reach),
  fc.integer({ min: 1, max: 40 }),
  fc.nat(reach),
);
const edits = fc.array(edit, { maxLength: 40 });

function edited(order: Order, list: readonly Edit[], branch: number): Order {
  let current = order;
  for (const [sequence, [kind, at, count, before]] of list.entries()) {
    const run = { branch, sequence: sequence + 1, offset: 0, length: count };
    if (kind === 'insert') current = current.insert(at, [run]);
    else if (kind === 'delete') current = current.delete(at, count);
    else current = current.move(at, count, before);
  }
  return current;
}

/** Where each line of the base is at the head, line by line. */
function carried(base: Order, head: Order, count: number): (number | undefined)[] {
  return Array.from({ length: count }, (_, line) => {
    const { branch, sequence, offset } = base.idAt(line);
    return head.positionOf(branch, sequence, offset);
  });
}

function fail(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

t.test('a line map says what line by line would be found', async () => {
  fc.assert(
    fc.property(edits, edits, fc.nat(reach), fc.nat(reach), (before, after, a, b) => {
      const base = edited(genesisOrder, before, 1);
      const head = edited(base, after, 2);
      const map = new LineMap(outline(base), outline(head), 'row');
      const lines = carried(base, head, 4 * reach);
      const [from, to] = a <= b ? [a, b] : [b, a];
      const kept = lines.slice(from, to + 1).filter((line) => line !== undefined);
      const listed = map
        .pieces(from, to - from + 1)
        .flatMap(({ position, length, skipped }) =>
          Array.from({ length }, (_, k) => [skipped + k, position + k]),
        );
      const expected = lines
        .slice(from, to + 1)
        .flatMap((line, skipped) => (line === undefined ? [] : [[skipped, line]]));
      fail('pieces', listed, expected);
      fail('position', map.position(from), lines[from]);
      if (base === head) return;
      fail(
        'before',
        map.placeBefore(from),
        lines.slice(from).find((line) => line !== undefined),
      );
      const last = lines.slice(0, to + 1).findLast((line) => line !== undefined);
      fail('after', map.placeAfter(to), last === undefined ? 0 : last + 1);
      const ends = [lines[from], lines[to]];
      const range = ends.every((end) => end !== undefined) ? ends : [kept[0], kept.at(-1)];
      const sorted = range.toSorted((x = 0, y = 0) => x - y);
      fail('range', map.range(from, to), kept.length === 0 ? undefined : sorted);
    }),
    { numRuns: caseCount(300) },
  );
});

t.test('when all lines but the last are gone, the place is found from either side', async (t) => {
  const base = edited(genesisOrder, [['insert', 5, 3, 0]], 1);
  const head = base.delete(0, 300_000);
  const map = new LineMap(outline(base), outline(head), 'row');
  t.equal(map.placeBefore(7), 0);
  t.equal(map.placeAfter(299_999), 0);
  t.equal(map.placeAfter(300_000), 1);
  t.strictSame(map.range(10, 300_010), [0, 10]);
  t.equal(map.range(10, 299_999), undefined);
});

t.test('one line that is left among many is found wherever it stands', async (t) => {
  const count = 3_000;
  const top = genesisOrder.insert(0, [{ branch: 1, sequence: 1, offset: 0, length: 1 }]);
  for (let line = 0; line < count; line++) {
    const head = top.delete(line + 2, count - line - 1).delete(1, line);
    const map = new LineMap(outline(genesisOrder), outline(head), 'row');
    if (map.placeBefore(1) !== (line === 0 ? 2 : 1)) t.fail(`before, ${line}`);
    if (map.placeAfter(count - 1) !== 2) t.fail(`after, ${line}`);
  }
});

t.test('lines that were pushed off the grid are gone', async (t) => {
  const run = { branch: 1, sequence: 1, offset: 0, length: 10 };
  const map = new LineMap(outline(genesisOrder), outline(genesisOrder.insert(5, [run])), 'row');
  t.equal(map.position(rowLimit - 1), undefined);
  t.equal(map.position(rowLimit - 11), rowLimit - 1);
  t.equal(map.placeBefore(rowLimit - 1), rowLimit);
  t.equal(map.placeAfter(rowLimit - 1), rowLimit);
  t.strictSame(map.range(4, rowLimit - 1), [4, rowLimit - 1]);
  t.strictSame(map.pieces(0, rowLimit), [{ position: 0, length: rowLimit, skipped: 0 }]);
});
