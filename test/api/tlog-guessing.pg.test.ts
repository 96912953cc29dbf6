import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { makeStatement, type StatementFacts } from '../../server/tlog/leaf/facts.ts';
import { noStatement, parseStatement } from '../../server/tlog/leaf/statement.ts';
import { WorkbookKey } from '../../server/tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { makeStatementRow, statementTextHash } from '../../server/tlog/statements/statement-row.ts';
import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { guessNumber, openingOf } from '../support/guessing.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: a log is guessed at entry by entry. */

interface Proven {
  readonly kind: string;
  readonly lastSeq: number;
  readonly opens: boolean;
  readonly proof: string | null;
}

const secret = 77_123;
const range = { from: 40_000, to: 99_999 };

/** Resolves with the proofs of a branch, or of all without a query, when none is missing. */
async function published(book: Book, query = '?branch=main'): Promise<Proven[]> {
  for (let tries = 0; tries < 300; tries++) {
    const { json } = await book.ask(`/proofs${query}`);
    const { proofs } = json as { proofs: Proven[] };
    if (proofs.every(({ proof }) => proof !== null)) return proofs;
    await sleep(100);
  }
  throw new Error('a statement is not published');
}

const url = await createMigratedDatabase();
const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
t.teardown(() => sql.end({ timeout: 1 }));
const objects = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
const settings = { DATABASE_URL: url, OBJECT_STORE_URL: objects, TLOG_ORIGIN: 'log.example/tlog' };
const keys = { TLOG_KEY_FILE: `${await makeTemporaryFolder(t)}/tlog.key` };
const service = await TestService.start(t, { ...settings, ...keys });

async function bodies(book: Book): Promise<Map<number, Buffer>> {
  const rows = await sql<{ lastSeq: number; body: Buffer }[]>`
    select last_seq as "lastSeq", body from segment
     where workbook_id = ${book.id} and branch_no = 1`;
  return new Map(rows.map(({ lastSeq, body }) => [lastSeq, body]));
}

/**
 * Returns the number that the attack finds for each segment after the first, from its own file and
 * the one before.
 */
async function attack(book: Book): Promise<(number | undefined)[]> {
  const proofs = (await published(book)).filter(({ kind }) => kind === 'segment');
  const stored = await bodies(book);
  return proofs.slice(1).map(({ proof, lastSeq }, index) => {
    const files = { before: proofs[index]?.proof ?? undefined, own: proof ?? '' };
    return guessNumber(files, stored.get(lastSeq) ?? Buffer.alloc(0), range);
  });
}

/** Says of the segments of main what a service that knew version 1 alone would have said. */
async function sayInVersion1(book: Book): Promise<void> {
  const [{ key: secretKey } = { key: Buffer.alloc(32) }] = await sql<{ key: Buffer }[]>`
    select log_key as key from workbook where workbook_id = ${book.id}`;
  const key = new WorkbookKey(nodeCrypto.sha256, secretKey);
  const rows = await sql<{ body: string; chain: Buffer }[]>`
    select t.body, s.hash as chain
      from tlog_statement t join segment s using (workbook_id, branch_no, last_seq)
     where workbook_id = ${book.id} and branch_no = 1 and kind = 'segment' order by last_seq`;
  await sql`
    delete from tlog_pending where leaf_hash in (
      select leaf_hash from tlog_statement where workbook_id = ${book.id} and branch_no = 1)`;
  await sql`
    update tlog_entry set tag = null where leaf_hash in (
      select leaf_hash from tlog_statement where workbook_id = ${book.id} and branch_no = 1)`;
  await sql`
    delete from tlog_statement where workbook_id = ${book.id} and branch_no = 1`;
  let previous: Uint8Array = noStatement;
  for (const { body, chain } of rows) {
    const { version: _version, ...said } = parseStatement(body);
    const facts: StatementFacts = { ...said, chain, previous: [previous] };
    const row = makeStatementRow(key, makeStatement(key, facts, 1));
    previous = statementTextHash(row.body);
    const address = { workbook_id: book.id, branch_no: 1, last_seq: row.lastSeq };
    const { kind, body: words, leafHash: leaf_hash, entry } = row;
    await sql`
      insert into tlog_statement ${sql({ ...address, leaf_hash, kind, body: words })}`;
    await sql`insert into tlog_pending ${sql({ leaf_hash, entry })}`;
  }
}

t.test('what a proof file hides cannot be guessed from it', async (t) => {
  const book = await Book.create(service);
  await book.set('B2', secret);
  await book.set('B3', secret);
  t.same(await attack(book), [undefined, undefined], 'from statements of version 2');
  await sayInVersion1(book);
  t.same(await attack(book), [secret, secret], 'as statements of version 1 let one');
});

t.test('statements of version 1 stay true, go on, and open for owners alone', async (t) => {
  const before = await Book.create(service);
  await before.set('B2', secret);
  await published(before);
  await sayInVersion1(before);
  await published(before);
  // A process that has written nothing yet knows of the past what is stored.
  const next = await TestService.start(t, { ...settings, ...keys });
  const book = before.at(next);
  await book.set('B3', secret);
  const proofs = await published(book);
  const versions = proofs.map(({ proof }) => openingOf(proof)?.statement.version);
  t.same(versions, [1, 1, 2]);
  const { json } = await book.ask('/verify', { method: 'POST' });
  t.match(json, { ok: true, firstBad: null });
  const { credential, userId } = await claimedAgent(next.url);
  const body = { role: 'editor' };
  const given = await book.ask(`/collaborators/${userId}`, { method: 'PUT', body });
  t.equal(given.status, 200, given.text);
  const answer = await next.request(`/v1/workbooks/${book.id}/proofs?branch=main`, {
    credential,
  });
  t.equal(answer.status, 200, answer.text);
  const seen = (answer.json as { proofs: Proven[] }).proofs;
  t.same(
    seen.map(({ opens }) => opens),
    [false, false, true],
  );
  t.equal(openingOf(seen[0]?.proof), undefined);
  t.equal(openingOf(seen[2]?.proof)?.statement.version, 2);
});

t.test('no two statements about one position share their salt', async (t) => {
  const book = await Book.create(service);
  await book.set('B2', 1);
  await book.ask('/branches/main/commit', { body: { message: 'one' } });
  for (let count = 0; count < 2; count++) {
    await book.archive();
    await book.ask('/restore', { method: 'POST' });
  }
  const proofs = await published(book, '');
  const salts = proofs.map(({ proof }) =>
    Buffer.from(openingOf(proof)?.salt ?? []).toString('hex'),
  );
  t.ok(salts.length >= 7);
  t.equal(new Set(salts).size, salts.length);
});
