import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

import { canonicalJson } from '../../../server/model/plain-json.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import type { FileRecord } from '../../../workers/files/file-record.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { fileOf, fileRecordsOf, sourceOf, stateOf } from '../../support/file-round-trip.ts';
import { entriesOf, recordFaults } from '../../support/record-driver.ts';
import { recordsFile as file } from '../../support/records-file.ts';

const folder = new URL('../../../../test/workbooks/', import.meta.url);
const accepts = () => true;

function of(records: readonly FileRecord[] | undefined, type: string): unknown[] {
  return (records ?? [])
    .filter((record) => record.type === type)
    .map(({ ranges, value }) => [ranges?.join(',') ?? null, value]);
}

t.test('what lies on the cells of a file is read', (t) => {
  const { sheets, dropped } = readXlsx(file(), { acceptsFormula: accepts });
  const records = sheets[0]?.records;
  t.same(of(records, 'cellmerge'), [['B1:C2', {}]], 'one that overlaps is none');
  t.same(of(records, 'note'), [['B2', { author: 'Ada', text: 'Ada:\nlook!' }]]);
  t.same(of(records, 'thread'), [
    [
      'C3',
      {
        comments: [
          { at: '2024-05-06T07:08:09.12Z', author: 'Grace Hopper', text: 'why?' },
          { author: 'Bo', text: 'so & so' },
        ],
        resolved: true,
      },
    ],
  ]);
  t.same(of(records, 'hyperlink'), [
    ['A2', { tooltip: 'go', url: 'https://example.org/?a=1&b=2' }],
    ['A3:B3', { location: "'My sheet'!B2" }],
    ['A4', { url: 'https://example.org/?a=1&b=2#part' }],
  ]);
  t.same(of(records, 'filter'), [
    [
      'A5:D9',
      {
        criteria: [
          { blanks: true, column: 'B', values: ['x < y'] },
          {
            column: 'C',
            conditions: [
              { operator: 'greaterThan', value: 5 },
              { operator: 'equal', value: '*z' },
            ],
            hideButton: true,
          },
          { color: { color: '#FFC7CE', of: 'fill' }, column: 'D' },
        ],
      },
    ],
  ]);
  t.same(of(records, 'protection'), [
    [null, { options: { formatCells: false, objects: true }, who: ['*'] }],
    ['A1,C3:C4', { name: 'Plan & more', who: ['*'] }],
  ]);
  const lost = dropped.map(({ what, count }) => `${what} ${count}`);
  t.same(lost.toSorted(), [
    'conditional format 1',
    'hyperlink 1',
    'merged cells 1',
    'password of a protection 1',
  ]);
  t.end();
});

t.test('rules are read with their formulas and styles', (t) => {
  const { sheets } = readXlsx(file(), { acceptsFormula: accepts });
  const records = sheets[0]?.records;
  const thin = { left: { style: 'thin' }, bottom: { color: { theme: 1 }, style: 'double' } };
  t.match(of(records, 'cf'), [
    [
      'B5:B9,A7',
      {
        rule: { type: 'cellIs', operator: 'between', formula1: 1, formula2: 'a"b' },
        style: { numberFormat: '0.0%', border: thin },
        stopIfTrue: false,
      },
    ],
    ['D1', { rule: { type: 'containsText', text: "it's" } }],
    [
      'B5:B9,A7',
      {
        rule: { formula1: '=B5>$D$1' },
        style: { bold: true, italic: false, color: '#9C0006', fill: '#FFC7CE' },
        stopIfTrue: true,
      },
    ],
    ['D1', { rule: { type: 'timePeriod', period: 'lastWeek' } }],
    [
      'D1',
      {
        rule: {
          points: [
            { at: 'min', color: '#F8696B' },
            { at: 'num', value: '=$A$1', color: { theme: 4, tint: -0.25 } },
            { at: 'percentile', value: 90, color: '#FF0000' },
          ],
        },
      },
    ],
    ['D1', { rule: { icons: '3Arrows', showValue: false, points: [{}, {}, { above: true }] } }],
    ['D1', { rule: { type: 'top10', percent: true, rank: 5 } }],
    ['D1', { rule: { type: 'aboveAverage', below: true, deviations: 1 } }],
  ]);
  t.same((of(records, 'cf')[1] as [string, { rule: object }])[1].rule, {
    text: "it's",
    type: 'containsText',
  });
  t.match(of(records, 'validation'), [
    [
      'A1:A4',
      {
        rule: { type: 'list', items: ['yes', 'no', '"q"'], dropdown: true },
        onInvalid: 'reject',
        allowBlank: true,
        prompt: { title: 'Pick', text: 'one\nof' },
      },
    ],
    ['B5', { rule: { source: '=$F$1:$F$3', dropdown: false }, onInvalid: 'ignore' }],
    [
      'C1:C4,D4',
      { rule: { type: 'whole', formula1: -5 }, onInvalid: 'warn', error: { text: 'no' } },
    ],
    ['C9', { rule: { type: 'date', operator: 'between', formula2: '=C8+1' }, onInvalid: 'inform' }],
    ['D9', { rule: { type: 'custom', formula1: '=COUNTIF($D:$D,D9)=1' } }],
    ['F9', { rule: { type: 'list', source: "='My sheet'!$A$1:$A$2" }, allowBlank: true }],
  ]);
  t.end();
});

function sorted(records: readonly FileRecord[] = []): string[] {
  return records.map((record) => JSON.stringify(canonicalJson(plain(record)))).sort();
}

/** Without what a state adds: ids and priorities. */
function plain({ type, ranges, value }: FileRecord): FileRecord {
  const { priority: _, ...rest } = value;
  if (type !== 'thread' || !Array.isArray(rest['comments'])) return { type, ranges, value: rest };
  const comments = rest['comments'].map((comment: object) => ({ ...comment, id: '' }));
  return { type, ranges, value: { ...rest, comments } };
}

const files = ['event_calendar', 'gantt_project_tracker', 'poi-46535', 'poi-51710'];
const all: [string, () => Uint8Array][] = [
  ['a file of everything', file],
  ...files.map((name): [string, () => Uint8Array] => [
    name,
    () => readFileSync(new URL(`${name}.xlsx`, folder)),
  ]),
];

for (const [name, read] of all) {
  t.test(`${name}: import, export, import gives the same records`, (t) => {
    const first = readXlsx(read());
    const driver = stateOf(toOperations(first));
    const bytes = fileOf(sourceOf(first, driver));
    const again = readXlsx(bytes);
    t.same(again.dropped, [], 'nothing is lost the second time');
    for (const [index, sheet] of first.sheets.entries()) {
      t.same(sorted(again.sheets[index]?.records), sorted(sheet.records), sheet.name);
      t.same(sorted(fileRecordsOf(driver).get(sheet.name)), sorted(sheet.records), 'in the state');
    }
    const other = stateOf(toOperations(again));
    t.equal(entriesOf(other.state), entriesOf(driver.state), 'the entries are equal');
    t.ok(
      Buffer.from(bytes).equals(Buffer.from(fileOf(sourceOf(again, other)))),
      'as are the bytes',
    );
    t.same(recordFaults(driver), []);
    t.end();
  });
}

t.test('the parts of notes and threads are named where a program looks for them', (t) => {
  const first = readXlsx(file());
  const parts = unzipSync(fileOf(sourceOf(first, stateOf(toOperations(first)))));
  const text = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
  const types = text('[Content_Types].xml');
  for (const part of [
    'comments1.xml',
    'threadedComments/threadedComment1.xml',
    'persons/person.xml',
  ]) {
    t.ok(types.includes(`PartName="/xl/${part}"`), part);
    t.not(parts[`xl/${part}`], undefined);
  }
  t.ok(types.includes('Extension="vml"'));
  const sheet = text('xl/worksheets/sheet1.xml');
  const ids = [...sheet.matchAll(/r:id="(\w+)"/g)].map((match) => match[1] ?? '');
  const links = text('xl/worksheets/_rels/sheet1.xml.rels');
  for (const id of ids) t.ok(links.includes(`Id="${id}"`), id);
  t.equal(ids.length, 3, 'two addresses and the drawing');
  const order = [
    ...sheet.matchAll(
      /<(sheetProtection|protectedRanges|autoFilter|mergeCells|conditionalFormatting|dataValidations|hyperlinks|legacyDrawing)\b/g,
    ),
  ];
  const names = [...new Set(order.map((match) => match[1]))];
  t.same(names, [
    'sheetProtection',
    'protectedRanges',
    'autoFilter',
    'mergeCells',
    'conditionalFormatting',
    'dataValidations',
    'hyperlinks',
    'legacyDrawing',
  ]);
  t.match(text('xl/comments1.xml'), /<author>tc=\{[0-9A-F-]{36}\}<\/author>/);
  t.end();
});

t.test('a note is a rich run, which every reader takes for text', (t) => {
  const note = { type: 'note', ranges: ['B2'], value: { text: 'Two\nlines & <more>' } } as const;
  const sheets = [{ name: 'S', cells: () => [], records: [note] }];
  const bytes = fileOf({ date1904: false, names: [], tables: [], sheets });
  const part = strFromU8(unzipSync(bytes)['xl/comments1.xml'] ?? new Uint8Array());
  t.match(part, '<text><r><t xml:space="preserve">Two&#10;lines &amp; &lt;more&gt;</t></r></text>');
  t.match(readXlsx(bytes).sheets[0]?.records, [{ type: 'note', value: { text: note.value.text } }]);
  t.end();
});
