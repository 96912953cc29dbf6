import { isObject, type JsonObject, type JsonValue } from '../../server/model/plain-json.ts';
import { parseColumn } from '../../server/model/address.ts';
import type { Range } from '../../server/model/range.ts';
import { rangesOf, type FileRecord } from './file-record.ts';
import type { ImportedTable } from './imported-workbook.ts';
import { mergesApart } from './merges-apart.ts';
import { objectsOf } from './record-operations.ts';
import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { FormatStyleList } from './xlsx-dxf.ts';
import { validationsElement, writeFormats } from './xlsx-write-rules.ts';
import { encodeText } from './xml-text.ts';

interface RecordOptions {
  readonly tables: readonly ImportedTable[];
  readonly styles: FormatStyleList;
  /** True when the sheet has a drawing with the shapes of its notes. */
  readonly hasNotes: boolean;
  /** True when the sheet has charts and pictures. */
  readonly hasDrawing: boolean;
}

export interface WrittenRecords {
  /** Elements behind the cells, in the order of the schema. */
  readonly elements: string;
  /** Extensions of the sheet, behind its tables. */
  readonly extensions: string;
  /** Addresses of links with the ids of their relationships. */
  readonly links: readonly ExternalLink[];
}

export interface ExternalLink {
  readonly id: string;
  readonly url: string;
}

/** Returns the elements for everything that lies on the cells of a sheet. */
export function writeRecords(
  records: readonly FileRecord[],
  { tables, styles, hasNotes, hasDrawing }: RecordOptions,
): WrittenRecords {
  const possible = mergesApart(records, tables);
  const of = (type: FileRecord['type']) => possible.filter((record) => record.type === type);
  const { element: hyperlinks, links } = linksElement(of('hyperlink'));
  const { elements: formats, extended } = writeFormats(of('cf'), styles);
  const elements = [
    protectionElement(of('protection')),
    protectedRangesElement(of('protection')),
    // A table has its own filter; Excel takes a sheet with two overlapping filters for damaged.
    filterElement(of('filter'), tables, styles),
    mergesElement(of('cellmerge')),
    formats,
    validationsElement(of('validation')),
    hyperlinks,
    hasDrawing ? `<drawing r:id="${drawingId}"/>` : '',
    hasNotes ? `<legacyDrawing r:id="${notesDrawingId}"/>` : '',
  ];
  return { elements: elements.join(''), extensions: extended, links };
}

export const drawingId = 'rIdDrawing';
export const notesDrawingId = 'rIdNotesDrawing';

function mergesElement(merges: readonly FileRecord[]): string {
  if (merges.length === 0) return '';
  const cells = merges.map(({ ranges }) => `<mergeCell ref="${ranges?.[0] ?? ''}"/>`);
  return `<mergeCells count="${merges.length}">${cells.join('')}</mergeCells>`;
}

function linksElement(records: readonly FileRecord[]): {
  element: string;
  links: ExternalLink[];
} {
  const links: ExternalLink[] = [];
  const elements = records.map(({ ranges, value }) => {
    const { url, location, tooltip } = value;
    const tip = typeof tooltip === 'string' ? ` tooltip="${encodeText(tooltip)}"` : '';
    const start = `<hyperlink ref="${ranges?.[0] ?? ''}"`;
    if (typeof url !== 'string') {
      const place = typeof location === 'string' ? location : '';
      return `${start} location="${encodeText(place)}"${tip}/>`;
    }
    const id = `rIdLink${links.length + 1}`;
    links.push({ id, url });
    return `${start} r:id="${id}"${tip}/>`;
  });
  const inner = elements.join('');
  return { element: inner === '' ? '' : `<hyperlinks>${inner}</hyperlinks>`, links };
}

/**
 * Returns the protection element: a file has one for each sheet, the first that covers all of it.
 */
function protectionElement(protections: readonly FileRecord[]): string {
  const whole = protections.find(({ ranges }) => ranges === null);
  if (!whole) return '';
  const { options } = whole.value;
  const flags = Object.entries(isObject(options) ? options : {})
    .filter(([name]) => /^[a-z][A-Za-z]*$/u.test(name) && name !== 'sheet')
    .map(([name, value]) => ` ${name}="${value === true ? 1 : 0}"`);
  return `<sheetProtection sheet="1"${flags.join('')}/>`;
}

function protectedRangesElement(protections: readonly FileRecord[]): string {
  const ranged = protections.filter(({ ranges }) => ranges !== null);
  if (ranged.length === 0) return '';
  const elements = ranged.map(({ ranges, value }, index) => {
    const { name } = value;
    const called = typeof name === 'string' ? name : `Range${index + 1}`;
    return `<protectedRange sqref="${(ranges ?? []).join(' ')}" name="${encodeText(called)}"/>`;
  });
  return `<protectedRanges>${elements.join('')}</protectedRanges>`;
}

function filterElement(
  [filter]: readonly FileRecord[],
  tables: readonly ImportedTable[],
  styles: FormatStyleList,
): string {
  if (!filter) return '';
  const [range] = rangesOf(filter);
  if (!range || !isFilterApart(filter, tables)) return '';
  return `<autoFilter ref="${filter.ranges?.[0] ?? ''}">${filterColumns(filter, range, styles)}</autoFilter>`;
}

/** Returns whether the filter lies on no table. */
export function isFilterApart(filter: FileRecord, tables: readonly ImportedTable[]): boolean {
  return mergesApart([{ ...filter, type: 'cellmerge' }], tables).length === 1;
}

export function filterColumns(
  { value }: FileRecord,
  range: Range,
  styles: FormatStyleList,
): string {
  const columns = objectsOf(value['criteria']).map((criterion) => {
    const position = parseColumn(textOf(criterion['column'])) ?? range.column0;
    const hidden = criterion['hideButton'] === true ? ' hiddenButton="1"' : '';
    const start = `<filterColumn colId="${position - range.column0}"${hidden}>`;
    return `${start}${criterionElement(criterion, styles)}</filterColumn>`;
  });
  return columns.join('');
}

function criterionElement(criterion: JsonObject, styles: FormatStyleList): string {
  const { conditions, any, top, dynamic, color, icon } = criterion;
  if (typeof dynamic === 'string') return `<dynamicFilter type="${encodeText(dynamic)}"/>`;
  if (isObject(top)) return topElement(top);
  if (isObject(color)) return colorElement(color, styles);
  if (isObject(icon)) return iconElement(icon);
  if (Array.isArray(conditions)) {
    const all = conditions.length > 1 && any !== true ? ' and="1"' : '';
    const inner = objectsOf(conditions).map(({ operator, value }) => {
      const compared = operator === 'equal' ? '' : ` operator="${textOf(operator)}"`;
      return `<customFilter${compared} val="${encodeText(textOf(value))}"/>`;
    });
    return `<customFilters${all}>${inner.join('')}</customFilters>`;
  }
  return valuesElement(criterion);
}

function valuesElement({ values, dates, blanks }: JsonObject): string {
  if (!Array.isArray(values) && !Array.isArray(dates) && blanks !== true) return '';
  const shown = Array.isArray(values) ? values : [];
  const filters = shown.map((value: JsonValue) => `<filter val="${encodeText(textOf(value))}"/>`);
  const groups = objectsOf(dates).map(dateGroupElement);
  const inner = [...filters, ...groups].join('');
  return `<filters${blanks === true ? ' blank="1"' : ''}>${inner}</filters>`;
}

const dateParts = ['year', 'month', 'day', 'hour', 'minute', 'second'];

function dateGroupElement(group: JsonObject): string {
  const parts = dateParts.filter((name) => typeof group[name] === 'number');
  const attributes = parts.map((name) => `${name}="${textOf(group[name])}"`).join(' ');
  return `<dateGroupItem ${attributes} dateTimeGrouping="${parts.at(-1) ?? 'year'}"/>`;
}

function colorElement({ of, color }: JsonObject, styles: FormatStyleList): string {
  const isFill = of !== 'font';
  // Without a colour it means cells without a fill, or letters of the automatic colour.
  const style = color === undefined ? { pattern: { style: 'none' } } : undefined;
  const painted = (isFill ? { fill: color } : { color }) as FormatStyle;
  const dxf = styles.indexOf(style ?? painted) ?? 0;
  return `<colorFilter dxfId="${dxf}"${isFill ? '' : ' cellColor="0"'}/>`;
}

function iconElement({ set, index }: JsonObject): string {
  const icon = typeof index === 'number' ? ` iconId="${index}"` : '';
  return `<iconFilter iconSet="${encodeText(textOf(set))}"${icon}/>`;
}

function topElement({ count, percent, bottom }: JsonObject): string {
  const below = bottom === true ? ' top="0"' : '';
  const share = percent === true ? ' percent="1"' : '';
  return `<top10${below}${share} val="${textOf(count)}"/>`;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}
