import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { workbookFile } from '../support/workbook-file.ts';
import { Client } from './client.ts';
import type { CorpusCase } from './corpus.ts';
import { runOverHttp } from './http-cases.ts';
import type { Outcome } from './outcome.ts';
import { runRealFiles } from './real-files.ts';
import { runCase } from './run-case.ts';

function caseOf(id: string, more: Pick<CorpusCase, 'sheets' | 'expect'> & Partial<CorpusCase>) {
  return { id, source: 'a program', dialect: 'excel', epoch: '1900', ...more } as const;
}

const fn = 'SUM';

/** One case of each kind; cases of one sheet go as rows and operations, the others as files. */
const cases: readonly CorpusCase[] = [
  caseOf('made/rows', {
    sheets: { Sheet1: { A1: { v: 2 }, B2: { v: '=x' }, A3: { f: '=SUM(A1,3)&B2' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A3', value: '5=x', fn }],
  }),
  caseOf('made/empty', {
    sheets: { Sheet1: { A1: { v: '' }, A2: { v: 1 }, A3: { f: '=COUNTA(A1:A2)' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A3', value: 1, fn }],
  }),
  caseOf('made/spill', {
    sheets: { Sheet1: { C1: { f: '=SEQUENCE(2)', array: 'C1:C2', dynamic: true } } },
    expect: [{ sheet: 'Sheet1', cell: 'C2', value: 2, fn }],
  }),
  caseOf('made/miscounted', {
    sheets: { Sheet1: { A1: { f: '=ABS()' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A1', value: { error: '#N/A' }, fn }],
  }),
  caseOf('made/miscounted in a file', {
    source: 'a.xlsx',
    sheets: { Sheet1: { A1: { f: '=ABS()' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A1', value: { error: '#N/A' }, fn }],
  }),
  caseOf('made/no formula', {
    sheets: { Sheet1: { A1: { f: '=ABS({x})' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A1', value: { error: '*' }, fn }],
  }),
  caseOf('made/1904', {
    epoch: '1904',
    sheets: { Sheet1: { A1: { f: '=DATE(1904,1,2)' } } },
    expect: [{ sheet: 'Sheet1', cell: 'A1', value: 1, fn }],
  }),
  caseOf('made/file', {
    source: 'a.xlsx',
    names: [{ name: 'two', ref: "'My sheet'!$A$2" }],
    tables: [
      {
        name: 'Prices',
        sheet: 'My sheet',
        ref: 'C1:C3',
        headerRow: true,
        totalsRow: false,
        columns: ['Price'],
      },
    ],
    sheets: {
      'My sheet': {
        A1: { v: true },
        A2: { v: 20 },
        C1: { v: 'Price' },
        C2: { v: 1 },
        C3: { v: 2 },
      },
      Sheet2: {
        A2: { f: "='My sheet'!A1:A3*2" },
        B1: { f: '=ROW()*two', array: 'B1:B2' },
        C1: { f: '=SUM(Prices[Price])' },
      },
    },
    expect: [
      { sheet: 'Sheet2', cell: 'A2', value: 40, fn },
      { sheet: 'Sheet2', cell: 'B2', value: 40, fn },
      { sheet: 'Sheet2', cell: 'C1', value: 3, fn },
      { sheet: 'Sheet2', cell: 'D1', value: 1, fn },
    ],
  }),
];

/**
 * Makes outcomes comparable: a formula that cannot be typed is an error that Excel does not name.
 */
const bare = ({ id, found, passes }: Outcome) => ({
  id,
  passes,
  found: typeof found === 'object' && found !== null && 'refused' in found ? 'refused' : found,
});

t.test('a service answers what a kernel in this process answers', async (t) => {
  const client = await Client.start(t);
  const outside = (await runOverHttp(client, cases)).map(bare);
  t.same(outside, cases.flatMap(runCase).map(bare));
  t.same(
    outside.filter(({ passes }) => !passes),
    [{ id: 'made/file', passes: false, found: null }],
    'only what no cell has fails',
  );

  const folder = join(await makeTemporaryFolder(t), 'files');
  await mkdir(folder);
  const cells = `<row r="1"><c r="A1"><f>TODAY()</f><v>40000</v></c><c r="B1"><f>A1+1</f></c></row>
    <row r="2"><c r="B2"><f>1/0</f></c><c r="C2"><f>1+1</f></c></row>`;
  await writeFile(join(folder, 'old.xlsx'), workbookFile(cells));
  const kept = {
    A1: ['TODAY()', 40_000],
    B1: ['A1+1', 40_001],
    B2: ['1/0', { error: '#DIV/0!' }],
    C2: ['1+1', 3],
  };
  await writeFile(join(folder, 'expected.json'), JSON.stringify({ 'old.xlsx': { Sheet1: kept } }));
  const found = [];
  for await (const one of runRealFiles(client, folder)) found.push([one.formula, one.passes]);
  t.same(found, [
    ['=A1+1', true],
    ['=1/0', true],
    ['=1+1', false],
  ]);
});
