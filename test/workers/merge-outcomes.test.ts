import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import { mergeHistories, playHistories, type Histories } from '../support/merge-histories.ts';
import { mirrorDifference } from '../support/merge-mirror.ts';
import { hold, outcomeLaws } from '../support/merge-outcome-laws.ts';
import { testSeed } from '../support/test-seed.ts';

// Results of a merge after two random histories of one base, and the states that it leaves alone.
// Runs long: dozens of random histories.

for (const [name, histories] of mergeHistories) {
  for (const [index, [law, check]] of Object.entries(outcomeLaws).entries()) {
    t.test(`${name}: ${law}`, async (t) => {
      let mergedCount = 0;
      const counted = (played: Histories) => {
        if (hold(check, played)) mergedCount++;
      };
      const options = { numRuns: caseCount(20), seed: testSeed + 10 + index };
      t.doesNotThrow(() => fc.assert(fc.property(histories, counted), options));
      t.ok(mergedCount > 0, 'some of them could be merged');
    });
  }
}

function move(sheet: string, source: string, toSheet: string, to: string) {
  return { kind: 'range.move', payload: { sheet, source, toSheet, to } };
}

const found: Readonly<Record<string, Histories>> = {
  'a table whose header and rows went, each with one side, begins with its new rows': {
    base: [],
    ours: [{ kind: 'rows.move', payload: { sheet: 'Two', from: 1, count: 3, before: 7 } }],
    theirs: [{ kind: 'rows.import', payload: { table: 'Sales', rows: [{ k: 8 }, { k: 9 }] } }],
  },
  'a part of a block that was moved further is where it came to in the end': {
    base: [],
    ours: [move('Two', 'C3:E1', 'Two', 'A1')],
    theirs: [move('Two', 'A1:C3', 'One', 'A1')],
  },
  'cells that a block was cut from hold nothing of the base': {
    base: [],
    ours: [],
    theirs: [move('One', 'E1:A2', 'One', 'E1'), move('One', 'A1:A2', 'One', 'A2')],
  },
  'a key that the other side has on both lines was not moved': {
    base: [{ kind: 'rows.upsert', payload: { table: 'Sales', rows: [{ k: 0, v: 0 }] } }],
    ours: [{ kind: 'rows.delete', payload: { table: 'Sales', keys: [0] } }],
    theirs: [{ kind: 'range.copy', payload: { sheet: 'Two', source: 'B2:A7', to: 'A1:A1' } }],
  },
  'a block that was cut to a row which is gone is followed as far as it is there': {
    base: [{ kind: 'rows.upsert', payload: { table: 'Sales', rows: [{ k: 0, v: 0 }] } }],
    ours: [
      move('Two', 'C3:C1', 'Two', 'A6'),
      { kind: 'rows.delete', payload: { table: 'Sales', keys: [0] } },
    ],
    theirs: [{ kind: 'range.copy', payload: { sheet: 'Two', source: 'A3:E8', to: 'A2' } }],
  },
  'a table that each side shifted its own way has its names above its columns': {
    base: [],
    ours: [{ kind: 'range.delete', payload: { sheet: 'Two', range: 'A1:A6', shift: 'left' } }],
    theirs: [{ kind: 'range.delete', payload: { sheet: 'Two', range: 'A1:E1', shift: 'up' } }],
  },
  'kernels are told of the blank row that is left of a table': {
    base: [],
    ours: [{ kind: 'rows.delete', payload: { sheet: 'Two', from: 4, count: 2 } }],
    theirs: [{ kind: 'rows.delete', payload: { sheet: 'Two', from: 6 } }],
  },
};

for (const [name, played] of Object.entries(found)) {
  t.test(name, async (t) => {
    for (const [law, check] of Object.entries(outcomeLaws)) {
      t.doesNotThrow(() => hold(check, played), law);
    }
    t.equal(mirrorDifference(playHistories(played)), undefined);
  });
}
