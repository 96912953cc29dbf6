import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { Book } from '../support/book.ts';
import { StoredLog } from '../support/stored-log.ts';

/** Verify finds what was taken from the database and is in the log, or in object storage, still. */

interface Bad {
  readonly branch: string | null;
  readonly seq: number;
  readonly what: string;
  readonly where: string;
  readonly hint: string;
}

const log = await StoredLog.start(t);
const { sql } = log;

async function firstBad(book: Book): Promise<Bad | null> {
  const answer = await book.ask('/verify', { method: 'POST' });
  if (answer.status !== 200) throw new Error(answer.text);
  const { ok, firstBad: bad } = answer.json as { ok: boolean; firstBad: Bad | null };
  if (ok !== (bad === null)) throw new Error(answer.text);
  return bad;
}

/** A workbook of which everything was said that can be said of one that is not purged. */
async function makeBook(): Promise<Book> {
  const book = await Book.create(log.service);
  for (let count = 0; count < 3; count++) await book.set('A1', count);
  await book.ask('/branches', { body: { name: 'q3', from: 'main' } });
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'B1', input: 7 }] } }];
  await book.ask('/branches/q3/ops', { body: { ops, writer: 'w' } });
  await book.ask('/branches/main/commit', { body: { message: 'as approved', tag: 'v1' } });
  const { json } = await book.ask('/merges', { body: { source: 'q3', target: 'main' } });
  const { id, digest } = json as { id: string; digest: string };
  const approved = await book.ask(`/merges/${id}/approve`, { body: { digest } });
  if (approved.status !== 200) throw new Error(approved.text);
  await book.archive();
  await book.ask('/restore', { method: 'POST' });
  await log.published();
  return book;
}

const tables = ['tlog_statement', 'segment', 'sealed_segment', 'snapshot', 'branch_commit'];

/** Brings back what a change takes away. */
async function keeping(book: Book, change: () => Promise<unknown>, look: () => Promise<unknown>) {
  const all = [...tables, 'commit_tag', 'branch', 'branch_merge'];
  for (const table of all) {
    await sql.unsafe(
      `create table kept_${table} as select * from ${table} where workbook_id = '${book.id}'`,
    );
  }
  await change();
  await look();
  for (const table of all.toReversed()) {
    if (table === 'branch') continue;
    await sql.unsafe(`delete from ${table} where workbook_id = '${book.id}'`);
  }
  await sql`
    update branch b set head = k.head, head_hash = k.head_hash, sealed_seq = k.sealed_seq,
                        snapshot_seq = k.snapshot_seq
      from kept_branch k where b.workbook_id = k.workbook_id and b.branch_no = k.branch_no`;
  for (const table of all) {
    if (table !== 'branch') {
      await sql.unsafe(`insert into ${table} overriding system value select * from kept_${table}`);
    }
    await sql.unsafe(`drop table kept_${table}`);
  }
}

t.test('a statement of any kind that is gone is found, with its place', async (t) => {
  const book = await makeBook();
  t.equal(await firstBad(book), null);
  const kinds = await sql<{ kind: string; branchNo: number; seq: number; count: number }[]>`
    select kind, min(branch_no) as "branchNo", max(last_seq)::int as seq, count(*)::int as count
      from tlog_statement where workbook_id = ${book.id} group by kind`;
  t.equal(kinds.length, 7, kinds.map(({ kind }) => kind).join(' '));
  const drop = (...gone: string[]) => sql`
    delete from tlog_statement where workbook_id = ${book.id} and kind = any(${gone}::text[])`;
  for (const { kind, seq } of kinds) {
    await keeping(
      book,
      () => drop(kind),
      async () => {
        const bad = await firstBad(book);
        t.ok(bad, kind);
        t.match(bad?.where, /^postgres:(tlog_statement|tlog_entry)\//, kind);
        if (['checkpoint', 'merge'].includes(kind)) {
          t.match(bad, { branch: 'main', seq, what: 'missing' }, kind);
        }
        if (kind === 'branch') t.match(bad, { branch: 'q3', seq: 0, what: 'missing' });
      },
    );
  }
  for (const pair of [
    ['archive', 'restore'],
    ['merge', 'approval', 'checkpoint'],
  ]) {
    await keeping(
      book,
      () => drop(...pair),
      async () => t.match(await firstBad(book), { what: 'missing' }, pair.join(' ')),
    );
  }
  t.equal(await firstBad(book), null, 'all is as it was');
});

/** Takes the last segments of main, and the statements about them, out of the database. */
async function cutTail(book: Book, through: number): Promise<void> {
  const { id } = book;
  const main = sql`workbook_id = ${id} and branch_no = 1`;
  const [last] = await sql<{ hash: Buffer }[]>`
    select hash from segment where ${main} and last_seq = ${through}`;
  await sql`delete from segment where ${main} and last_seq > ${through}`;
  await sql`delete from tlog_statement where ${main} and last_seq > ${through}`;
  await sql`delete from commit_tag where ${main} and seq > ${through}`;
  await sql`delete from branch_commit where ${main} and seq > ${through}`;
  await sql`delete from branch_merge where ${main} and seq > ${through}`;
  await sql`delete from sealed_segment where ${main} and last_seq > ${through}`;
  await sql`delete from snapshot where ${main} and seq > ${through}`;
  await sql`
    update branch set head = ${through}, head_hash = ${last?.hash ?? Buffer.alloc(32)},
                      sealed_seq = least(sealed_seq, ${through}),
                      snapshot_seq = least(snapshot_seq, ${through})
     where ${main}`;
}

t.test('a tail that is cut off in the database is found by what is sealed of it', async (t) => {
  const book = await Book.create(log.service);
  await book.set('A1', 1);
  await book.ask('/branches/main/flush', { body: {} });
  await book.set('A1', 2);
  await book.set('A1', 3);
  await book.ask('/branches/main/commit', { body: { message: 'last', tag: 'last' } });
  await book.ask('/branches/main/checkpoint', { body: {} });
  await log.published();
  t.equal(await firstBad(book), null);
  const cut = () => cutTail(book, 2);
  const found = { branch: 'main', seq: 3, what: 'wrong_head', where: 'postgres:branch/1' };
  await keeping(book, cut, async () => t.match(await firstBad(book), found));
  t.equal(await firstBad(book), null);
  // Objects of the journal are gone, too: a state after the end is left.
  const folder = join(log.objects, 'wb', book.id);
  await rm(join(folder, 'log'), { recursive: true });
  await sql`update branch set sealed_seq = 0, snapshot_seq = 0 where workbook_id = ${book.id}`;
  await sql`delete from sealed_segment where workbook_id = ${book.id}`;
  await keeping(book, cut, async () => {
    t.match(await firstBad(book), { ...found, hint: /snapshot\/1\// });
  });
  await rm(join(folder, 'snapshot'), { recursive: true });
  await sql`delete from snapshot where workbook_id = ${book.id}`;
  await keeping(book, cut, async () => {
    const bad = await firstBad(book);
    t.match(bad, { branch: null, what: 'missing', where: /^postgres:tlog_entry\/\d+$/ });
  });
  t.equal(await firstBad(book), null);
});

t.test('objects of a branch that has no row are found', async (t) => {
  const book = await Book.create(log.service);
  await book.ask('/branches', { body: { name: 'q3', from: 'main' } });
  const ops = [{ kind: 'cells.set', payload: { cells: [{ a1: 'B1', input: 7 }] } }];
  await book.ask('/branches/q3/ops', { body: { ops, writer: 'w' } });
  await book.ask('/branches/q3/flush', { body: {} });
  await log.published();
  t.equal(await firstBad(book), null);
  await sql`delete from branch where workbook_id = ${book.id} and branch_no = 2`;
  t.match(await firstBad(book), { seq: 0, what: 'missing', where: 'postgres:branch/2' });
  await rm(join(log.objects, 'wb', book.id), { recursive: true });
  t.match(await firstBad(book), { what: 'missing', where: /^postgres:tlog_entry\/\d+$/ });
});

t.test('branches from the beginning of others are as they were said', async (t) => {
  const book = await Book.create(log.service);
  for (const from of ['main@0', 'main@1', '$settings']) {
    await book.ask('/branches', { body: { name: `from ${from.replaceAll(/\W/g, '')}`, from } });
  }
  await book.set('A1', 1);
  await book.ask('/settings', { method: 'PUT', body: { policy: {} } });
  await log.published();
  t.equal(await firstBad(book), null);
});

t.test('a purge takes the marks of its entries out of the log', async (t) => {
  const credential = await log.service.registerClaimed();
  const book = await Book.create(log.service, { credential });
  await book.set('A1', 1);
  await log.published();
  const marked = async (): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count
        from (select tag from tlog_entry union all select tag from tlog_pending) as logged
       where tag = ${tag}`;
    return row?.count ?? -1;
  };
  const [{ tag } = { tag: Buffer.alloc(0) }] = await sql<{ tag: Buffer }[]>`
    select substring(sha256('tlog-tag'::bytea || log_key) for 16) as tag from workbook
     where workbook_id = ${book.id}`;
  t.ok((await marked()) >= 2);
  const purged = await book.purge(await book.archive());
  t.equal(purged.status, 200, purged.text);
  t.equal(await marked(), 0);
  await log.published();
  t.equal(await marked(), 0);
});
