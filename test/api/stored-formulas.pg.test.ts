import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { nastyNames } from '../support/nasty-formulas.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Formulas whose names look like references, through the door: warm, cold, exported and imported. */

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const sheets = [
  {
    name: 'Plan',
    rows: [
      [1, 10],
      [2, 20],
      [3, 30],
    ],
  },
];

/** A service that can be started again on what it has stored. */
async function makeStore(t: Pick<Test, 'teardown'>) {
  const folder = await makeTemporaryFolder(t);
  const url = await createMigratedDatabase();
  const settings = {
    DATABASE_URL: url,
    DATA_DIR: folder,
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
  };
  return { folder, url, start: () => TestService.start(t, settings, {}) };
}

/** Reads of one workbook. */
function reader(service: TestService, credential: string, id: string) {
  const rows = async (path: string): Promise<unknown> => {
    const answer = await service.request(`/v1/workbooks/${id}/${path}`, { credential });
    return answer.status === 200 ? (answer.json as { rows: unknown }).rows : answer.text;
  };
  return {
    values: (range: string) => rows(`slice?range=${range}`),
    texts: (range: string) => rows(`slice?range=${range}&lens=formula`),
    submit: async (ops: object[]) => {
      const body = { ops, writer: 'me' };
      return service.request(`/v1/workbooks/${id}/branches/main/ops`, { credential, body });
    },
    bytes: async () => {
      const headers = { accept: xlsx };
      const path = `/v1/workbooks/${id}/branches/main/export?format=xlsx`;
      const answer = await service.request(path, { credential, headers });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.bytes;
    },
  };
}

async function create(service: TestService, credential: string): Promise<string> {
  const { json } = await service.request('/v1/workbooks', { credential, body: { sheets } });
  return (json as { id: string }).id;
}

function set(cells: readonly (readonly [a1: string, input: unknown])[], more: object = {}): object {
  const payload = { sheet: 'Plan', cells: cells.map(([a1, input]) => ({ a1, input })), ...more };
  return { kind: 'cells.set', payload };
}

async function importBytes(service: TestService, credential: string, bytes: Uint8Array) {
  const headers = { 'content-type': xlsx };
  const answer = await service.request('/v1/workbooks', { credential, bytes, headers });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json as { id: string; dropped: { what: string }[] };
}

const taken = new Formulas();
const nasty = [
  ...nastyNames.map((name) => `=LET(${name},A1+1,LAMBDA(${name},${name}*2)(${name}+1))`),
  '=SUM(BYROW(A1:A3,LAMBDA(r,SUM(r))))',
  '=SUM(MAKEARRAY(2,2,LAMBDA(r,c,r*c)))',
  '=LET(RC,A1:A3,R1C1,{1;2;3},SUM(RC*R1C1)+C1)',
  '=LAMBDA(x,[RC],x+RC)(A1,A2)',
  '=r',
  '=SUM(c)',
  '=R1C1',
  '=A1:r',
  '=Plan!RC',
  '=SUM(A:A)',
  '=SUM(3:3)',
  '="R1C1 ""r"" "&A1',
].filter((text) => taken.check(text).ok);

t.test('they are read the same from a warm model, a cold one and a file', async (t) => {
  const store = await makeStore(t);
  const first = await store.start();
  const credential = await first.registerClaimed();
  const id = await create(first, credential);
  const range = `Plan!D1:D${nasty.length}`;
  const warm = reader(first, credential, id);
  const answer = await warm.submit([set(nasty.map((text, index) => [`D${index + 1}`, text]))]);
  t.match(answer.json, { status: 'applied' });
  const [values, texts] = [await warm.values(range), await warm.texts(range)];
  t.same(
    texts,
    nasty.map((text) => [text.replaceAll('_xlpm.', '').replace('sum,', 'sum,')]),
  );
  const bytes = await warm.bytes();
  await first.app.stop();

  const second = await store.start();
  const cold = reader(second, credential, id);
  t.same(await cold.values(range), values, 'values of a cold model');
  t.same(await cold.texts(range), texts, 'texts of a cold model');
  t.same(
    await cold.values('Plan!A1:B2'),
    [
      [1, 10],
      [2, 20],
    ],
    'and of the other cells',
  );
  const verified = await second.request(`/v1/workbooks/${id}/verify`, {
    credential,
    method: 'POST',
  });
  t.match(verified.json, { ok: true });
  const file = await importBytes(second, credential, bytes);
  t.same(file.dropped, []);
  const imported = reader(second, credential, file.id);
  t.same(await imported.values(range), values, 'values from the file');
  t.same(await imported.texts(range), texts, 'texts from the file');
});

interface Former {
  readonly id: string;
  readonly branch: Readonly<Record<string, string | number>>;
  readonly segments: readonly Readonly<Record<string, string | number>>[];
  readonly sealed: readonly Readonly<Record<string, string | number>>[];
  readonly snapshots: readonly Readonly<Record<string, string | number>>[];
  readonly objects: Readonly<Record<string, string>>;
}

/** Puts a workbook into a store that the version before wrote, with or without its snapshot. */
async function putFormer(
  { folder, url }: { folder: string; url: string },
  hasSnapshot: boolean,
): Promise<string> {
  const place = join(import.meta.dirname, '../../../test/workbooks/former-journal.json');
  const former = JSON.parse(await readFile(place, 'utf8')) as Former;
  const { id, branch } = former;
  const bytesOf = (hex: unknown) => Buffer.from(String(hex).slice(2), 'hex');
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  const [owner] = await sql`select user_id, namespace from identity_user where kind = 'agent'`;
  const { user_id: ownerId, namespace } = owner as { user_id: string; namespace: string };
  await sql`
    insert into workbook (workbook_id, owner_id, namespace, name, folded_name, complete)
    values (${id}, ${ownerId}, ${namespace}, 'former', 'former', true)`;
  await sql`
    insert into branch (workbook_id, branch_no, name, head_hash)
    values (${id}, 0, '$settings', ${Buffer.alloc(32)})`;
  const head = Number(branch['head']);
  const kept = hasSnapshot ? head : 0;
  await sql`
    insert into branch
      (workbook_id, branch_no, name, head, head_hash, logged_after, sealed_seq, snapshot_seq)
    values
      (${id}, 1, 'main', ${head}, ${bytesOf(branch['head_hash'])}, ${head}, ${kept}, ${kept})`;
  for (const row of former.segments) {
    await sql`
      insert into segment
        (workbook_id, branch_no, first_seq, last_seq, previous_hash, hash, body)
      values
        (${id}, 1, ${Number(row['first_seq'])}, ${Number(row['last_seq'])},
         ${bytesOf(row['previous_hash'])}, ${bytesOf(row['hash'])}, ${bytesOf(row['body'])})`;
  }
  for (const row of hasSnapshot ? former.sealed : []) {
    await sql`
      insert into sealed_segment
        (workbook_id, branch_no, first_seq, last_seq, object_key, byte_count)
      values
        (${id}, 1, ${Number(row['first_seq'])}, ${Number(row['last_seq'])},
         ${String(row['object_key'])}, ${Number(row['byte_count'])})`;
  }
  for (const row of hasSnapshot ? former.snapshots : []) {
    await sql`
      insert into snapshot (workbook_id, branch_no, seq, root, object_key)
      values (${id}, 1, ${Number(row['seq'])}, ${bytesOf(row['root'])}, ${String(row['object_key'])})`;
  }
  await sql.end();
  for (const [key, content] of hasSnapshot ? Object.entries(former.objects) : []) {
    const path = join(folder, 'objects', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(content, 'base64'));
  }
  return id;
}

const formerTexts = [
  '=SUM(BYROW(A1:A3,LAMBDA(r,SUM(r))))',
  '=SUM(MAKEARRAY(2,2,LAMBDA(r,c,r*c)))',
  '=LET(rc,A1,r1c1,A2,rc+r1c1)',
  '=LET(R,A3,C,A2,R*C)',
  '=LET(RC,A3,R1C1,A2,RC*R1C1+A1)',
  '=r',
  '=SUM(c)',
  '=LAMBDA(RC,SUM(RC))(A1:A3)',
  '=LAMBDA(x,[RC],x+RC)(A1,A2)',
  '=LET(R1C1,LAMBDA(R1C2,R1C2+1),R1C1(A1))',
  '=SUM(A1:A3)',
];
const noName = { error: '#NAME?' };
const formerValues = [6, 9, 3, 6, 7, noName, noName, 6, 3, 2, 6];

for (const hasSnapshot of [false, true]) {
  const what = hasSnapshot ? 'a snapshot' : 'a journal';
  t.test(`${what} of the version before, which could not read its own formulas`, async (t) => {
    const store = await makeStore(t);
    const service = await store.start();
    const credential = await service.registerClaimed();
    const id = await putFormer(store, hasSnapshot);
    const book = reader(service, credential, id);
    t.same(
      await book.values('Plan!C1:C11'),
      formerValues.map((value) => [value]),
    );
    t.same(
      await book.texts('Plan!C1:C11'),
      formerTexts.map((text) => [text]),
    );
    t.match((await book.submit([set([['A1', 5]])])).json, { status: 'applied' });
    t.same(await book.values('Plan!C1'), [[10]]);
    t.ok((await book.bytes()).byteLength > 1000);
  });
}

t.test('what Excel does not let a person enter is refused, but read from a file', async (t) => {
  const store = await makeStore(t);
  const service = await store.start();
  const credential = await service.registerClaimed();
  const id = await create(service, credential);
  const book = reader(service, credential, id);
  const long = 'x'.repeat(256);
  for (const text of [`=LEN("${long}")`, '=LET(x,1,X,2,x)', '=LAMBDA(r,R,r)(1,2)']) {
    const { status, json } = await book.submit([set([['D1', text]])]);
    t.match(json, { results: [{ status: 'rejected', error: { code: 'bad_formula' } }] }, text);
    t.ok(status < 500);
  }
  const fine = ['=LEN("' + long.slice(1) + '")', '=123456789012345678', '=LET(x,1,LET(x,2,x)+x)'];
  await book.submit([set(fine.map((text, index) => [`D${index + 1}`, text]))]);
  t.same(await book.values('Plan!D1:D3'), [[255], [123_456_789_012_345_000], [3]]);
  t.same(await book.texts('Plan!D2'), [['=123456789012345000']]);
  await book.submit([set([['E1', '123456789012345678']], { parse: true })]);
  t.same(await book.values('Plan!E1'), [[123_456_789_012_345_000]]);
  const csv = new TextEncoder().encode(`"=LEN(""${long}"")"\n"=LET(x,1,x,2,x)"\n`);
  const headers = { 'content-type': 'text/csv' };
  const made = await service.request('/v1/workbooks', { credential, bytes: csv, headers });
  const file = made.json as { id: string };
  const read = reader(service, credential, file.id);
  t.same(await read.values('A1:A2'), [[256], [2]], made.text);
});

t.test('a formula that cannot be read is a cell with #NAME? and its text', async (t) => {
  /** Takes whatever it is given, as a version with a fault in its grammar might. */
  class Careless extends Formulas {
    override check() {
      return { ok: true } as const;
    }
  }
  const folder = await makeTemporaryFolder(t);
  const settings = { DATABASE_URL: await createMigratedDatabase(), DATA_DIR: folder };
  const first = await TestService.start(t, settings, { formulas: new Careless() });
  const credential = await first.registerClaimed();
  const id = await create(first, credential);
  const broken = '=SUM((R[3]C';
  const careless = reader(first, credential, id);
  await careless.submit([
    set([
      ['D1', broken],
      ['D2', '=SUM(A1:A3)'],
      ['D3', '=D1'],
    ]),
  ]);
  const at = `/v1/workbooks/${id}`;
  await first.request(`${at}/branches`, { credential, body: { name: 'side' } });
  const submission = { ops: [set([['E1', broken]])], writer: 'me' };
  await first.request(`${at}/branches/side/ops`, { credential, body: submission });
  await first.app.stop();
  const second = await TestService.start(t, settings, {});
  const book = reader(second, credential, id);
  t.same(await book.values('Plan!D1:D3'), [[noName], [6], [noName]]);
  t.same(await book.texts('Plan!D1:D2'), [[broken], ['=SUM(A1:A3)']]);
  t.ok((await book.bytes()).byteLength > 1000);
  await book.submit([set([['A1', 2]])]);
  const merge = { credential, body: { source: 'side', apply: 'auto' } };
  const merged = await second.request(`${at}/merges`, merge);
  t.match(merged.json, { state: 'merged' }, 'a merge carries what it has: nobody enters it anew');
  t.same(await book.texts('Plan!D1:E1'), [[broken, broken]]);
  t.same(await book.values('Plan!D2:E2'), [[7, null]]);
});
