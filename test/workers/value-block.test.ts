import t from 'tap';

import type { Value } from '../../server/model/cell-value.ts';
import { BlockReader, BlockWriter, type BlockCell } from '../../workers/value-block.ts';
import { packValues } from '../../workers/pack-values.ts';
import { Kernel } from '../../workers/kernel.ts';

const values: readonly Value[] = [
  0,
  -0.5,
  1e308,
  'text',
  '',
  'text',
  '\ud83d',
  '\u{1f600} half \udc00 in it',
  true,
  false,
  { error: '#DIV/0!' },
  null,
];

t.test('cells come back as they went in, from any place to any other', async (t) => {
  const cells: BlockCell[] = values.map((value, index) => {
    return { sheet: index < 5 ? 'One' : 'Two', row: index * 90_000, column: 16_383 - index, value };
  });
  const block = new BlockWriter(100);
  for (const cell of cells) block.add(cell);
  const reader = new BlockReader(block.finish());
  t.equal(reader.count, cells.length);
  for (const [start, end] of [
    [0, 100],
    [3, 8],
    [5, 6],
    [11, 12],
    [12, 100],
    [4, 4],
  ] as const) {
    t.same([...reader.cells(start, end)], cells.slice(start, end), `${start} to ${end}`);
  }
});

t.test('a block of a model has its cells in order, whatever block they are in', async (t) => {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 7, name: 'Plan', index: 0 },
    ...Array.from({ length: 50 }, (_, row) => {
      return { kind: 'cell', sheet: 7, row, column: 1, input: row } as const;
    }),
    { kind: 'cell', sheet: 7, row: 60, column: 0, input: { formula: '=SUM(B1:B50)' } },
  ]);
  kernel.recalculate({ clockSerial: 0, seedHigh: 0, seedLow: 0 }, 1_000_000);
  const cells: BlockCell[] = [];
  for (let offset = 0; offset < kernel.valueCount; offset += 20) {
    const sheets = [[7, 'Plan']] as const;
    const packed = packValues({ loan: kernel.loan, sheets, offset, cellsMost: 20 });
    if (!packed.ok) throw new Error(packed.fault);
    cells.push(...new BlockReader(packed.bytes).cells(0, 20));
  }
  t.equal(cells.length, 51);
  t.same(cells[30], { sheet: 'Plan', row: 30, column: 1, value: 30 });
  t.same(cells[50], { sheet: 'Plan', row: 60, column: 0, value: 1225 });
});
