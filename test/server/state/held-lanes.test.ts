import * as fc from 'fast-check';
import t from 'tap';

import { rowLimit } from '../../../server/model/address.ts';
import { heldLanes, lanesOf } from '../../../server/state/cells/held-lanes.ts';
import { SheetCells } from '../../../server/state/cells/sheet-cells.ts';
import type { IdSpan, LineId } from '../../../server/state/ids/order.ts';

const column = { branch: 0, sequence: 0, offset: 3 };

function keyOf({ branch, sequence }: Pick<LineId, 'branch' | 'sequence'>, index: number) {
  return branch === 0 ? index : `${branch}.${sequence}.${index}`;
}

/** The blocks of one column in which some rows were written. */
function blocksWith(rows: readonly LineId[]) {
  const cells = new SheetCells();
  for (const row of rows) cells.blockForWrite(row, column);
  const [held] = cells.columns.values();
  return held?.blocks ?? new Map();
}

const run = fc.constantFrom({ branch: 0, sequence: 0 }, { branch: 2, sequence: 7 });
const offset = fc.nat(20_000);
const row = fc.tuple(run, offset).map(([of, at]) => ({ ...of, offset: at }));
const span = fc
  .tuple(run, offset, fc.nat(12_000))
  .map(([of, at, length]) => ({ ...of, offset: at, length }));

t.test('the lanes of a column are those of the rows that it has blocks for', (t) => {
  const rows = fc.array(row, { maxLength: 12 });
  const spans = fc.array(span, { maxLength: 5 });
  fc.assert(
    fc.property(rows, spans, (written, asked: readonly IdSpan[]) => {
      const blocks = blocksWith(written);
      const found = [...heldLanes(asked, blocks, keyOf)].map(({ held: _held, ...part }) => part);
      const all = [...lanesOf(asked)].filter((part) =>
        blocks.has(keyOf(part.span, part.blockIndex)),
      );
      t.same(found, all);
    }),
  );
  t.end();
});

t.test('a short column takes no time for the rows below it', (t) => {
  const blocks = blocksWith([{ branch: 0, sequence: 0, offset: 5 }]);
  let looks = 0;
  const counting = (of: Pick<LineId, 'branch' | 'sequence'>, index: number) => {
    looks++;
    return keyOf(of, index);
  };
  const sheet = { branch: 0, sequence: 0, offset: 0, length: rowLimit };
  t.match([...heldLanes([sheet], blocks, counting)], [{ blockIndex: 0, from: 0, to: 1_024 }]);
  t.equal(looks, 1);
  t.end();
});
