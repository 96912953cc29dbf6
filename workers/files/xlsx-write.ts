import { parseRange, rowCount } from '../../server/model/range.ts';
import { settingDefaults } from '../../server/model/settings.ts';
import { takenNames } from './formula-export.ts';
import type { ImportedTable } from './imported-workbook.ts';
import { nothingKept, type KeptSource } from './kept-source.ts';
import type { SheetSource, WorkbookSource } from './workbook-source.ts';
import { themePart } from './xlsx-colors.ts';
import { FormatStyleList } from './xlsx-dxf.ts';
import { TabOrder } from './tab-order.ts';
import { linksOf } from './xlsx-package.ts';
import { propertiesPart } from './xlsx-properties.ts';
import { WrittenErrors } from './xlsx-rich-errors.ts';
import { cellMetadata } from './xlsx-write-metadata.ts';
import { peoplePart, SheetTalk } from './xlsx-write-comments.ts';
import { writeRecords } from './xlsx-write-records.ts';
import { writeSheet } from './xlsx-write-sheet.ts';
import {
  contentTypes,
  packageRelationships,
  sheetRelationships,
  tablePart,
  workbookPart,
  workbookRelationships,
} from './xlsx-write-parts.ts';
import { StyleSheet } from './xlsx-write-styles.ts';
import { ZipWriter } from './zip-writer.ts';

/**
 * Writes the workbook as .xlsx to `emit`. Sheets are packed cell by cell, so memory does not grow
 * with them; the parts that depend on all cells (styles, the workbook part) come last.
 */
export function writeXlsx(all: WorkbookSource, emit: (chunk: Uint8Array) => void): void {
  const source = { ...all, tables: all.tables.filter(hasData) };
  const zip = new ZipWriter(emit);
  const talks = source.sheets.map(({ records = [] }, index) => new SheetTalk(records, index));
  const hasPeople = talks.some(({ hasThreads }) => hasThreads);
  zip.add('_rels/.rels', packageRelationships());
  zip.add('xl/theme/theme1.xml', themePart(themeColors(source)));
  const properties = propertiesPart(source.look?.settings ?? {});
  zip.add('docProps/core.xml', properties);
  const styles = new StyleSheet(source.look?.styles ?? []);
  const order = new TabOrder(source);
  const kept = source.kept ?? nothingKept;
  const formatStyles = new FormatStyleList();
  const errors = new WrittenErrors();
  const taken = takenNames(source);
  let drawingBlock = 1;
  let hasAllValues = true;
  for (const [index, sheet] of source.sheets.entries()) {
    const talk = talks[index] ?? new SheetTalk([], index);
    const tables = tablesOf(source, sheet.name);
    const drawing = kept.drawings.get(index);
    const isFirst = index === order.selectedSheet;
    const place = { number: index + 1, isFirst, tables, talk, drawingBlock, drawing };
    const written = addSheet(zip, sheet, { ...place, styles, formatStyles, errors, taken });
    hasAllValues &&= written.hasAllValues;
    drawingBlock += talk.blockCount;
  }
  zip.add('xl/styles.xml', styles.part(formatStyles.element()));
  if (hasPeople) zip.add('xl/persons/person.xml', peoplePart(talks));
  zip.add('xl/metadata.xml', cellMetadata(errors.count));
  const hasErrors = errors.count > 0;
  if (hasErrors) {
    zip.add('xl/richData/rdrichvalue.xml', errors.valuesPart());
    zip.add('xl/richData/rdrichvaluestructure.xml', errors.structuresPart());
  }
  // Readers that do not calculate show nothing for a formula without a cached value.
  zip.add('xl/workbook.xml', workbookPart(source, order, { mustCalculate: !hasAllValues }));
  addKept(zip, kept);
  const has = { hasPeople, hasErrors };
  zip.add('xl/_rels/workbook.xml.rels', workbookRelationships(source, { ...has, kept }));
  // The list of parts is only known at the end; their order is free.
  zip.add('[Content_Types].xml', contentTypes(source, talks, { ...has, kept }));
  zip.end();
}

interface SheetParts {
  readonly number: number;
  readonly isFirst: boolean;
  readonly tables: ReturnType<typeof tablesOf>;
  readonly talk: SheetTalk;
  /** Part with its charts and pictures. */
  readonly drawing: string | undefined;
  /** Number of its first drawing of notes. */
  readonly drawingBlock: number;
  readonly styles: StyleSheet;
  readonly formatStyles: FormatStyleList;
  readonly errors: WrittenErrors;
  readonly taken: ReadonlySet<string>;
}

/** Adds the part of a sheet and all parts that belong to it. */
function addSheet(
  zip: ZipWriter,
  sheet: SheetSource,
  parts: SheetParts,
): { hasAllValues: boolean } {
  const { number, isFirst, talk, drawingBlock, styles, formatStyles, errors, taken } = parts;
  const tables = parts.tables.map(({ table }) => table);
  const { drawing } = parts;
  const hasDrawing = drawing !== undefined;
  const options = { tables, styles: formatStyles, hasNotes: !talk.isEmpty, hasDrawing };
  const { links, ...records } = writeRecords(sheet.records ?? [], options);
  const part = zip.open(`xl/worksheets/sheet${number}.xml`);
  const place = { styles, isFirst, tables, errors, taken, records };
  const written = writeSheet(part, sheet, place);
  part.end();
  const ids = parts.tables.map(({ id }) => id);
  if (ids.length + links.length > 0 || !talk.isEmpty || hasDrawing) {
    const related = sheetRelationships(ids, { talk, links, number, drawing });
    zip.add(`xl/worksheets/_rels/sheet${number}.xml.rels`, related);
  }
  addTalk(zip, talk, { number, drawingBlock });
  const filter = { records: sheet.records ?? [], styles: formatStyles, taken };
  for (const { table, id } of parts.tables) {
    zip.add(`xl/tables/table${id}.xml`, tablePart(table, id, filter));
  }
  return written;
}

/** Adds the kept parts of the imported file, byte by byte. */
function addKept(zip: ZipWriter, kept: KeptSource): void {
  for (const part of kept.parts) {
    const { bytes, links } = kept.content(part);
    zip.addBytes(part.name, bytes);
    if (links) zip.addBytes(linksOf(part.name), links);
  }
}

function themeColors({ look }: WorkbookSource): string {
  return String(look?.settings['theme.colors'] ?? settingDefaults['theme.colors']);
}

function addTalk(
  zip: ZipWriter,
  talk: SheetTalk,
  { number, drawingBlock }: { number: number; drawingBlock: number },
): void {
  if (talk.isEmpty) return;
  zip.add(`xl/comments${number}.xml`, talk.notesPart());
  zip.add(`xl/drawings/vmlDrawing${number}.vml`, talk.drawingPart(drawingBlock));
  if (!talk.hasThreads) return;
  zip.add(`xl/threadedComments/threadedComment${number}.xml`, talk.threadsPart());
}

/**
 * Returns whether a table has a row between header and totals, without which Excel takes no table;
 * its cells are written in any case.
 */
function hasData({ range, headerRow, totalsRow }: ImportedTable): boolean {
  const place = parseRange(range);
  return place !== undefined && rowCount(place) > Number(headerRow) + Number(totalsRow);
}

/** Returns the tables of a sheet with their numbers in the workbook. */
function tablesOf(source: WorkbookSource, sheet: string): { table: ImportedTable; id: number }[] {
  return source.tables
    .map((table, index) => ({ table, id: index + 1 }))
    .filter(({ table }) => table.sheet === sheet);
}
