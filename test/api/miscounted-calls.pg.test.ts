import t from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';
import { workbookFile } from '../support/workbook-file.ts';

const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const notAvailable = { error: '#N/A' };

/** Calls with a wrong number of arguments beside good ones, plain and as a legacy array. */
const file = workbookFile(
  `<row r="1"><c r="A1"><f>DATE(2024)</f><v>7</v></c><c r="B1"><f>1+1</f></c></row>
   <row r="2"><c r="A2"><f t="array" ref="A2:A3">ABS()</f></c><c r="B2"><f>=SUM(B1,1)</f></c></row>
   <row r="3"><c r="A3"><v>0</v></c><c r="B3"><f>IFERROR(DATE(2024),"caught")</f></c></row>`,
);
const values = [
  [notAvailable, 2],
  [notAvailable, 3],
  [notAvailable, 'caught'],
];

t.test('a file keeps calls with a wrong number of arguments, which nobody can type', async (t) => {
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: await makeTemporaryFolder(t),
  };
  const first = await TestService.start(t, settings, {});
  const credential = await first.register();
  const read = async (service: TestService, at: string, lens = 'value') => {
    const path = `/v1/workbooks/${at}/slice?range=A1:B3&lens=${lens}`;
    return (await service.request(path, { credential })).json as { rows: unknown; flags?: unknown };
  };
  const imported = async (service: TestService, bytes: Uint8Array) => {
    const headers = { 'content-type': xlsxType };
    const answer = await service.request('/v1/workbooks', { credential, bytes, headers });
    t.equal(answer.status, 201, answer.text);
    t.same((answer.json as { dropped: unknown }).dropped, [], 'nothing of it is dropped');
    return (answer.json as { id: string }).id;
  };
  const id = await imported(first, file);
  t.same((await read(first, id)).rows, values);
  const inputs = await read(first, id, 'input');
  t.same(inputs.rows, [
    ['=DATE(2024)', '=1+1'],
    ['=ABS()', '=SUM(B1,1)'],
    [null, '=IFERROR(DATE(2024),"caught")'],
  ]);
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'C1', input: '=DATE(2024)' }] } }];
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const typed = await first.request(path, { credential, body: { ops, writer: 'w' } });
  t.match(typed.text, /too few arguments/);

  await first.app.stop();
  const again = await TestService.start(t, settings, {});
  t.same((await read(again, id)).rows, values, 'the same after a restart');
  const exported = await again.request(`/v1/workbooks/${id}/branches/main/export?format=xlsx`, {
    credential,
  });
  const copy = await imported(again, exported.bytes);
  t.same((await read(again, copy)).rows, values, 'the same from an exported file');
  const { rows, flags } = await read(again, copy, 'input');
  t.same({ rows, flags }, { rows: inputs.rows, flags: inputs.flags }, 'and entered the same');
});
