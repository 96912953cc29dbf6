import { strToU8, Zip, ZipDeflate } from 'fflate';

export interface FillDownOptions {
  readonly rowCount: number;
  /** Formulas in each row, beside one number. */
  readonly formulaCount: number;
  /** One shared formula a column, as Excel writes a fill; or every formula written out. */
  readonly style: 'shared' | 'plain';
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';

/** An .xlsx of one sheet: numbers in A, and from B on formulas filled down all rows. */
export function fillDownWorkbook(options: FillDownOptions): Uint8Array {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    chunks.push(chunk);
  });
  const add = (name: string, pieces: Iterable<string>): void => {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    for (const piece of pieces) entry.push(strToU8(piece), false);
    entry.push(new Uint8Array(0), true);
  };
  add('[Content_Types].xml', [`<Types xmlns="${packages}/content-types"/>`]);
  add('_rels/.rels', [relationship('officeDocument', 'xl/workbook.xml')]);
  add('xl/_rels/workbook.xml.rels', [relationship('worksheet', 'worksheets/sheet1.xml')]);
  add('xl/workbook.xml', [
    `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>`,
    '<sheet name="Fill" sheetId="1" r:id="rId1"/></sheets></workbook>',
  ]);
  add('xl/worksheets/sheet1.xml', sheetPieces(options));
  zip.end();
  return Buffer.concat(chunks);
}

function relationship(type: string, target: string): string {
  return (
    `<Relationships xmlns="${packages}/relationships">` +
    `<Relationship Id="rId1" Type="${office}/${type}" Target="${target}"/></Relationships>`
  );
}

function* sheetPieces(options: FillDownOptions): Generator<string> {
  yield `<worksheet xmlns="${main}"><sheetData>`;
  for (let row = 1; row <= options.rowCount; row++) {
    let text = `<row r="${row}"><c r="A${row}"><v>${row * 1.25}</v></c>`;
    for (let index = 0; index < options.formulaCount; index++) text += cell(row, index, options);
    yield `${text}</row>`;
  }
  yield '</sheetData></worksheet>';
}

function cell(row: number, index: number, { style, rowCount }: FillDownOptions): string {
  const letter = String.fromCharCode(66 + index);
  const previous = String.fromCharCode(65 + index);
  const formula = `${previous}${row}*2+$A${row}-${index}`;
  const value = row * 1.25 * (index + 2);
  if (style === 'plain') return `<c r="${letter}${row}"><f>${formula}</f><v>${value}</v></c>`;
  const isFirst = row === 1;
  const shared = isFirst ? ` ref="${letter}1:${letter}${rowCount}"` : '';
  const text = isFirst ? `>${formula}</f>` : '/>';
  return `<c r="${letter}${row}"><f t="shared"${shared} si="${index}"${text}<v>${value}</v></c>`;
}
