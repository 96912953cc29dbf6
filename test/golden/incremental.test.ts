import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { compareEdits, otherValues, type CellEdit } from '../support/edited-workbook.ts';
import {
  goldenFiles,
  readGolden,
  type GoldenCase,
  type GoldenCell,
} from '../support/golden-file.ts';

/** Formulas of one sheet stand below one another, with room for arrays between them. */
const place = { row: 199, column: 51, step: 12 };
/** The first cells of a sheet are what its formulas read most. */
const editsMost = 6;

/** The golden cases that share their cells, as one sheet. */
function* sheetsOf(file: string): Generator<{ cells: readonly GoldenCell[]; cases: GoldenCase[] }> {
  const bySheet = new Map<readonly GoldenCell[], GoldenCase[]>();
  for (const golden of readGolden(file)) {
    bySheet.set(golden.cells, [...(bySheet.get(golden.cells) ?? []), golden]);
  }
  for (const [cells, cases] of bySheet) if (cells.length > 0) yield { cells, cases };
}

function mutationsOf(cells: readonly GoldenCell[], cases: readonly GoldenCase[]): Mutation[] {
  return [
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    ...cells.map((cell) => ({ kind: 'cell' as const, sheet: 1, ...cell })),
    ...cases.map(({ formula }, index): Mutation => {
      const row = place.row + index * place.step;
      return { kind: 'cell', sheet: 1, row, column: place.column, input: { formula } };
    }),
  ];
}

function editsOf(cells: readonly GoldenCell[]): CellEdit[] {
  return cells.slice(0, editsMost).map(({ row, column, input }, index) => {
    const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
    const others = otherValues(isFormula ? null : input);
    const after = others[index % others.length] ?? null;
    return { sheet: 1, row, column, before: input, after };
  });
}

let changed = 0;
for (const file of goldenFiles()) {
  t.test(`${file}: changing one cell gives what a fresh build gives`, (t) => {
    for (const { cells, cases } of sheetsOf(file)) {
      const { differences, changedCount } = compareEdits(mutationsOf(cells, cases), editsOf(cells));
      changed += changedCount;
      t.same(differences, [], cases[0]?.where ?? file);
    }
    t.pass(`${changed} cells changed so far`);
    t.end();
  });
}

t.test('the edits are noticed', (t) => {
  t.ok(changed > 500, `${changed} cells changed`);
  t.end();
});
