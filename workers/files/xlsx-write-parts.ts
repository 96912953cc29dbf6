import { parseRange, rangeName } from '../../server/model/range.ts';
import { formulaToFile } from './formula-export.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { SheetLook } from './sheet-look.ts';
import type { WorkbookSource } from './workbook-source.ts';
import { encodeText, escapeXml } from './xml-text.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const officeType = 'application/vnd.openxmlformats-officedocument';
const coreType = 'application/vnd.openxmlformats-package.core-properties+xml';
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export function contentTypes(source: WorkbookSource): string {
  const overrides = [
    override('/xl/workbook.xml', 'sheet.main'),
    override('/xl/styles.xml', 'styles'),
    override('/xl/metadata.xml', 'sheetMetadata'),
    `<Override PartName="/xl/theme/theme1.xml" ContentType="${officeType}.theme+xml"/>`,
    `<Override PartName="/docProps/core.xml" ContentType="${coreType}"/>`,
    ...source.sheets.map((_, index) =>
      override(`/xl/worksheets/sheet${index + 1}.xml`, 'worksheet'),
    ),
    ...source.tables.map((_, index) => override(`/xl/tables/table${index + 1}.xml`, 'table')),
  ];
  return (
    `${declaration}<Types xmlns="${packageNamespace}/content-types">` +
    '<Default Extension="rels" ' +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`
  );
}

function override(part: string, type: string): string {
  return `<Override PartName="${part}" ContentType="${spreadsheetType}.${type}+xml"/>`;
}

export function packageRelationships(): string {
  const core = `${packageNamespace}/relationships/metadata/core-properties`;
  return relationshipsPart([
    ['officeDocument', 'xl/workbook.xml'],
    [core, 'docProps/core.xml'],
  ]);
}

/** Sheets come first, so that a sheet's relationship id is its number. */
export function workbookRelationships(source: WorkbookSource): string {
  return relationshipsPart([
    ...source.sheets.map((_, index): Link => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ['styles', 'styles.xml'],
    ['sheetMetadata', 'metadata.xml'],
    ['theme', 'theme/theme1.xml'],
  ]);
}

export function sheetRelationships(tableIds: readonly number[]): string {
  return relationshipsPart(tableIds.map((id): Link => ['table', `../tables/table${id}.xml`]));
}

/** A type without a slash is one of office documents. */
type Link = readonly [type: string, target: string];

function relationshipsPart(links: readonly Link[]): string {
  const elements = links.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" ` +
      `Type="${type.includes('/') ? type : `${officeRelationships}/${type}`}" ` +
      `Target="${target}"/>`,
  );
  const open = `<Relationships xmlns="${packageNamespace}/relationships">`;
  return `${declaration}${open}${elements.join('')}</Relationships>`;
}

export function workbookPart(
  source: WorkbookSource,
  { mustCalculate }: { mustCalculate: boolean },
): string {
  const sheets = source.sheets.map(
    ({ name, look }, index) =>
      `<sheet name="${encodeText(name)}" sheetId="${index + 1}"` +
      `${sheetState(look)} r:id="rId${index + 1}"/>`,
  );
  const first = firstVisible(source);
  const tab = first > 0 ? ` firstSheet="${first}" activeTab="${first}"` : '';
  const calculate = calculation(source) + (mustCalculate ? ' fullCalcOnLoad="1"' : '');
  return (
    `${declaration}<workbook xmlns="${main}" xmlns:r="${officeRelationships}">` +
    `<workbookPr${source.date1904 ? ' date1904="1"' : ''}/>` +
    '<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="17000"' +
    `${tab}/></bookViews><sheets>${sheets.join('')}</sheets>${definedNames(source)}` +
    `<calcPr calcId="191029"${calculate}/></workbook>`
  );
}

/** Index of the sheet that is shown first. */
export function firstVisible({ sheets }: WorkbookSource): number {
  return Math.max(
    sheets.findIndex(({ look }) => (look?.properties.hidden ?? false) === false),
    0,
  );
}

function sheetState(look: SheetLook | undefined): string {
  const hidden = look?.properties.hidden ?? false;
  return hidden === false ? '' : ` state="${hidden === true ? 'hidden' : hidden}"`;
}

function calculation({ look }: WorkbookSource): string {
  const settings = look?.settings ?? {};
  const attributes = [
    ['calcMode', 'calcMode'],
    ['iterate', 'iteration.enabled'],
    ['iterateCount', 'iteration.maxCount'],
    ['iterateDelta', 'iteration.maxChange'],
  ] as const;
  return attributes
    .map(([attribute, path]) => {
      const value = settings[path];
      return value === undefined ? '' : ` ${attribute}="${value === true ? 1 : String(value)}"`;
    })
    .join('');
}

function definedNames(source: WorkbookSource): string {
  if (source.names.length === 0) return '';
  const order = source.sheets.map(({ name }) => name);
  const elements = source.names.map(({ name, scope, formula, comment }) => {
    const local = scope === undefined ? '' : ` localSheetId="${order.indexOf(scope)}"`;
    const note = comment === undefined ? '' : ` comment="${encodeText(comment)}"`;
    const text = escapeXml(formulaToFile(formula));
    return `<definedName name="${encodeText(name)}"${note}${local}>${text}</definedName>`;
  });
  return `<definedNames>${elements.join('')}</definedNames>`;
}

export function tablePart(table: ImportedTable, id: number): string {
  const columns = table.columns.map(
    (name, index) => `<tableColumn id="${index + 1}" name="${encodeText(name)}"/>`,
  );
  const name = encodeText(table.name);
  const totals = table.totalsRow ? 'totalsRowCount="1"' : 'totalsRowShown="0"';
  const header = table.headerRow ? '' : ' headerRowCount="0"';
  return (
    `${declaration}<table xmlns="${main}" id="${id}" name="${name}" displayName="${name}" ` +
    `ref="${table.range}"${header} ${totals}>${tableFilter(table)}` +
    `<tableColumns count="${columns.length}">${columns.join('')}</tableColumns></table>`
  );
}

function tableFilter(table: ImportedTable): string {
  const range = parseRange(table.range);
  if (!table.headerRow || range === undefined) return '';
  const row1 = table.totalsRow ? range.row1 - 1 : range.row1;
  return `<autoFilter ref="${rangeName({ ...range, row1 })}"/>`;
}

/** The one record that `cm="1"` points at: [MS-XLSX] 2.2.4.1, as Excel writes it. */
export function dynamicArrayMetadata(): string {
  const first = 'copy pasteAll pasteValues merge splitFirst rowColShift clearFormats';
  const flags = `${first} clearComments assign coerce cellMeta`.split(' ');
  return (
    `${declaration}<metadata xmlns="${main}" ` +
    'xmlns:xda="http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray">' +
    '<metadataTypes count="1"><metadataType name="XLDAPR" minSupportedVersion="120000" ' +
    `${flags.map((flag) => `${flag}="1"`).join(' ')}/></metadataTypes>` +
    '<futureMetadata name="XLDAPR" count="1"><bk><extLst>' +
    '<ext uri="{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}">' +
    '<xda:dynamicArrayProperties fDynamic="1" fCollapsed="0"/></ext></extLst></bk>' +
    '</futureMetadata><cellMetadata count="1"><bk><rc t="1" v="0"/></bk></cellMetadata></metadata>'
  );
}
