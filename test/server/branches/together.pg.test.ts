import { createHash } from 'node:crypto';
import t from 'tap';
import type { Test } from 'tap';

import type { Append } from '../../../server/branches/journal-store.ts';
import { PostgresJournal } from '../../../server/branches/sql.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import { companions, type Sql } from '../../../server/storage/postgres.ts';
import { WorkbookTable } from '../../../server/workbooks/sql.ts';
import { openTestDatabase } from '../../support/postgres.ts';

/** Appends to several branches that come at the same time share a statement, and nothing else. */

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
const ids = Array.from({ length: 6 }, (_, at) => `wb_${at}`);

function append(workbookId: string, seq = 1, text = `statement ${workbookId} ${seq}`): Append {
  const previousHash = Buffer.alloc(32, seq - 1);
  const body = Buffer.from(`body ${workbookId}`);
  const segment = { firstSeq: seq, lastSeq: seq, previousHash, hash: hashOf(text), body };
  const entry = Buffer.from(`entry ${workbookId} ${seq}`);
  const said = {
    kind: 'segment',
    lastSeq: seq,
    body: text,
    textHash: hashOf(text),
    entry,
    tag: hashOf(workbookId),
  } as const;
  return {
    workbookId,
    branchNo: 1,
    expectedHead: seq - 1,
    epoch: 0,
    segments: [segment],
    usage: [{ principalId: `agt_${workbookId}`, operationCount: 1, byteCount: body.length }],
    commits: [],
    statements: [{ ...said, leafHash: hashOf(`leaf ${text}`) }],
    at: 0,
  };
}

/** A journal whose first two statements wait, so that all that follow share the third. */
async function start(t: Test) {
  const sql = await openTestDatabase(t);
  const table = new WorkbookTable(sql);
  for (const id of [...ids, 'wb_a', 'wb_b']) {
    await table.begin({ id, ownerId: 'agt_1', namespace: 'ann', name: id });
    await table.complete(id);
  }
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let count = 0;
  const appends = {
    isStuck: false,
    run: async <Result>(statement: (on: Sql) => Promise<Result>): Promise<Result> => {
      if (++count <= 2) await opened;
      return companions(sql).appends.run(statement);
    },
  };
  // Time does not pass: nothing is sent because it has waited too long.
  const environment = { ...realEnvironment, after: () => () => undefined };
  const journal = new PostgresJournal(sql, appends, environment);
  const before = [journal.append(append('wb_a')), journal.append(append('wb_b'))];
  const release = async (): Promise<void> => {
    open();
    await Promise.all(before);
  };
  return { sql, journal, release, statements: () => count };
}

t.test('all of it is written, each to its own branch, by one statement', async (t) => {
  const { sql, journal, release, statements } = await start(t);
  const written = ids.map((id) => journal.append(append(id)));
  await release();
  t.same(
    await Promise.all(written),
    ids.map(() => true),
  );
  t.equal(statements(), 2);
  const rows = await sql<{ id: string }[]>`
    select b.workbook_id as id, b.head::int, b.head_hash as hash, s.last_seq::int as last,
           s.hash as segment, s.body, s.previous_hash as previous, u.principal_id as principal,
           u.byte_count::int as bytes, l.body as said, p.entry, p.tag
      from branch b
      join segment s using (workbook_id, branch_no)
      join usage_delta u using (workbook_id)
      join tlog_statement l using (workbook_id, branch_no)
      join tlog_pending p using (leaf_hash)
     where b.workbook_id = any (${ids}::text[]) order by id`;
  t.match(
    rows,
    ids.map((id) => ({
      id,
      head: 1,
      hash: hashOf(`statement ${id} 1`),
      last: 1,
      segment: hashOf(`statement ${id} 1`),
      body: Buffer.from(`body ${id}`),
      previous: Buffer.alloc(32),
      principal: `agt_${id}`,
      bytes: 9,
      said: `statement ${id} 1`,
      entry: Buffer.from(`entry ${id} 1`),
      tag: hashOf(id),
    })),
  );
  t.equal(rows.length, ids.length);
});

t.test('one that expects another head is refused, and the others are written', async (t) => {
  const { sql, journal, release } = await start(t);
  await sql`update branch set epoch = 1 where workbook_id = 'wb_1'`;
  await sql`update branch set archived = true where workbook_id = 'wb_2'`;
  await sql`update branch set rejected_no = 5 where workbook_id = 'wb_3'`;
  const rejections = { after: 4, kept: [], forgetThrough: 0, at: 0 };
  const written = [
    journal.append(append('wb_0', 2)),
    journal.append(append('wb_1')),
    journal.append(append('wb_2')),
    journal.append({ ...append('wb_3'), rejections }),
    journal.append({ ...append('wb_4'), rejections: { ...rejections, after: 0 } }),
    journal.append(append('wb_none')),
    journal.append(append('wb_5')),
  ];
  await release();
  t.same(await Promise.all(written), [false, false, false, false, true, false, true]);
  t.equal(await journal.append(append('wb_5', 2)), true, 'the next one of a branch');
  const kept = await sql`select workbook_id from segment where workbook_id <> all ('{wb_a,wb_b}')`;
  t.equal(kept.length, 3, 'nothing is there of what was refused');
  t.equal((await sql`select 1 from tlog_pending`).length, 5);
});

t.test('a branch that somebody holds is waited for by its own append alone', async (t) => {
  const { sql, journal, release } = await start(t);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let hold: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (hold = resolve));
  const holding = sql.begin(async (on) => {
    await on`select 1 from branch where workbook_id = 'wb_0' for update`;
    hold();
    await ended;
  });
  await held;
  let isWritten = false;
  const waiting = journal.append(append('wb_0')).then((found) => (isWritten = found));
  const others = ids.slice(1).map((id) => journal.append(append(id)));
  await release();
  t.ok((await Promise.all(others)).every((found) => found));
  t.equal(isWritten, false);
  end();
  await holding;
  t.equal(await waiting, true);
});

t.test('one that the database refuses fails alone', async (t) => {
  const { journal, release } = await start(t);
  const bad = journal.append(append('wb_0', 1, 'no \u0000 text'));
  const others = ids.slice(1).map((id) => journal.append(append(id)));
  const failing = t.rejects(bad, { code: '22021' });
  await release();
  t.ok((await Promise.all(others)).every((found) => found));
  await failing;
});
