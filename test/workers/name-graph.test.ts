import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheetAdd: Mutation = { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 };

function nameSet(name: string, formula: string): Mutation {
  return { kind: 'nameSet', name, scope: undefined, formula };
}

function setCell(column: number, input: number | { formula: string }): Mutation {
  return { kind: 'cell', sheet: 1, row: 0, column, input };
}

function valueIn(kernel: Kernel, column: number): unknown {
  while (!kernel.recalculate(now, 1e8));
  const area = { row0: 0, row1: 0, column0: column, column1: column };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm })[0]?.[0];
}

t.test('a change is noticed through however many names', (t) => {
  const kernel = Kernel.create();
  const depth = 200;
  kernel.apply([
    sheetAdd,
    setCell(0, 5),
    ...Array.from({ length: depth }, (_, index) => nameSet(`Step_${index}`, `=Step_${index + 1}`)),
    nameSet(`Step_${depth}`, '=One!$A$1*2'),
    setCell(1, { formula: '=Step_0+1' }),
  ]);
  t.equal(valueIn(kernel, 1), 11);
  kernel.apply([setCell(0, 6)]);
  t.equal(valueIn(kernel, 1), 13);
  t.end();
});

t.test('names that say one another many times are looked at once', (t) => {
  const kernel = Kernel.create();
  const count = 30;
  const all = Array.from({ length: count }, (_, index) => `Web_${index}`);
  const definition = `=IF(One!$A$1=1,7,${all.join('+')})`;
  kernel.apply([
    sheetAdd,
    setCell(0, 1),
    ...all.map((name) => nameSet(name, definition)),
    setCell(1, { formula: '=Web_0+Web_1' }),
  ]);
  t.equal(valueIn(kernel, 1), 14);
  kernel.apply([setCell(0, 2)]);
  t.same(valueIn(kernel, 1), { error: '#NUM!' }, 'without an end, it ends for want of fuel');
  kernel.apply([setCell(0, 1)]);
  t.equal(valueIn(kernel, 1), 14);
  t.end();
});

t.test('texts that are only looked at leave nothing behind', (t) => {
  const kernel = Kernel.create();
  const look = (round: number): number => {
    for (let index = 0; index < 2_000; index++) {
      const word = `w${round}_${index}`;
      kernel.checkFormula(`=${word}+Gone_${word}!A1+Other_${word}!${word}*${word}(1)`);
      kernel.checkFormula(`=${word}+(`);
      kernel.checkFormula(`=SUM(${word}[[#All],[A ${word}]:[B ${word}]])+[1]${word}!A1`);
      kernel.checkFormula(`=Other!${word}+Table[[${word}]]+(`);
      kernel.convertFormula(`=${word}&'No ${word}'!B2`, { row: 1, column: 1 }, 'R1C1');
    }
    return kernel.statistics().usedBytes;
  };
  const before = look(1);
  t.equal(look(2), before);
  const sheets: string[] = [];
  kernel.readReferences("=Nowhere!A1+'Not here'!B2+First:Last!C3", (reader, address) => {
    sheets.push(reader.text(reader.word(address + 8)));
  });
  t.same(sheets, ['Nowhere', 'Not here', 'First:Last']);
  t.end();
});

t.test('INDIRECT of sheets that are not there leaves nothing behind', (t) => {
  const kernel = Kernel.create();
  kernel.apply([sheetAdd, setCell(0, 0)]);
  const ask = '=SUM(MAP(SEQUENCE(50),LAMBDA(n,IFERROR(INDIRECT("Gone"&n+50*A1&"!A1"),1))))';
  kernel.apply([setCell(1, { formula: ask })]);
  const look = (round: number): number => {
    kernel.apply([setCell(0, round)]);
    t.equal(valueIn(kernel, 1), 50);
    return kernel.statistics().usedBytes;
  };
  look(1);
  const before = look(2);
  for (let round = 3; round < 20; round++) look(round);
  t.equal(look(20), before);
  t.end();
});
