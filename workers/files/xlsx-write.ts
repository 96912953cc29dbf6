import { parseRange, rowCount } from '../../server/model/range.ts';
import { settingDefaults } from '../../server/model/settings.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { WorkbookSource } from './workbook-source.ts';
import { themePart } from './xlsx-colors.ts';
import { propertiesPart } from './xlsx-properties.ts';
import { writeSheet } from './xlsx-write-sheet.ts';
import {
  contentTypes,
  firstVisible,
  dynamicArrayMetadata,
  packageRelationships,
  sheetRelationships,
  tablePart,
  workbookPart,
  workbookRelationships,
} from './xlsx-write-parts.ts';
import { StyleSheet } from './xlsx-write-styles.ts';
import { ZipWriter } from './zip-writer.ts';

/**
 * Writes the workbook as .xlsx to `emit`. Sheets stream through the packer cell by cell, so memory
 * does not grow with them; what depends on all cells (styles, the workbook part) comes last.
 */
export function writeXlsx(all: WorkbookSource, emit: (chunk: Uint8Array) => void): void {
  const source = { ...all, tables: all.tables.filter(hasData) };
  const zip = new ZipWriter(emit);
  zip.add('[Content_Types].xml', contentTypes(source));
  zip.add('_rels/.rels', packageRelationships());
  zip.add('xl/_rels/workbook.xml.rels', workbookRelationships(source));
  zip.add('xl/theme/theme1.xml', themePart(themeColors(source)));
  const properties = propertiesPart(source.look?.settings ?? {});
  zip.add('docProps/core.xml', properties);
  const styles = new StyleSheet(source.look?.styles ?? []);
  const first = firstVisible(source);
  let hasAllValues = true;
  for (const [index, sheet] of source.sheets.entries()) {
    const tables = tablesOf(source, sheet.name);
    const file = `sheet${index + 1}.xml`;
    const part = zip.open(`xl/worksheets/${file}`);
    const written = writeSheet(part, sheet, {
      styles,
      isFirst: index === first,
      tables: tables.map(({ table }) => table),
    });
    hasAllValues &&= written.hasAllValues;
    part.end();
    const ids = tables.map(({ id }) => id);
    if (ids.length > 0) zip.add(`xl/worksheets/_rels/${file}.rels`, sheetRelationships(ids));
    for (const { table, id } of tables) zip.add(`xl/tables/table${id}.xml`, tablePart(table, id));
  }
  zip.add('xl/styles.xml', styles.part());
  zip.add('xl/metadata.xml', dynamicArrayMetadata());
  // Without a cached value a reader that does not calculate would show nothing.
  zip.add('xl/workbook.xml', workbookPart(source, { mustCalculate: !hasAllValues }));
  zip.end();
}

function themeColors({ look }: WorkbookSource): string {
  return String(look?.settings['theme.colors'] ?? settingDefaults['theme.colors']);
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
