import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';
import { workbookFile } from '../support/workbook-file.ts';

/** Rows of a file that are hidden and sized by turns, in heights that come again far below. */

const rowCount = 12_000;
const heightCount = 300;

/** Half of the rows are hidden, and each other one has a height of its own among many. */
function rowXml(row: number): string {
  const look =
    row % 2 === 1 ? 'hidden="1"' : `ht="${10 + ((row * 7) % heightCount) / 4}" customHeight="1"`;
  return `<row r="${row}" ${look}><c r="A${row}"><v>${row}</v></c></row>`;
}

/** In points, which pixels come near to. */
function heightOf(attributes: string): number {
  return Number(/ ht="([\d.]+)"/u.exec(attributes)?.[1]);
}

t.test('each row of a long file is hidden or as high as the file says', async (t) => {
  const book = await KeptWorkbook.create(t);
  const rows = Array.from({ length: rowCount }, (_, index) => rowXml(index + 1)).join('');
  await book.import(workbookFile(rows));
  await book.set({ C1: `=SUBTOTAL(109,A1:A${rowCount})` });
  const evenCount = rowCount / 2;
  t.same(await book.slice('C1'), [[evenCount * (evenCount + 1)]], 'formulas know which are hidden');
  await book.restart();
  t.same(await book.slice('C1'), [[evenCount * (evenCount + 1)]], 'and know it after a restart');
  const { bytes } = await book.export('format=xlsx');
  const sheet = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  const wrong: number[] = [];
  for (const [, number = '', more = ''] of sheet.matchAll(/<row r="(\d+)"([^>]*)>/gu)) {
    const row = Number(number);
    const height = 10 + ((row * 7) % heightCount) / 4;
    const isRight =
      row % 2 === 1
        ? more.includes('hidden="1"')
        : Math.abs(heightOf(more) - height) < 0.001 && !more.includes('hidden');
    if (!isRight) wrong.push(row);
  }
  t.equal(sheet.match(/<row /gu)?.length, rowCount);
  t.same(wrong, []);
  await book.submit({
    kind: 'rows.hide',
    payload: { sheet: 'Sheet1', from: 1, count: rowCount, hidden: false },
  });
  t.same(
    await book.slice('C1'),
    [[(rowCount * (rowCount + 1)) / 2]],
    'all of them are shown again',
  );
});
