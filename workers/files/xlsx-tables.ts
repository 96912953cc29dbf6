import type { FormatStyle } from '../../server/model/payload-rules.ts';
import type { TableStyle } from '../../server/model/payload-tables.ts';
import { canonicalObject } from '../../server/model/plain-json.ts';
import { parseRange, rangeName, type Range } from '../../server/model/range.ts';
import { brokenFile } from './file-problem.ts';
import type { FileRecord } from './file-record.ts';
import type { DroppedList, ImportedTable } from './imported-workbook.ts';
import { isActiveFilter, readFilter } from './xlsx-read-filter.ts';
import { decodeEscapes, encodeText } from './xml-text.ts';
import { isTrue, readXml, type XmlAttributes } from './xml-reader.ts';
import { ElementCollector, type XmlElement } from './xml-tree.ts';
import type { ZipEntries } from './zip-entries.ts';

interface ReadTable {
  readonly table: ImportedTable;
  /** Filter with its criteria; undefined if it hides no row. */
  readonly filter: FileRecord | undefined;
}

interface TableContext {
  readonly sheet: string;
  readonly dropped: DroppedList;
  /** Styles of conditional formats. */
  readonly formatStyles: readonly FormatStyle[];
}

/** Reads a table part: the area of the table, its column names and its filter. */
export function readTable(zip: ZipEntries, part: string, context: TableContext): ReadTable {
  const columns: string[] = [];
  const formulas: (string | undefined)[] = [];
  let formula: string | undefined;
  let root: XmlAttributes = {};
  let filter: FileRecord | undefined;
  let style: TableStyle | undefined;
  const collector = new ElementCollector(new Set(['autoFilter']), (element) => {
    if (element.depth === 2) filter = tableFilter(element, context);
  });
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes, depth: number): void {
      if (depth === 1) root = attributes;
      if (depth === 3 && name === 'tableColumn') {
        columns.push(decodeEscapes(attributes['name'] ?? ''));
      }
      if (depth === 4 && name === 'calculatedColumnFormula') formula = '';
      if (depth === 2 && name === 'tableStyleInfo') style = readStyle(attributes, context);
      collector.open(name, attributes, depth);
    },
    text(text: string): void {
      if (formula !== undefined) formula += text;
      collector.text(text);
    },
    close(): void {
      if (formula !== undefined) formulas[columns.length - 1] = decodeEscapes(formula);
      formula = undefined;
      collector.close();
    },
  });
  const name = root['displayName'] ?? root['name'];
  const range = parseRange(root['ref'] ?? '');
  if (name === undefined || range === undefined) throw brokenFile(`${part} is not a table`);
  const table = {
    name,
    sheet: context.sheet,
    range: rangeName(range),
    columns,
    headerRow: Number(root['headerRowCount'] ?? 1) > 0,
    totalsRow: Number(root['totalsRowCount'] ?? 0) > 0,
    ...(formulas.length > 0 && { formulas }),
    ...(style && { style }),
  };
  return { table, filter };
}

const styleFlags = ['firstColumn', 'lastColumn', 'rowStripes', 'columnStripes'] as const;

/** Returns the attribute of a table style for one of its members. */
function flagAttribute(flag: (typeof styleFlags)[number]): string {
  return `show${flag.charAt(0).toUpperCase()}${flag.slice(1)}`;
}

function readStyle(attributes: XmlAttributes, { sheet, dropped }: TableContext): TableStyle {
  const style: TableStyle = {};
  for (const flag of styleFlags) {
    if (isTrue(attributes[flagAttribute(flag)])) style[flag] = true;
  }
  const { name } = attributes;
  if (name === undefined) return style;
  if (builtInStyle.test(name)) return { name, ...style };
  dropped.add('table styles', 'the styles that every program has are kept', { where: sheet });
  return style;
}

const builtInStyle = /^TableStyle(?:Light|Medium|Dark)\d{1,2}$/u;

/** Returns the element for the look of a table. */
export function styleElement({ style }: ImportedTable): string {
  if (!style) return '';
  const name = style.name === undefined ? '' : ` name="${encodeText(style.name)}"`;
  const shown = styleFlags.map((flag) => ` ${flagAttribute(flag)}="${style[flag] ? 1 : 0}"`);
  return `<tableStyleInfo${name}${shown.join('')}/>`;
}

function tableFilter(
  element: XmlElement,
  { sheet, dropped, formatStyles: styles }: TableContext,
): FileRecord | undefined {
  const range = parseRange(element.attributes['ref'] ?? '');
  if (!range) return undefined;
  const lose = (why: string) => dropped.add('filter criteria', why, { where: sheet });
  const value = canonicalObject({ criteria: readFilter(element, range, { styles, lose }) });
  const filter = { type: 'filter', ranges: [rangeName(range)], value } as const;
  return isActiveFilter(filter) ? filter : undefined;
}

/**
 * Chooses the filter of a sheet, which has only one: its own if it hides rows, else that of a
 * table.
 */
export function withTableFilter(
  records: readonly FileRecord[],
  tables: readonly ReadTable[],
  { sheet, dropped }: Pick<TableContext, 'sheet' | 'dropped'>,
): readonly FileRecord[] {
  const own = records.find(({ type }) => type === 'filter');
  const filters = tables.flatMap(({ filter }) => filter ?? []);
  const kept = own && isActiveFilter(own) ? own : filters[0];
  const lostCount = filters.filter((filter) => filter !== kept).length;
  const why = 'a sheet has one filter';
  if (lostCount > 0) dropped.add('filters of tables', why, { where: sheet, count: lostCount });
  if (kept === undefined || kept === own) return records;
  return [kept, ...records.filter((record) => record !== own)];
}

/** Returns the filtered range of a table, which has no totals. */
export function filteredRange({ range, headerRow, totalsRow }: ImportedTable): Range | undefined {
  const place = headerRow ? parseRange(range) : undefined;
  return place && { ...place, row1: totalsRow ? place.row1 - 1 : place.row1 };
}
