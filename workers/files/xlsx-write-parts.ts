import { columnName } from '../../server/model/address.ts';
import { parseRange, quoteSheet, rangeName } from '../../server/model/range.ts';
import { formulaToFile, takenNames } from './formula-export.ts';
import type { FileRecord } from './file-record.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { KeptSource } from './kept-source.ts';
import type { TabOrder } from './tab-order.ts';
import type { SheetSource, WorkbookSource } from './workbook-source.ts';
import type { SheetTalk } from './xlsx-write-comments.ts';
import type { FormatStyleList } from './xlsx-dxf.ts';
import { tableColumns } from './xlsx-table-columns.ts';
import { filteredRange, styleElement } from './xlsx-tables.ts';
import {
  drawingId,
  filterColumns,
  isFilterApart,
  notesDrawingId,
  type ExternalLink,
} from './xlsx-write-records.ts';
import { encodeText, escapeXml } from './xml-text.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const officeType = 'application/vnd.openxmlformats-officedocument';
const coreType = 'application/vnd.openxmlformats-package.core-properties+xml';
const peopleRelationships = 'http://schemas.microsoft.com/office/2017/10/relationships';
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Parts that only some workbooks have. */
interface WrittenExtras {
  readonly hasPeople: boolean;
  /** True when there are errors that are rich values. */
  readonly hasErrors: boolean;
  readonly kept: KeptSource;
}

/** Returns the part of content types; `talks` are the notes and threads of each sheet. */
export function contentTypes(
  source: WorkbookSource,
  talks: readonly SheetTalk[],
  { hasPeople, hasErrors, kept }: WrittenExtras,
): string {
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
    ...talks.flatMap((talk, index) => talkTypes(talk, index + 1)),
    ...(hasPeople ? [peopleType] : []),
    ...(hasErrors ? richTypes : []),
    ...kept.parts.map(
      ({ name, contentType }) =>
        `<Override PartName="/${name}" ContentType="${encodeText(contentType)}"/>`,
    ),
  ];
  return (
    `${declaration}<Types xmlns="${packageNamespace}/content-types">` +
    (talks.every(({ isEmpty }) => isEmpty) ? '' : drawingType) +
    '<Default Extension="rels" ' +
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`
  );
}

const drawingType =
  '<Default Extension="vml" ' +
  'ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>';
const peopleType =
  '<Override PartName="/xl/persons/person.xml" ContentType="application/vnd.ms-excel.person+xml"/>';

const richTypes = [
  '<Override PartName="/xl/richData/rdrichvalue.xml" ContentType="application/vnd.ms-excel.rdrichvalue+xml"/>',
  '<Override PartName="/xl/richData/rdrichvaluestructure.xml" ContentType="application/vnd.ms-excel.rdrichvaluestructure+xml"/>',
];
const richRelationships = 'http://schemas.microsoft.com/office/2017/06/relationships';
const richLinks: readonly Link[] = [
  ['rdRichValue', 'richData/rdrichvalue.xml', richRelationships],
  ['rdRichValueStructure', 'richData/rdrichvaluestructure.xml', richRelationships],
];

function talkTypes(talk: SheetTalk, number: number): string[] {
  if (talk.isEmpty) return [];
  const notes = override(`/xl/comments${number}.xml`, 'comments');
  const threads =
    `<Override PartName="/xl/threadedComments/threadedComment${number}.xml" ` +
    'ContentType="application/vnd.ms-excel.threadedcomments+xml"/>';
  return talk.hasThreads ? [notes, threads] : [notes];
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

/**
 * Returns the relationships of the workbook; sheets come first, so that their ids are their
 * numbers.
 */
export function workbookRelationships(
  source: WorkbookSource,
  { hasPeople, hasErrors, kept }: WrittenExtras,
): string {
  return relationshipsPart([
    ...source.sheets.map((_, index): Link => ['worksheet', `worksheets/sheet${index + 1}.xml`]),
    ['styles', 'styles.xml'],
    ['sheetMetadata', 'metadata.xml'],
    ['theme', 'theme/theme1.xml'],
    ...(hasPeople ? [['person', 'persons/person.xml', peopleRelationships] as const] : []),
    ...(hasErrors ? richLinks : []),
    ...kept.chartSheets.map(({ part }, index): Link => {
      return ['chartsheet', targetFrom('xl/', part), officeRelationships, chartSheetId(index)];
    }),
  ]);
}

interface SheetExtras {
  readonly talk: SheetTalk;
  readonly links: readonly ExternalLink[];
  readonly number: number;
  /** Part with the charts and pictures of the sheet. */
  readonly drawing: string | undefined;
}

/** Returns the relationships of a sheet; tables come first, so that their ids are their numbers. */
export function sheetRelationships(
  tableIds: readonly number[],
  { talk, links, number, drawing }: SheetExtras,
): string {
  const tables = tableIds.map((id): Link => ['table', `../tables/table${id}.xml`]);
  const addresses = links.map(
    ({ id, url }) =>
      `<Relationship Id="${id}" Type="${officeRelationships}/hyperlink" ` +
      `Target="${encodeText(url)}" TargetMode="External"/>`,
  );
  return relationshipsPart(
    [...tables, ...drawingLinks(drawing), ...talkLinks(talk, number)],
    addresses.join(''),
  );
}

function drawingLinks(drawing: string | undefined): Link[] {
  if (drawing === undefined) return [];
  return [['drawing', targetFrom('xl/worksheets/', drawing), officeRelationships, drawingId]];
}

/** Returns a target relative to a folder: readers search for `../drawings/` by its spelling. */
function targetFrom(folder: 'xl/' | 'xl/worksheets/', part: string): string {
  if (!part.startsWith('xl/')) return `/${part}`;
  return folder === 'xl/' ? part.slice(3) : `../${part.slice(3)}`;
}

function chartSheetId(index: number): string {
  return `rIdChart${index + 1}`;
}

function talkLinks(talk: SheetTalk, number: number): Link[] {
  if (talk.isEmpty) return [];
  const thread = `../threadedComments/threadedComment${number}.xml`;
  return [
    ['comments', `../comments${number}.xml`],
    ['vmlDrawing', `../drawings/vmlDrawing${number}.vml`, officeRelationships, notesDrawingId],
    ...(talk.hasThreads ? [['threadedComment', thread, peopleRelationships] as const] : []),
  ];
}

/** A relationship. A type with a slash is complete, any other is appended to `types`. */
type Link = readonly [type: string, target: string, types?: string, id?: string];

function relationshipsPart(links: readonly Link[], more = ''): string {
  const elements = links.map(
    ([type, target, types = officeRelationships, id], index) =>
      `<Relationship Id="${id ?? `rId${index + 1}`}" ` +
      `Type="${type.includes('/') ? type : `${types}/${type}`}" ` +
      `Target="${target}"/>`,
  );
  const open = `<Relationships xmlns="${packageNamespace}/relationships">`;
  return `${declaration}${open}${elements.join('')}${more}</Relationships>`;
}

export function workbookPart(
  source: WorkbookSource,
  order: TabOrder,
  { mustCalculate }: { mustCalculate: boolean },
): string {
  const sheets = order.tabs.map(({ kind, index, sheet }, place) => {
    const id = kind === 'sheet' ? `rId${index + 1}` : chartSheetId(index);
    const hidden = 'hidden' in sheet ? sheet.hidden : (sheet.look?.properties.hidden ?? false);
    const name = encodeText(sheet.name);
    return `<sheet name="${name}" sheetId="${place + 1}"${sheetState(hidden)} r:id="${id}"/>`;
  });
  const first = order.selected;
  const tab = first > 0 ? ` firstSheet="${first}" activeTab="${first}"` : '';
  const calculate = calculation(source) + (mustCalculate ? ' fullCalcOnLoad="1"' : '');
  return (
    `${declaration}<workbook xmlns="${main}" xmlns:r="${officeRelationships}">` +
    `<workbookPr${source.date1904 ? ' date1904="1"' : ''}/>` +
    '<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="17000"' +
    `${tab}/></bookViews><sheets>${sheets.join('')}</sheets>${definedNames(source, order)}` +
    `<calcPr calcId="191029"${calculate}/></workbook>`
  );
}

function sheetState(hidden: boolean | 'hidden' | 'veryHidden'): string {
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

function definedNames(source: WorkbookSource, order: TabOrder): string {
  const filters = source.sheets.flatMap((sheet) =>
    filterName(sheet, order.placeOf(sheet.name), source.tables),
  );
  if (source.names.length + filters.length === 0) return '';
  const taken = takenNames(source);
  const elements = source.names.map(({ name, scope, formula, comment }) => {
    const local = scope === undefined ? '' : ` localSheetId="${order.placeOf(scope)}"`;
    const note = comment === undefined ? '' : ` comment="${encodeText(comment)}"`;
    const text = encodeText(formulaToFile(formula, { taken }));
    return `<definedName name="${encodeText(name)}"${note}${local}>${text}</definedName>`;
  });
  return `<definedNames>${elements.join('')}${filters.join('')}</definedNames>`;
}

/** Returns the name by which programs find the filter of a sheet. */
function filterName(
  { name, records = [] }: SheetSource,
  index: number,
  tables: readonly ImportedTable[],
): string[] {
  const filter = records.find(({ type }) => type === 'filter');
  const range = filter?.ranges?.[0];
  const area = range === undefined ? undefined : parseRange(range);
  const own = tables.filter(({ sheet }) => sheet === name);
  if (!filter || !area || !isFilterApart(filter, own)) return [];
  const start = `$${columnName(area.column0)}$${area.row0 + 1}`;
  const end = `$${columnName(area.column1)}$${area.row1 + 1}`;
  const text = escapeXml(`${quoteSheet(name)}!${start}:${end}`);
  const attributes = `name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1"`;
  return [`<definedName ${attributes}>${text}</definedName>`];
}

interface TableParts {
  readonly records: readonly FileRecord[];
  readonly styles: FormatStyleList;
  /** Names of the workbook in upper case. */
  readonly taken: ReadonlySet<string>;
}

/** Returns the part of a table, with its filter if that is the filter of its sheet. */
export function tablePart(
  table: ImportedTable,
  id: number,
  { records, styles, taken }: TableParts,
): string {
  const name = encodeText(table.name);
  const totals = table.totalsRow ? 'totalsRowCount="1"' : 'totalsRowShown="0"';
  // One header row is the default, but some programs read a missing attribute as none.
  const header = `headerRowCount="${table.headerRow ? 1 : 0}"`;
  return (
    `${declaration}<table xmlns="${main}" id="${id}" name="${name}" displayName="${name}" ` +
    `ref="${table.range}" ${header} ${totals}>${tableFilter(table, records, styles)}` +
    `${tableColumns(table, taken)}${styleElement(table)}</table>`
  );
}

function tableFilter(
  table: ImportedTable,
  records: readonly FileRecord[],
  styles: FormatStyleList,
): string {
  const range = filteredRange(table);
  if (!range) return '';
  const place = rangeName(range);
  const filter = records.find(({ type, ranges }) => type === 'filter' && ranges?.[0] === place);
  if (!filter) return `<autoFilter ref="${place}"/>`;
  return `<autoFilter ref="${place}">${filterColumns(filter, range, styles)}</autoFilter>`;
}
