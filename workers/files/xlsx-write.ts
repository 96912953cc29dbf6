import { parseRange, rowCount } from '../../server/model/range.ts';
import { FormatList } from './format-list.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { WorkbookSource } from './workbook-source.ts';
import { FormatStyleList } from './xlsx-dxf.ts';
import { peoplePart, SheetTalk } from './xlsx-write-comments.ts';
import { writeRecords } from './xlsx-write-records.ts';
import { writeSheet } from './xlsx-write-sheet.ts';
import {
  contentTypes,
  dynamicArrayMetadata,
  packageRelationships,
  sheetRelationships,
  stylesPart,
  tablePart,
  workbookPart,
  workbookRelationships,
} from './xlsx-write-parts.ts';
import { ZipWriter } from './zip-writer.ts';

/**
 * Writes the workbook as .xlsx to `emit`. Sheets stream through the packer cell by cell, so memory
 * does not grow with them; what depends on all cells (styles, the workbook part) comes last.
 */
export function writeXlsx(all: WorkbookSource, emit: (chunk: Uint8Array) => void): void {
  const source = { ...all, tables: all.tables.filter(hasData) };
  const zip = new ZipWriter(emit);
  const talks = source.sheets.map(({ records = [] }, index) => new SheetTalk(records, index));
  const hasPeople = talks.some(({ hasThreads }) => hasThreads);
  zip.add('[Content_Types].xml', contentTypes(source, talks));
  zip.add('_rels/.rels', packageRelationships());
  zip.add('xl/_rels/workbook.xml.rels', workbookRelationships(source, hasPeople));
  const formats = new FormatList();
  const styles = new FormatStyleList();
  let drawingBlock = 1;
  let hasAllValues = true;
  for (const [index, sheet] of source.sheets.entries()) {
    const tables = tablesOf(source, sheet.name);
    const own = tables.map(({ table }) => table);
    const talk = talks[index] ?? new SheetTalk([], index);
    const { records = [] } = sheet;
    const options = { tables: own, styles, hasNotes: !talk.isEmpty };
    const { elements, links } = writeRecords(records, options);
    const file = `sheet${index + 1}.xml`;
    const part = zip.open(`xl/worksheets/${file}`);
    const written = writeSheet(part, sheet, { formats, tables: own, records: elements });
    hasAllValues &&= written.hasAllValues;
    part.end();
    const ids = tables.map(({ id }) => id);
    const number = index + 1;
    if (ids.length + links.length > 0 || !talk.isEmpty) {
      const related = sheetRelationships(ids, { talk, links, number });
      zip.add(`xl/worksheets/_rels/${file}.rels`, related);
    }
    addTalk(zip, talk, { number, drawingBlock });
    drawingBlock += talk.blockCount;
    for (const { table, id } of tables) zip.add(`xl/tables/table${id}.xml`, tablePart(table, id));
  }
  zip.add('xl/styles.xml', stylesPart(formats.codes, styles.element()));
  if (hasPeople) zip.add('xl/persons/person.xml', peoplePart(talks));
  zip.add('xl/metadata.xml', dynamicArrayMetadata());
  // Without a cached value a reader that does not calculate would show nothing.
  zip.add('xl/workbook.xml', workbookPart(source, { mustCalculate: !hasAllValues }));
  zip.end();
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

/** Excel has no table without a row between header and totals; its cells are written all the same. */
function hasData({ range, headerRow, totalsRow }: ImportedTable): boolean {
  const place = parseRange(range);
  return place !== undefined && rowCount(place) > Number(headerRow) + Number(totalsRow);
}

/** The tables of a sheet with their numbers, which count through the workbook. */
function tablesOf(source: WorkbookSource, sheet: string): { table: ImportedTable; id: number }[] {
  return source.tables
    .map((table, index) => ({ table, id: index + 1 }))
    .filter(({ table }) => table.sheet === sheet);
}
