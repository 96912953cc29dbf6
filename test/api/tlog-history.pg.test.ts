import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t from 'tap';
import type { Test } from 'tap';

import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { leafHashOf, parseOpening } from '../../server/tlog/leaf/commitment.ts';
import { statementHash, type Statement } from '../../server/tlog/leaf/statement.ts';
import { WorkbookKey } from '../../server/tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { parsePolicy } from '../../server/tlog/note/policy.ts';
import { parseProofFile, verifyProofFile } from '../../server/tlog/note/proof-file.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface Proven {
  readonly name: string;
  readonly kind: string;
  readonly branchNo: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly leafHash: string;
  readonly proof: string | null;
}

interface Verified {
  readonly ok: boolean;
  readonly statements: number;
  readonly unpublished: number;
  readonly log: { readonly origin: string; readonly size: number };
  readonly checkpoint: string;
  readonly firstBad: { branch: string; seq: number; what: string; where: string } | null;
}

const zeros = Buffer.alloc(32).toString('base64');

interface World {
  readonly service: TestService;
  readonly book: Book;
  readonly sql: Sql;
}

let shared: Promise<World> | undefined;

function world(): Promise<World> {
  shared ??= start();
  return shared;
}

async function start(): Promise<World> {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const service = await TestService.start(t, { DATABASE_URL: url });
  const book = await Book.create(service);
  for (let count = 0; count < 5; count++) await book.set('A1', count);
  await book.ask('/branches', { body: { name: 'q3', from: 'main@3' } });
  const cells = [{ a1: 'B1', input: 7 }];
  const ops = [{ kind: 'cells.set', payload: { cells } }];
  await book.ask('/branches/q3/ops', { body: { ops, writer: 'w' } });
  await book.ask('/branches/main/commit', { body: { message: 'as approved', tag: 'v1' } });
  const { json } = await book.ask('/merges', { body: { source: 'q3', target: 'main' } });
  const { id, digest } = json as { id: string; digest: string };
  const approved = await book.ask(`/merges/${id}/approve`, { body: { digest } });
  if (approved.status !== 200) throw new Error(`not merged: ${approved.text}`);
  await book.set('A2', 1);
  await book.archive();
  await book.ask('/restore', { method: 'POST' });
  await published(book);
  return { service, book, sql };
}

async function keyOf(book: Book): Promise<WorkbookKey> {
  const { sql } = await world();
  const [{ key } = { key: Buffer.alloc(32) }] = await sql<{ key: Buffer }[]>`
    select log_key as key from workbook where workbook_id = ${book.id}`;
  return new WorkbookKey(nodeCrypto.sha256, key);
}

async function proofsOf(book: Book, query = ''): Promise<Proven[]> {
  const { json } = await book.ask(`/proofs${query}`);
  return (json as { proofs: Proven[] }).proofs;
}

async function published(book: Book): Promise<Proven[]> {
  for (let tries = 0; tries < 100; tries++) {
    const proofs = await proofsOf(book);
    if (proofs.every(({ proof }) => proof !== null)) return proofs;
    await sleep(100);
  }
  throw new Error('a statement is not published');
}

async function verify(book: Book): Promise<Verified> {
  return (await book.ask('/verify', { body: {} })).json as Verified;
}

t.test('a bundle proves the history offline: nothing is missing and nothing moved', async (t) => {
  const { service, book } = await world();
  const proofs = await proofsOf(book);
  const { text } = await service.request('/v1/tlog/policy');
  const policy = parsePolicy(nodeCrypto.sha256, text);
  const statements: Statement[] = [];
  for (const { proof, leafHash, lastSeq } of proofs) {
    const file = parseProofFile(proof ?? '');
    const opening = parseOpening(file.extra ?? new Uint8Array());
    const hash = leafHashOf(nodeCrypto.sha256, opening);
    t.equal(Buffer.from(hash).toString('hex'), leafHash);
    await verifyProofFile(nodeCrypto, policy, hash, file);
    t.equal(opening.statement.workbook, book.id);
    t.equal(opening.statement.lastSeq, lastSeq);
    statements.push(opening.statement);
  }
  checkChain(t, statements);
  t.same(
    statements.map(({ kind }) => kind).filter((kind) => kind !== 'segment'),
    ['branch', 'checkpoint', 'approval', 'merge', 'archive', 'restore'],
  );
  checkMerge(t, statements);
  const commit = statements.find(({ kind }) => kind === 'checkpoint');
  const { json } = await book.ask('/commits');
  const { commits } = json as { commits: { stateHash: string; chainHash: string }[] };
  const hex = (hash: Uint8Array = Buffer.of()): string => Buffer.from(hash).toString('hex');
  const key = await keyOf(book);
  const { stateHash = '', chainHash = '' } = commits[0] ?? {};
  t.equal(hex(commit?.state), hex(key.hideState(Buffer.from(stateHash, 'hex'))));
  t.equal(hex(commit?.chain), hex(key.hideChain(Buffer.from(chainHash, 'hex'))));
});

/** A merge follows what is said of its branch, and of what was merged into it. */
function checkMerge(t: Test, statements: readonly Statement[]): void {
  const hex = (hash: Uint8Array = Buffer.of()): string => Buffer.from(hash).toString('hex');
  const only = (isMeant: (statement: Statement) => boolean): Statement => {
    const found = statements.find(isMeant);
    if (!found) throw new Error('something was not said');
    return found;
  };
  const segmentOf = (branch: string, seq: number): string => {
    const segments = statements.filter((one) => one.kind === 'segment' && one.branch === branch);
    const segment = segments.find(({ lastSeq }) => lastSeq >= seq);
    return segment ? hex(statementHash(nodeCrypto.sha256, segment)) : '';
  };
  const merge = only(({ kind }) => kind === 'merge');
  const approval = only(({ kind }) => kind === 'approval');
  const branch = only(({ kind }) => kind === 'branch');
  const commit = only(({ kind }) => kind === 'checkpoint');
  t.match(merge, { branch: '1', firstSeq: merge.lastSeq });
  t.same(merge.previous.map(hex), [segmentOf('1', merge.lastSeq), segmentOf(branch.branch, 1)]);
  t.match(approval, { branch: '1', lastSeq: merge.lastSeq - 1 });
  t.same(approval.previous.map(hex), [segmentOf('1', approval.lastSeq)]);
  t.equal(hex(approval.chain), hex(commit.chain));
  t.match(branch, { firstSeq: 0, lastSeq: 0 });
  t.same(branch.previous.map(hex), [segmentOf('1', 3)]);
}

/** Each statement about a segment of main follows the one before it. */
function checkChain(t: Test, statements: readonly Statement[]): void {
  const main = statements.filter(({ kind, branch }) => kind === 'segment' && branch === '1');
  t.ok(main.length >= 7);
  let previous = new Uint8Array(32);
  let lastSeq = 0;
  for (const statement of main) {
    t.same(
      statement.previous.map((hash) => Buffer.from(hash)),
      [Buffer.from(previous)],
    );
    t.equal(statement.firstSeq, lastSeq + 1);
    previous = Uint8Array.from(statementHash(nodeCrypto.sha256, statement));
    ({ lastSeq } = statement);
  }
}

t.test('a bundle can be of one branch, of a range, and a tar of files', async (t) => {
  const { service, book } = await world();
  const all = await proofsOf(book);
  const branch = await proofsOf(book, '?branch=main&from=2&to=4');
  t.same(
    branch,
    all.filter(({ branchNo, lastSeq }) => branchNo === 1 && lastSeq >= 2 && lastSeq <= 4),
  );
  const { branchNo } = all.find(({ kind }) => kind === 'branch') ?? {};
  t.same(
    await proofsOf(book, '?branch=q3'),
    all.filter((proven) => proven.branchNo === branchNo),
  );
  t.equal((await book.ask('/proofs?branch=none')).status, 404);
  const other = await service.register();
  const foreign = await service.request(`/v1/workbooks/${book.id}/proofs`, { credential: other });
  t.equal(foreign.status, 404);
  const answer = await book.ask('/proofs?format=tar');
  t.equal(answer.headers.get('content-type'), 'application/x-tar');
  const folder = await makeTemporaryFolder(t);
  await writeFile(join(folder, 'proofs.tar'), answer.bytes);
  await promisify(execFile)('tar', ['-xf', 'proofs.tar'], { cwd: folder });
  for (const { name, proof } of all) {
    t.equal(await readFile(join(folder, name), 'utf8'), proof);
  }
  t.equal((await readdir(folder)).length, all.length + 1);
});

t.test('verify finds every statement in the log', async (t) => {
  const { book, service } = await world();
  const { ok, statements, unpublished, log, checkpoint, firstBad } = await verify(book);
  t.equal(firstBad, null);
  t.ok(ok);
  t.equal(statements, (await proofsOf(book)).length);
  t.equal(unpublished, 0);
  t.equal(checkpoint, (await service.request('/v1/tlog/checkpoint')).text);
  t.match(checkpoint, `${log.origin}\n${log.size}\n`);
});

t.test('what is changed behind the back of the log is found, and where', async (t) => {
  const { book, sql } = await world();
  const id = book.id;
  const backup = async (table: string): Promise<() => Promise<void>> => {
    await sql.unsafe(`create table kept_${table} as table ${table}`);
    return async () => {
      await sql.unsafe(`delete from ${table}`);
      await sql.unsafe(`insert into ${table} overriding system value select * from kept_${table}`);
      await sql.unsafe(`drop table kept_${table}`);
    };
  };
  const find = async (
    what: string,
    change: () => Promise<unknown>,
    expected: Partial<NonNullable<Verified['firstBad']>>,
  ): Promise<void> => {
    const restore = await backup('tlog_statement');
    const { key } = (
      await sql`select log_key as key from workbook where workbook_id = ${id}`
    )[0] as {
      key: Buffer;
    };
    await change();
    t.match((await verify(book)).firstBad, expected, what);
    await restore();
    await sql`update workbook set log_key = ${key} where workbook_id = ${id}`;
  };
  const statement = sql`workbook_id = ${id} and branch_no = 1 and kind = 'segment'`;
  const wrong = { branch: 'main', what: 'wrong_statement' };
  await find(
    'a changed word of a statement',
    () => sql`
      update tlog_statement set body = replace(body, 'kind segment', 'kind branch')
       where ${statement} and last_seq = 3`,
    { ...wrong, seq: 3, where: 'postgres:tlog_statement/1/3' },
  );
  await find(
    'another time',
    () => sql`
      update tlog_statement set body = regexp_replace(body, 'time [0-9]+', 'time 5')
       where ${statement} and last_seq = 2`,
    { ...wrong, seq: 2 },
  );
  await find(
    'a changed leaf',
    () => sql`
      update tlog_statement set leaf_hash = sha256(leaf_hash) where ${statement} and last_seq = 4`,
    { ...wrong, seq: 4 },
  );
  await find(
    'another key',
    () => sql`update workbook set log_key = sha256(log_key) where workbook_id = ${id}`,
    { what: 'wrong_statement' },
  );
  await find(
    'another parent of a merge',
    () => sql`update branch_merge set source_seq = 0, source_no = 0 where workbook_id = ${id}`,
    wrong,
  );
  await sql`update branch_merge set source_seq = 1, source_no = 2 where workbook_id = ${id}`;
  await find(
    'an approval by somebody else',
    () => sql`
      update merge set approvals = replace(approvals::text, '"by"', '"said"')::jsonb
       where workbook_id = ${id}`,
    wrong,
  );
  await sql`
    update merge set approvals = replace(approvals::text, '"said"', '"by"')::jsonb
     where workbook_id = ${id}`;
  await find(
    'a branch that begins elsewhere',
    () => sql`
      update tlog_statement set body = regexp_replace(body, 'prev [^ ]+=\n', ${`prev ${zeros}\n`})
       where workbook_id = ${id} and kind = 'branch'`,
    { what: 'wrong_statement', branch: 'q3' },
  );
  await find(
    'a statement that is gone',
    () => sql`delete from tlog_statement where ${statement} and last_seq = 3`,
    { ...wrong, seq: 3 },
  );
  await find(
    'the last statement is gone',
    () => sql`
      delete from tlog_statement where ${statement} and last_seq = (
        select head from branch where workbook_id = ${id} and branch_no = 1)`,
    wrong,
  );
  t.ok((await verify(book)).ok, 'all is as it was');
});

t.test('a journal that was cut off, or written anew, is not what was logged', async (t) => {
  const { book, sql } = await world();
  const id = book.id;
  await book.set('C1', 'the last word');
  await published(book);
  const [last] = await sql<{ firstSeq: number; lastSeq: number; previousHash: Buffer }[]>`
    select first_seq as "firstSeq", last_seq as "lastSeq", previous_hash as "previousHash"
      from segment where workbook_id = ${id} and branch_no = 1 order by first_seq desc limit 1`;
  if (!last) throw new Error('there is no segment');
  await sql`
    delete from segment
     where workbook_id = ${id} and branch_no = 1 and first_seq = ${last.firstSeq}`;
  await sql`
    update branch set head = ${last.firstSeq - 1}, head_hash = ${last.previousHash}
     where workbook_id = ${id} and branch_no = 1`;
  const { ok, firstBad } = await verify(book);
  t.notOk(ok);
  t.match(firstBad, { branch: 'main', seq: last.lastSeq, what: 'wrong_statement' });
});
