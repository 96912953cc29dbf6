import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';
import type { ImportedWorkbook } from '../../../workers/files/imported-workbook.ts';
import { OpenArchive } from '../../../workers/files/kept-archive.ts';
import { chooseKept, type SheetNow } from '../../../workers/files/kept-manifest.ts';
import { keptSource } from '../../../workers/files/kept-source.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { chartXml, chartsFile, keptParts } from '../../support/charts-file.ts';
import { fileOf, sourceOf, stateOf } from '../../support/file-round-trip.ts';
import { packageFaults } from '../../support/package-checks.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import { relationshipsXml, workbookXml, type Parts } from '../../support/workbook-file.ts';

/** Runs long: files of other programs, there and back. */

/** The sheets of a workbook that nobody changed since it was imported. */
function unchanged({ sheets }: ImportedWorkbook): SheetNow[] {
  return sheets.map(({ name, look }) => ({
    name,
    fileSheet: look.properties.fileSheet,
    isPristine: true,
  }));
}

function exported(workbook: ImportedWorkbook): Uint8Array {
  const source = sourceOf(workbook, stateOf(toOperations(workbook)));
  const { archive } = workbook;
  if (!archive) return fileOf(source);
  const open = new OpenArchive(archive.bytes);
  const choice = chooseKept(open.manifest, unchanged(workbook));
  return fileOf({ ...source, kept: keptSource(open, choice) });
}

function losses(more: Parts): string[] {
  return readXlsx(chartsFile(more)).dropped.map(
    ({ what, where, why }) => `${what} ${where}: ${why}`,
  );
}

t.test('charts, pictures and chart sheets come back as they were', (t) => {
  const workbook = readXlsx(chartsFile());
  t.same(workbook.dropped, []);
  t.same(
    workbook.sheets.map(({ name }) => name),
    ['Report', 'My Data'],
  );
  t.match(workbook.look.settings, { 'file.parts': /^[0-9a-f]{64}$/u });
  const bytes = exported(workbook);
  t.same(packageFaults(bytes), []);
  const parts = unzipSync(bytes);
  for (const [name, content] of Object.entries(keptParts)) {
    t.same(Buffer.from(parts[name] ?? []), Buffer.from(content as string), name);
  }
  const book = strFromU8(parts['xl/workbook.xml'] ?? new Uint8Array());
  t.match(book, /name="Report".*name="Chart".*name="My Data"/u, 'in their order');
  t.match(book, /localSheetId="2">'My Data'!\$A\$1/u, 'scopes count chart sheets');
  t.match(strFromU8(parts['[Content_Types].xml'] ?? new Uint8Array()), 'drawingml.chart+xml');
  const again = readXlsx(bytes);
  t.same(again.dropped, []);
  t.same(exported(again), bytes, 'the second time nothing changes');
  t.equal(again.archive?.name, workbook.archive?.name, 'equal parts have equal names');
  t.end();
});

t.test('a file of chart sheets only has a sheet, and stays a good file', (t) => {
  const tab = '<sheet name="Sheet1" sheetId="1" state="hidden" r:id="rId1"/>';
  const workbook = readXlsx(
    chartsFile({
      'xl/workbook.xml': workbookXml(`${tab}<sheet name="Second" sheetId="2" r:id="rId2"/>`),
      'xl/_rels/workbook.xml.rels': relationshipsXml([
        ['chartsheet', 'chartsheets/sheet1.xml'],
        ['chartsheet', 'missing.xml'],
      ]),
    }),
  );
  t.same(
    workbook.sheets.map(({ name }) => name),
    ['Sheet2'],
    'of a name that no chart sheet has',
  );
  const bytes = exported(workbook);
  t.same(packageFaults(bytes), []);
  const book = strFromU8(unzipSync(bytes)['xl/workbook.xml'] ?? new Uint8Array());
  t.match(
    book,
    /name="Sheet1" sheetId="1" state="hidden" r:id="rIdChart1"\/><sheet name="Sheet2"/u,
  );
  t.equal(readXlsx(bytes).sheets.length, 1);
  t.match(workbook.dropped, [{ what: 'chart sheets', where: 'Second', why: /missing/u }]);
  t.end();
});

t.test('what means nothing by itself is not kept, and is said', (t) => {
  const drawing = 'xl/drawings/drawing1.xml';
  const links = 'xl/drawings/_rels/drawing1.xml.rels';
  t.match(losses({ [drawing]: '<x><sle:slicer name="S"/></x>' })[0], /Report: it has a slicer/u);
  t.match(losses({ 'xl/charts/chart1.xml': chartXml('A', '<c:pivotSource/>') })[0], /pivot table/u);
  t.match(losses({ [drawing]: '<x><unclosed></x>' })[0], /well-formed/u);
  t.match(
    losses({ [links]: relationshipsXml([['chart', 'gone.xml']]) })[0],
    /gone\.xml is missing/u,
  );
  t.match(
    losses({ [links]: relationshipsXml([['x', '../worksheets/sheet2.xml']]) })[0],
    /not kept/u,
  );
  t.match(losses({ [links]: relationshipsXml([['x', '../../../evil.xml']]) })[0], /outside/u);
  t.match(losses({ [drawing]: '<x xmlns="http://purl.oclc.org/ooxml/drawingml"/>' })[0], /strict/u);
  const linked = `<Relationships><Relationship Id="a" Type="x/oleObject" Target="file:///c:/x" TargetMode="External"/></Relationships>`;
  t.match(losses({ [links]: linked })[0], /another file/u);
  const controls = relationshipsXml([
    ['drawing', '../drawings/drawing1.xml'],
    ['ctrlProp', '../ctrlProps/ctrlProp1.xml'],
  ]);
  t.match(losses({ 'xl/worksheets/_rels/sheet1.xml.rels': controls })[0], /controls/u);
  const huge = { 'xl/media/image1.png': Buffer.alloc(8 * 1024 * 1024, 'x') };
  const many = Array.from({ length: 9 }, (_, at) => ['image', `../media/big${at}.png`] as const);
  const big = Object.fromEntries(
    many.map(([, name]) => [name.replace('..', 'xl'), noise(at(name))]),
  );
  t.match(losses({ ...huge, ...big, [links]: relationshipsXml(many) })[0], /64 MiB/u);
  const kept = readXlsx(chartsFile({ [drawing]: '<x><sle:slicer/></x>' }));
  t.same(packageFaults(exported(kept)), [], 'the rest is kept all the same');
  t.end();
});

function at(name: string): number {
  return Number(/\d/u.exec(name)?.[0]);
}

/** Bytes that do not pack, so that no other limit is met. */
function noise(seed: number): Buffer {
  const bytes = Buffer.alloc(8 * 1024 * 1024);
  let state = seed + 1;
  for (let index = 0; index < bytes.length; index += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, index);
  }
  return bytes;
}

t.test('what goes back depends on what became of the sheets', (t) => {
  const workbook = readXlsx(chartsFile());
  const { manifest } = new OpenArchive(workbook.archive?.bytes ?? new Uint8Array());
  const [report, data] = unchanged(workbook) as [SheetNow, SheetNow];
  const changed = { isPristine: false };
  const cases: [what: string, sheets: SheetNow[], lost: RegExp[]][] = [
    ['as they were', [report, data], []],
    ['in another order', [data, report], []],
    ['with a new sheet', [{ ...report, name: 'New', fileSheet: undefined }, report, data], []],
    [
      'rows of the sheet itself',
      [{ ...report, ...changed }, data],
      [/Report.*were changed/u, /Chart/u],
    ],
    ['rows of the data', [report, { ...data, ...changed }], [/Report: .* My Data, whose rows/u]],
    ['the data renamed', [report, { ...data, name: 'Other' }], [/Report: .*renamed or deleted/u]],
    ['the data deleted', [report], [/Report: .*renamed or deleted/u]],
    [
      'the sheet renamed',
      [{ ...report, name: 'R' }, data],
      [/Chart: .*Report, which was renamed/u],
    ],
    ['the sheet deleted', [data], [/Report: the sheet was deleted/u, /Chart/u]],
    [
      'names changed about',
      [
        { ...report, name: 'My Data' },
        { ...data, name: 'Report' },
      ],
      [/Report: .*renamed/u, /Chart: .*renamed/u],
    ],
    [
      'a sheet with the name of the chart sheet',
      [report, data, { name: 'CHART', fileSheet: undefined, isPristine: true }],
      [/Chart: another sheet has its name/u],
    ],
    ['a copy of the sheet', [{ ...report, name: 'Copy' }, report, data], []],
  ];
  for (const [what, sheets, lost] of cases) {
    const choice = chooseKept(manifest, sheets);
    const said = choice.lost.map(({ where, why }) => `${where}: ${why}`);
    t.equal(said.length, lost.length, `${what}: ${said.join('; ')}`);
    for (const [index, pattern] of lost.entries()) t.match(said[index], pattern, what);
  }
  const copied = chooseKept(manifest, [{ ...report, name: 'Copy' }, report, data]);
  t.same([...copied.drawings], [[1, 0]], 'the sheet itself has its charts, not its copy');
  t.equal(chooseKept(manifest, [data, report]).chartSheets[0]?.before, 2, 'behind its neighbor');
  t.end();
});
