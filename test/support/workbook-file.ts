import { strToU8, zipSync, type Zippable } from 'fflate';

import { cellName } from '../../server/model/address.ts';
import { readXlsx } from '../../workers/files/xlsx-read.ts';

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

/** Parts by name; text is stored as UTF-8. */
export type Parts = Record<string, string | Uint8Array>;

/** The parts of a small workbook with one sheet; `sheetData` holds its rows. */
export function workbookParts(sheetData: string, more: Parts = {}): Parts {
  return {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"/>`,
    '_rels/.rels': relationshipsXml([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': workbookXml('<sheet name="Sheet1" sheetId="1" r:id="rId1"/>'),
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
      ['sheetMetadata', 'metadata.xml'],
    ]),
    'xl/worksheets/sheet1.xml': sheetXml(sheetData),
    ...more,
  };
}

export function workbookXml(sheets: string, more = ''): string {
  return `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets}</sheets>${more}</workbook>`;
}

export function sheetXml(sheetData: string, more = ''): string {
  return `<worksheet xmlns="${main}"><sheetData>${sheetData}</sheetData>${more}</worksheet>`;
}

export function relationshipsXml(links: readonly (readonly [string, string])[]): string {
  const elements = links.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${packages}/relationships">${elements.join('')}</Relationships>`;
}

export function zipParts(parts: Parts): Uint8Array {
  const files: Zippable = {};
  for (const [name, content] of Object.entries(parts)) {
    files[name] = typeof content === 'string' ? strToU8(content) : content;
  }
  return zipSync(files);
}

/** The same parts under names that begin with a slash. */
export function withSlashes(parts: Parts): Parts {
  return Object.fromEntries(
    Object.entries(parts).map(([name, content]) => [`/${name}`, content] as const),
  );
}

/** A small workbook as a file. */
export function workbookFile(sheetData: string, more: Parts = {}): Uint8Array {
  return zipParts(workbookParts(sheetData, more));
}

/** The inputs of a file's sheet, by address. */
export function inputsOf(bytes: Uint8Array, sheetIndex = 0): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  for (const cell of readXlsx(bytes).sheets[sheetIndex]?.content.cells() ?? []) {
    inputs[cellName(cell.row, cell.column)] = cell.input;
  }
  return inputs;
}
