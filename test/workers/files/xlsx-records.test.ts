import { readFileSync } from 'node:fs';
import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

import { canonicalJson } from '../../../server/model/plain-json.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import type { FileRecord } from '../../../workers/files/file-record.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { fileOf, fileRecordsOf, sourceOf, stateOf } from '../../support/file-round-trip.ts';
import { entriesOf, recordFaults } from '../../support/record-driver.ts';
import { sheetXml, workbookParts, workbookXml, zipParts } from '../../support/workbook-file.ts';

const folder = new URL('../../../../test/workbooks/', import.meta.url);
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const microsoft = 'http://schemas.microsoft.com/office/2017/10/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

function relationships(...links: [id: string, type: string, target: string, external?: true][]) {
  const elements = links.map(([id, type, target, external]) => {
    const mode = external ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${type}" Target="${target}"${mode}/>`;
  });
  return `<Relationships xmlns="${packages}/relationships">${elements.join('')}</Relationships>`;
}

/** What Excel writes behind the cells of a sheet, in its order and with its habits. */
const behind = `
<sheetProtection algorithmName="SHA-512" hashValue="x" saltValue="y" spinCount="1" sheet="1" objects="1" formatCells="0"/>
<protectedRanges><protectedRange sqref="A1 C3:C4" name="Plan &amp; more"/></protectedRanges>
<autoFilter ref="A5:D9"><filterColumn colId="1"><filters blank="1"><filter val="x &lt; y"/></filters></filterColumn>
<filterColumn colId="2" hiddenButton="1"><customFilters and="1"><customFilter operator="greaterThan" val="5"/><customFilter val="*z"/></customFilters></filterColumn>
<filterColumn colId="3"><colorFilter dxfId="0"/></filterColumn></autoFilter>
<mergeCells count="3"><mergeCell ref="B1:C2"/><mergeCell ref="C2:D2"/><mergeCell ref="H1:H1"/></mergeCells>
<conditionalFormatting sqref="B5:B9 A7"><cfRule type="expression" dxfId="0" priority="3" stopIfTrue="1"><formula>A5&gt;$D$1</formula></cfRule>
<cfRule type="cellIs" dxfId="1" priority="1" operator="between"><formula>1</formula><formula>"a""b"</formula></cfRule></conditionalFormatting>
<conditionalFormatting sqref="D1"><cfRule type="containsText" priority="2" operator="containsText" text="it's"><formula>NOT(ISERROR(SEARCH("it's",D1)))</formula></cfRule>
<cfRule type="timePeriod" dxfId="9" priority="4" timePeriod="lastWeek"><formula>whatever()</formula></cfRule>
<cfRule type="colorScale" priority="5"><colorScale><cfvo type="min"/><cfvo type="num" val="$A$1"/><cfvo type="percentile" val="90"/><color rgb="FFF8696B"/><color theme="4" tint="-0.25"/><color indexed="10"/></colorScale></cfRule>
<cfRule type="iconSet" priority="6"><iconSet iconSet="3Arrows" showValue="0"><cfvo type="percent" val="0"/><cfvo type="percent" val="33"/><cfvo type="percent" val="67" gte="0"/></iconSet></cfRule>
<cfRule type="top10" percent="1" rank="5" priority="7"/><cfRule type="aboveAverage" aboveAverage="0" stdDev="1" priority="8"/>
<cfRule type="expression" priority="9"><formula>[1]Other!A1</formula></cfRule></conditionalFormatting>
<dataValidations count="5"><dataValidation type="list" allowBlank="1" showInputMessage="1" showErrorMessage="1" promptTitle="Pick" prompt="one_x000A_of" sqref="A1:A4"><formula1>"yes, no,""q"""</formula1></dataValidation>
<dataValidation type="list" showDropDown="1" sqref="B5"><formula1>$F$1:$F$3</formula1></dataValidation>
<dataValidation type="whole" errorStyle="warning" operator="greaterThanOrEqual" showErrorMessage="1" error="no" sqref="C1:C4 D4"><formula1>-5</formula1></dataValidation>
<dataValidation type="date" errorStyle="information" showErrorMessage="1" sqref="C9"><formula1>45000</formula1><formula2>C8+1</formula2></dataValidation>
<dataValidation type="custom" showErrorMessage="1" sqref="D9"><formula1>COUNTIF($D:$D,D9)=1</formula1></dataValidation></dataValidations>
<hyperlinks><hyperlink ref="A2" r:id="rIdLink" tooltip="go"/><hyperlink ref="A3:B3" location="'My sheet'!B2" display="x"/><hyperlink ref="A4" r:id="rIdLink" location="part"/><hyperlink ref="A5"/></hyperlinks>
<legacyDrawing r:id="rIdDrawing"/>
<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" xmlns:x14="x14"><x14:dataValidations xmlns:xm="xm" count="1"><x14:dataValidation type="list" allowBlank="1"><x14:formula1><xm:f>'My sheet'!$A$1:$A$2</xm:f></x14:formula1><xm:sqref>F9</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>`;

const styles = `<styleSheet><dxfs count="2"><dxf><font><b/><i val="0"/><color rgb="FF9C0006"/></font><fill><patternFill><bgColor rgb="FFFFC7CE"/></patternFill></fill></dxf>
<dxf><numFmt numFmtId="164" formatCode="0.0%"/><border><left style="thin"><color auto="1"/></left><bottom style="double"><color theme="1"/></bottom></border></dxf></dxfs></styleSheet>`;

const notes = `<comments><authors><author>Ada</author><author>tc={T1}</author></authors><commentList>
<comment ref="B2" authorId="0"><text><r><rPr><b/></rPr><t>Ada:</t></r><r><t xml:space="preserve">
look_x0021_</t></r></text></comment><comment ref="C3" authorId="1"><text><t>[Threaded comment]</t></text></comment></commentList></comments>`;
const threads = `<ThreadedComments><threadedComment ref="C3" dT="2024-05-06T07:08:09.12" personId="{P1}" id="{T1}" done="1"><text>why?</text></threadedComment>
<threadedComment ref="C3" personId="{P2}" id="{T2}" parentId="{T1}"><text>so &amp; so</text></threadedComment></ThreadedComments>`;
const people = `<personList><person displayName="Grace Hopper" id="{P1}"/><person displayName="Bo" id="{P2}"/></personList>`;

function file(): Uint8Array {
  const sheets =
    '<sheet name="Main" sheetId="1" r:id="rId1"/><sheet name="My sheet" sheetId="2" r:id="rId2"/>';
  return zipParts({
    ...workbookParts(''),
    'xl/workbook.xml': workbookXml(sheets),
    'xl/_rels/workbook.xml.rels': relationships(
      ['rId1', `${office}/worksheet`, 'worksheets/sheet1.xml'],
      ['rId2', `${office}/worksheet`, 'worksheets/sheet2.xml'],
      ['rId3', `${office}/styles`, 'styles.xml'],
      ['rId4', `${microsoft}/person`, 'persons/person.xml'],
    ),
    'xl/worksheets/sheet1.xml': sheetXml('<row r="1"><c r="A1"><v>1</v></c></row>', behind).replace(
      '<worksheet ',
      `<worksheet xmlns:r="${office}" `,
    ),
    'xl/worksheets/sheet2.xml': sheetXml(''),
    'xl/worksheets/_rels/sheet1.xml.rels': relationships(
      ['rIdLink', `${office}/hyperlink`, 'https://example.org/?a=1&amp;b=2', true],
      ['rIdDrawing', `${office}/vmlDrawing`, '../drawings/vmlDrawing1.vml'],
      ['rIdNotes', `${office}/comments`, '../comments1.xml'],
      ['rIdThreads', `${microsoft}/threadedComment`, '../threadedComments/threadedComment1.xml'],
    ),
    'xl/styles.xml': styles,
    'xl/comments1.xml': notes,
    'xl/threadedComments/threadedComment1.xml': threads,
    'xl/persons/person.xml': people,
    'xl/drawings/vmlDrawing1.vml': '<xml/>',
  });
}

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
    'filter criteria 1',
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
