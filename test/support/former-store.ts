import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { createMigratedDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { TestService, type TestAnswer } from './test-service.ts';

// Workbooks as former versions stored them, opened by the current one.

type Row = Readonly<Record<string, unknown>>;

export interface FormerBook {
  /** By table. */
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  /** By key, in base64. */
  readonly objects: Readonly<Record<string, string>>;
  /** Rows as that version read them, by ref, sheet and lens. */
  readonly read: Readonly<Record<string, unknown>>;
}

async function readFormer(file: string): Promise<FormerBook> {
  const place = join(import.meta.dirname, '../../../test/workbooks', file);
  return JSON.parse(await readFile(place, 'utf8')) as FormerBook;
}

/** Puts the workbook into a store; without its snapshots it is read from the journal alone. */
export async function makeFormerStore(file: string, hasSnapshots: boolean) {
  const folder = await makeTemporaryFolder(t);
  const url = await createMigratedDatabase();
  const objects = pathToFileURL(`${folder}/objects`).href;
  const settings = { DATABASE_URL: url, DATA_DIR: folder, OBJECT_STORE_URL: objects };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const credential = await service.registerClaimed();
  const former = await readFormer(file);
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  const [owner = {}] = await sql<Row[]>`
    select user_id, namespace from identity_user where kind = 'agent'`;
  const { user_id, namespace } = owner;
  const changes: Record<string, (row: Row) => Row> = {
    workbook: (row) => ({ ...row, owner_id: user_id, namespace }),
    // Its statements are in the log of another service.
    branch: (row) => ({ ...row, logged_after: row['head'], ...(!hasSnapshots && unsaved) }),
  };
  for (const [table, rows] of Object.entries(former.rows)) {
    if (!hasSnapshots && table === 'snapshot') continue;
    const list = rows.map(changes[table] ?? ((row) => row));
    await sql`
      insert into ${sql(table)}
      select * from jsonb_populate_recordset(null::${sql(table)}, ${sql.json(list as never)})`;
  }
  await sql.end();
  for (const [key, content] of Object.entries(former.objects)) {
    if (!hasSnapshots && !key.includes('/log/')) continue;
    const path = join(folder, 'objects', key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(content, 'base64'));
  }
  const start = () => TestService.start(t, settings, { formulas: new Formulas() });
  const id = String(former.rows['workbook']?.[0]?.['workbook_id']);
  const ask = (on: TestService, rest: string, options: object = {}): Promise<TestAnswer> =>
    on.request(`/v1/workbooks/${id}${rest}`, { credential, ...options });
  const readAll = async (on: TestService): Promise<Record<string, unknown>> => {
    const read: Record<string, unknown> = {};
    for (const name of Object.keys(former.read)) {
      const [ref = '', sheet = '', lens = ''] = name.split(' ');
      const query = `ref=${encodeURIComponent(ref)}&range=${sheet}!A1:I12&lens=${lens}`;
      const { json, text } = await ask(on, `/slice?${query}`);
      read[name] = (json as { rows?: unknown }).rows ?? text;
    }
    return read;
  };
  const verify = async (on: TestService) => (await ask(on, '/verify', { method: 'POST' })).json;
  return { former, service, start, ask, readAll, verify };
}

const unsaved = { snapshot_seq: 0 };
