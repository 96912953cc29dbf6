import { relationshipsXml, workbookXml, zipParts, type Parts } from './workbook-file.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const chart = 'http://schemas.openxmlformats.org/drawingml/2006/chart';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const drawing = 'application/vnd.openxmlformats-officedocument';

/** Picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function sheet(rows: string, drawings = ''): string {
  return (
    `<worksheet xmlns="${main}" xmlns:r="${office}"><sheetData>${rows}</sheetData>` +
    `${drawings}</worksheet>`
  );
}

function linksXml(links: readonly (readonly [id: string, type: string, target: string])[]): string {
  const elements = links.map(([id, type, target]) => {
    const mode = target.includes('://') ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${mode}/>`;
  });
  return `<Relationships xmlns="${packages}/relationships">${elements.join('')}</Relationships>`;
}

export function chartXml(formula: string, more = ''): string {
  return (
    `<c:chartSpace xmlns:c="${chart}">${more}<c:chart><c:plotArea><c:barChart><c:ser><c:val>` +
    `<c:numRef><c:f>${formula}</c:f></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart>` +
    '</c:chartSpace>'
  );
}

/** Parts that an export has to return byte for byte. */
export const keptParts: Parts = {
  'xl/drawings/drawing1.xml':
    `<xdr:wsDr xmlns:xdr="${drawing}" xmlns:r="${office}"><!-- odd   spacing -->` +
    '<c:chart r:id="rId1"/><a:blip r:embed="rId2"/><a:hlinkClick r:id="rId3"/></xdr:wsDr>',
  'xl/drawings/_rels/drawing1.xml.rels': linksXml([
    ['rId1', 'chart', '../charts/chart1.xml'],
    ['rId2', 'image', '../media/image1.png'],
    ['rId3', 'hyperlink', 'https://example.org/?a=1&amp;b=2'],
  ]),
  'xl/charts/chart1.xml': chartXml("'My Data'!$A$1:$A$3"),
  'xl/charts/_rels/chart1.xml.rels': linksXml([['rId1', 'chartStyle', 'style1.xml']]),
  'xl/charts/style1.xml': '<cs:chartStyle xmlns:cs="x" id="201"/>',
  'xl/media/image1.png': png,
  'xl/chartsheets/sheet1.xml':
    `<chartsheet xmlns="${main}" xmlns:r="${office}"><sheetViews><sheetView workbookViewId="0"/>` +
    '</sheetViews><drawing r:id="rId1"/></chartsheet>',
  'xl/chartsheets/_rels/sheet1.xml.rels': linksXml([
    ['rId1', 'drawing', '../drawings/drawing2.xml'],
  ]),
  'xl/drawings/drawing2.xml': `<xdr:wsDr xmlns:xdr="x" xmlns:r="${office}"><c:chart r:id="rId1"/></xdr:wsDr>`,
  'xl/drawings/_rels/drawing2.xml.rels': linksXml([
    ['rId1', 'chart', '../charts/chart2.xml'],
    ['rId2', 'image', '../media/image1.png'],
  ]),
  'xl/charts/chart2.xml': chartXml('Report!$A$1'),
};

const types: readonly (readonly [part: string, type: string])[] = [
  ['xl/workbook.xml', `${spreadsheet}.sheet.main+xml`],
  ['xl/drawings/drawing1.xml', `${drawing}.drawing+xml`],
  ['xl/drawings/drawing2.xml', `${drawing}.drawing+xml`],
  ['xl/charts/chart1.xml', `${drawing}.drawingml.chart+xml`],
  ['xl/charts/chart2.xml', `${drawing}.drawingml.chart+xml`],
  ['xl/charts/style1.xml', 'application/vnd.ms-office.chartstyle+xml'],
  ['xl/chartsheets/sheet1.xml', `${spreadsheet}.chartsheet+xml`],
  ['xl/slicers/slicer1.xml', 'application/vnd.ms-excel.slicer+xml'],
];

/**
 * Makes a file with the sheets Report, Chart (a chart sheet) and My Data: a chart of My Data and a
 * picture on Report, a chart of Report on the chart sheet.
 */
export function chartsFile(more: Parts = {}): Uint8Array {
  const overrides = types.map(
    ([part, type]) => `<Override PartName="/${part}" ContentType="${type}"/>`,
  );
  return zipParts({
    '[Content_Types].xml':
      `<Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/>` +
      `<Default Extension="png" ContentType="image/png"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relationshipsXml([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': workbookXml(
      '<sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="Chart" sheetId="2" r:id="rId2"/>' +
        '<sheet name="My Data" sheetId="3" r:id="rId3"/>',
      '<definedNames><definedName name="Own" localSheetId="2">\'My Data\'!$A$1</definedName>' +
        '</definedNames>',
    ),
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['chartsheet', 'chartsheets/sheet1.xml'],
      ['worksheet', 'worksheets/sheet2.xml'],
    ]),
    'xl/worksheets/sheet1.xml': sheet(
      '<row r="1"><c r="A1"><v>7</v></c></row>',
      '<drawing r:id="rId1"/>',
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': linksXml([
      ['rId1', 'drawing', '../drawings/drawing1.xml'],
    ]),
    'xl/worksheets/sheet2.xml': sheet(
      [1, 2, 3].map((n) => `<row r="${n}"><c r="A${n}"><v>${n}</v></c></row>`).join(''),
    ),
    ...keptParts,
    ...more,
  });
}
