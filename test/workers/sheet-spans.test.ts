import t from 'tap';

import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { readFunctionTable } from '../support/function-table.ts';

/** References to several sheets: all of them, or #VALUE!, but never the first one only. */

const clock = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };

/** Returns the values of formulas on a sheet of their own, above three sheets of numbers. */
function valuesOf(texts: readonly string[]): unknown[] {
  const kernel = Kernel.create();
  for (const sheet of [1, 2, 3]) {
    const inputs = [
      [sheet, sheet * 10],
      [sheet + 0.5, null],
    ];
    kernel.apply([
      { kind: 'sheetAdd', sheet, name: `S${sheet}`, index: sheet - 1 },
      { kind: 'block', sheet, row: 0, column: 0, inputs },
    ]);
  }
  kernel.apply([{ kind: 'sheetAdd', sheet: 4, name: 'Sums', index: 3 }]);
  texts.forEach((formula, index) => {
    kernel.apply([{ kind: 'cell', sheet: 4, row: index * 20, column: 0, input: { formula } }]);
  });
  while (!kernel.recalculate(clock, 1e9));
  return texts.map((_, index) => {
    const area = { row0: index * 20, row1: index * 20 + 9, column0: 0, column1: 9 };
    const rows = kernel.readRange(4, area, { lens: 'value', form: valueForm });
    const filled = rows.map((row) => row.filter((value) => value !== null));
    return filled.filter((row) => row.length > 0);
  });
}

t.test('stacks and lines have the cells of every sheet, in the order of the tabs', async (t) => {
  const expected = {
    '=VSTACK(S1:S3!A1)': [[1], [2], [3]],
    '=VSTACK(S1:S3!A1:B2,9)': [
      [1, 10],
      [1.5, 0],
      [2, 20],
      [2.5, 0],
      [3, 30],
      [3.5, 0],
      [9, { error: '#N/A' }],
    ],
    '=HSTACK(S3:S1!A1:B1)': [[1, 10, 2, 20, 3, 30]],
    '=TOCOL(S1:S3!A1:B2,1)': [[1], [10], [1.5], [2], [20], [2.5], [3], [30], [3.5]],
    '=TOROW(S1:S2!A1:B2,3,TRUE)': [[1, 1.5, 10, 2, 2.5, 20]],
    '=SUM(VSTACK(S1:S3!A:A))': [[13.5]],
    "=SUM('S1':Sums!B1)": [[60]],
    "=SUM('S1'!A1:'S1'!A2)": [[2.5]],
    '=VSTACK((S1!A1,S1!B1))': [[{ error: '#VALUE!' }]],
  };
  t.same(valuesOf(Object.keys(expected)), Object.values(expected));
});

t.test('a text names no several sheets, by their tabs or by a name of theirs', async (t) => {
  const expected = {
    '=SUM(INDIRECT("S2:S3!A1"))': [[{ error: '#REF!' }]],
    '=INDIRECT("\'S1:S3\'!A1:B2")': [[{ error: '#REF!' }]],
    '=SUM(INDIRECT("S2!A1:A2"),INDIRECT("S3!R1C1",FALSE))': [[7.5]],
  };
  t.same(valuesOf(Object.keys(expected)), Object.values(expected));
});

t.test('functions that take several sheets', async (t) => {
  const expected = {
    SUM: 13.5,
    COUNT: 6,
    MAX: 3.5,
    MEDIAN: 2.25,
    'LARGE(#,2)': 3,
    'QUARTILE(#,2)': 2.25,
    'RANK(2,#)': 4,
    'PERCENTRANK(#,2)': 0.4,
    'TEXTJOIN(",",TRUE,#)': '1,1.5,2,2.5,3,3.5',
    SHEETS: 3,
    AREAS: 3,
    XOR: false,
  };
  const texts = Object.keys(expected).map((call) => {
    return `=${(call.includes('#') ? call : `${call}(#)`).replace('#', 'S1:S3!A1:A2')}`;
  });
  t.same(
    valuesOf(texts),
    Object.values(expected).map((value) => [[value]]),
  );
});

/** Takers whose answer may be that of the first sheet. */
const taken = new Set(
  'MIN MINA AND OR XOR SMALL TEXTJOIN PERCENTRANK PERCENTRANK.INC PERCENTRANK.EXC'.split(' '),
);

t.test('no other function answers for the first sheet alone', async (t) => {
  const calls: { text: string; first: string }[] = [];
  const skipped = new Set(['LET', 'LAMBDA', 'IF', 'IFS', 'CHOOSE', 'SWITCH', 'IFERROR', 'IFNA']);
  for (const { name, fewest, most } of readFunctionTable()) {
    if (skipped.has(name) || most === 0) continue;
    for (let at = 0; at < Math.min(Math.max(fewest, 1), 5); at++) {
      const parts = Array.from({ length: Math.max(fewest, 1) }, (_, index) => {
        return index === at ? '#' : '1';
      });
      const call = `=${name}(${parts.join(',')})`;
      calls.push({
        text: call.replace('#', 'S1:S3!A1:B2'),
        first: call.replace('#', 'S1!A1:B2'),
      });
    }
  }
  const spans = valuesOf(calls.map(({ text }) => text));
  const firsts = valuesOf(calls.map(({ first }) => first));
  const about = /^=(?:ISREF|SHEET|ISERR|ISERROR|TYPE|ERROR\.TYPE)\(/u;
  for (const [index, { text }] of calls.entries()) {
    const [span, first] = [JSON.stringify(spans[index]), JSON.stringify(firsts[index])] as const;
    if (span.includes('#') || about.test(text) || span !== first) continue;
    t.ok(taken.has(text.slice(1, text.indexOf('('))), `${text} is ${span}`);
  }
  t.ok(calls.length > 400, `${calls.length} calls`);
});
