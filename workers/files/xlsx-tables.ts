import { parseRange, rangeName } from '../../server/model/range.ts';
import { brokenFile } from './file-problem.ts';
import type { ImportedTable } from './imported-workbook.ts';
import { decodeEscapes } from './xml-text.ts';
import { readXml, type XmlAttributes } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

/** One table part: where the table lies and what its columns are called. */
export function readTable(zip: ZipEntries, part: string, sheet: string): ImportedTable {
  const columns: string[] = [];
  let root: XmlAttributes = {};
  readXml(zip, part, {
    open(name: string, attributes: XmlAttributes, depth: number): void {
      if (depth === 1) root = attributes;
      if (depth === 3 && name === 'tableColumn') {
        columns.push(decodeEscapes(attributes['name'] ?? ''));
      }
    },
  });
  const name = root['displayName'] ?? root['name'];
  const range = parseRange(root['ref'] ?? '');
  if (name === undefined || range === undefined) throw brokenFile(`${part} is not a table`);
  return {
    name,
    sheet,
    range: rangeName(range),
    columns,
    headerRow: Number(root['headerRowCount'] ?? 1) > 0,
    totalsRow: Number(root['totalsRowCount'] ?? 0) > 0,
  };
}
