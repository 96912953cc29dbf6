import t from 'tap';
import { FileDoor } from '../support/file-door.ts';
import { workbookFile } from '../support/workbook-file.ts';

/** Runs long: files of texts of many megabytes. */

t.test('files of long texts that pack well go in, out and in again', async (t) => {
  const door = await FileDoor.open(t);
  const row = (index: number): string =>
    `<row r="${index}"><c r="A${index}" t="inlineStr"><is><t>${'x'.repeat(3_000)}</t></is></c></row>`;
  const many = Array.from({ length: 3_000 }, (_, index) => row(index + 1)).join('');
  const read = await door.import(workbookFile(many));
  t.same(await door.rows(read.at, 'A3000'), [['x'.repeat(3_000)]]);

  const { at } = await door.import('1', 'text/csv');
  const text = 'All work and no play. '.repeat(910).slice(0, 20_000);
  const inputs = Array.from({ length: 100 }, () => [text]);
  for (const start of [1, 101, 201, 301]) {
    const range = `A${start}:A${start + 99}`;
    await door.submit(at, { kind: 'range.set', payload: { sheet: 'Sheet1', range, inputs } });
  }
  await door.restart();
  const { bytes } = await door.export(at);
  const again = await door.import(bytes);
  t.same(
    await door.rows(again.at, 'A1:A400'),
    Array.from({ length: 400 }, () => [text]),
  );
});
