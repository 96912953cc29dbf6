import { strToU8, zipSync } from 'fflate';
import { pathToFileURL } from 'node:url';
import t from 'tap';

import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** U+0000 and half of a surrogate pair, which XML and JSON can write and nothing can store. */

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const links = 'http://schemas.openxmlformats.org/package/2006/relationships';
const odd = 'a_x0000_b_xD800_c';

/** A workbook with the text wherever a file has one. */
function fileWith(text: string): Uint8Array {
  const cells = `<c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>${text}</t></is></c>
    <c r="C1" t="str"><v>${text}</v></c><c r="D1"><f>"${text}"</f></c>`;
  const parts = {
    '_rels/.rels': `<Relationships xmlns="${links}"><Relationship Id="a" Type="${office}/officeDocument"
      Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>
      <sheet name="Plan_xD800_" sheetId="1" r:id="a"/></sheets><definedNames>
      <definedName name="rate">"${text}"</definedName><definedName name="${text}">1</definedName>
      </definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${links}">
      <Relationship Id="a" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>
      <Relationship Id="b" Type="${office}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}"><si><t>${text}</t></si></sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData><row r="1">${cells}</row>
      </sheetData></worksheet>`,
    'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="${links}">
      <Relationship Id="a" Type="${office}/comments" Target="../comments1.xml"/></Relationships>`,
    'xl/comments1.xml': `<comments xmlns="${main}"><authors><author>${text}</author></authors>
      <commentList><comment ref="A1" authorId="0"><text><r><t>${text}</t></r></text></comment>
      </commentList></comments>`,
  };
  const files = Object.entries(parts).map(([name, part]) => [name, strToU8(part)] as const);
  return zipSync(Object.fromEntries(files));
}

/** Reads a workbook in several ways, and returns all of it as text. */
async function readAll(service: TestService, credential: string, id: string): Promise<string> {
  const reads = ['branches/main/state', 'slice?range=A1:D2', 'slice?range=A1:D2&lens=input'];
  reads.push('records', 'branches/main/ops', 'branches/main/export?format=json');
  const texts = reads.map(async (path) => {
    const answer = await service.request(`/v1/workbooks/${id}/${path}`, { credential });
    return answer.status === 200 ? answer.text : `${path}: ${answer.status}`;
  });
  return (await Promise.all(texts)).join('\n');
}

t.test('a file that has them is imported without, and says so', async (t) => {
  const folder = await makeTemporaryFolder(t);
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: folder,
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
  };
  const first = await TestService.start(t, settings, {});
  const credential = await first.registerClaimed();
  const headers = { 'content-type': xlsx };
  const bytes = fileWith(odd);
  const made = await first.request('/v1/workbooks', { credential, bytes, headers });
  t.equal(made.status, 201, made.text);
  const { id, dropped } = made.json as { id: string; dropped: { what: string; count: number }[] };
  const lost = dropped.filter(({ what }) => what === 'characters');
  t.equal(
    lost.reduce((sum, { count }) => sum + count, 0),
    5,
    JSON.stringify(dropped),
  );
  const body = JSON.parse(
    '{"sheets":[{"name":"S\\ud800","rows":[["a\\udfff","=LEN(\\"\\ud800\\")"]]}]}',
  ) as object;
  const rows = await first.request('/v1/workbooks', { credential, body });
  t.equal(rows.status, 201);
  const other = (rows.json as { id: string }).id;
  const at = `/v1/workbooks/${other}/branches/main/ops`;
  const note = { kind: 'note.set', payload: { a1: 'A1', text: 'n\ud800' } };
  const noted = await first.request(at, { credential, body: { ops: [note], writer: 'w' } });
  t.match(noted.json, { status: 'applied' });
  const warm = [await readAll(first, credential, id), await readAll(first, credential, other)];
  t.match(warm[0], 'a\uFFFDb\uFFFDc');
  t.match(warm[1], 'S\uFFFD');
  for (const text of warm) t.notMatch(text, /\\u0000|\\ud[89a-f]|: \d{3}$/imu);
  await first.app.stop();

  const second = await TestService.start(t, settings, {});
  const cold = [await readAll(second, credential, id), await readAll(second, credential, other)];
  t.same(cold, warm, 'a cold model has the same texts');
  const path = `/v1/workbooks/${id}/branches/main/export?format=xlsx`;
  const file = await second.request(path, { credential });
  const again = await second.request('/v1/workbooks', { credential, bytes: file.bytes, headers });
  t.match(again, { status: 201, json: { dropped: [] } });
});

t.test('what XML and texts cannot have at all is a file that cannot be read', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const refused = async (bytes: Uint8Array, type: string): Promise<void> => {
    const headers = { 'content-type': type };
    const answer = await service.request('/v1/workbooks', { credential, bytes, headers });
    t.match(answer, { status: 400, json: { code: 'invalid_file', hint: /\w/u } });
  };
  for (const text of ['a\0b', 'a\u0001b', 'a\uffffb', 'a&#0;b', 'a&#1;b', 'a&#xD800;b']) {
    await refused(fileWith(text), xlsx);
  }
  await refused(strToU8('a,b\0c\n'), 'text/csv');
  await refused(Buffer.from('\ufeffa\0b,c\n', 'utf16le'), 'text/csv');
  await refused(Buffer.from('\ufeffa\ud800b,c\n', 'utf16le'), 'text/csv');
  const body = { sheets: [{ name: 'S', rows: [['a\0b']] }] };
  t.match(await service.request('/v1/workbooks', { credential, body }), {
    status: 400,
    json: {
      code: 'invalid_request',
      errors: [{ pointer: '/sheets/0/rows/0/0', code: 'bad_text' }],
    },
  });
});
