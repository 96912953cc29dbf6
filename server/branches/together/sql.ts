import type { Sql } from '../../storage/postgres.ts';
import type { Append } from '../journal-store.ts';

/**
 * Appends to several branches in one statement: head, segment, usage and statement of each move
 * together. Branches that somebody else holds, or that are not where their append expects them, are
 * passed over: nobody waits for another branch here, so that no two statements wait for each other.
 * Returns the indexes of the appends that were written. /
 */
export async function appendTogether(
  sql: Sql,
  appends: readonly Append[],
): Promise<ReadonlySet<number>> {
  const { hashes, bodies, leaves, entries, ...given } = columnsOf(appends);
  const { principals, operations, bytes, meteredBy } = usageOf(appends);
  const rows = await sql<{ nth: number }[]>`
    with given as materialized (
      select * from unnest(
        ${given.workbooks}::text[], ${given.branches}::int[], ${given.expected}::bigint[],
        ${given.epochs}::bigint[], ${given.rejected}::bigint[], ${given.firsts}::bigint[],
        ${given.lasts}::bigint[], ${given.starts}::int[], ${given.lengths}::int[],
        ${given.texts}::text[], ${given.entryStarts}::int[], ${given.entryLengths}::int[],
        ${given.tagLengths}::int[]) with ordinality
        as given (workbook_id, branch_no, expected, epoch, after, first, last, start, length,
                  said, entry_start, entry_length, tag_length, nth)
    ), held as materialized (
      select given.nth, given.workbook_id, given.branch_no, given.last
        from branch join given using (workbook_id, branch_no)
       where branch.head = given.expected and branch.epoch = given.epoch and not archived
         and rejected_no = coalesce(given.after, rejected_no)
         for no key update of branch skip locked
    ), moved as (
      update branch
         set head = held.last, updated_at = clock_timestamp(),
             head_hash = substring(${hashes}::bytea from (64 * held.nth - 31)::int for 32)
        from held
       where branch.workbook_id = held.workbook_id and branch.branch_no = held.branch_no
      returning held.nth
    ), written as (
      insert into segment (workbook_id, branch_no, first_seq, last_seq, previous_hash, hash, body)
      select workbook_id, branch_no, first, last,
             substring(${hashes}::bytea from (64 * nth - 63)::int for 32),
             substring(${hashes}::bytea from (64 * nth - 31)::int for 32),
             substring(${bodies}::bytea from start for length)
        from moved join given using (nth)
    ), metered as (
      insert into usage_delta (workbook_id, principal_id, operation_count, byte_count)
      select workbook_id, principal, operations, bytes
        from moved join given using (nth)
        join unnest(${meteredBy}::bigint[], ${principals}::text[], ${operations}::int[],
                    ${bytes}::bigint[]) as delta (nth, principal, operations, bytes) using (nth)
    ), stated as (
      insert into tlog_statement (workbook_id, branch_no, last_seq, leaf_hash, kind, body)
      select workbook_id, branch_no, last,
             substring(${leaves}::bytea from (32 * nth - 31)::int for 32), 'segment', said
        from moved join given using (nth)
    ), logged as (
      insert into tlog_pending (leaf_hash, entry, tag)
      select substring(${leaves}::bytea from (32 * nth - 31)::int for 32),
             substring(${entries}::bytea from entry_start for entry_length),
             substring(${entries}::bytea from entry_start + entry_length for tag_length)
        from moved join given using (nth)
      on conflict do nothing
    )
    select nth::int from moved`;
  return new Set(rows.map(({ nth }) => nth - 1));
}

/** The driver writes an array of buffers far more slowly than one buffer, which is cut above. */
function columnsOf(appends: readonly Append[]) {
  const segments = appends.flatMap(({ segments: own }) => own);
  const said = appends.flatMap(({ statements = [] }) => statements);
  const bodyStarts = startsOf(segments.map(({ body }) => body.length));
  const entryStarts = startsOf(said.map(({ entry, tag }) => entry.length + tag.length));
  return {
    workbooks: appends.map(({ workbookId }) => workbookId),
    branches: appends.map(({ branchNo }) => branchNo),
    expected: appends.map(({ expectedHead }) => expectedHead),
    epochs: appends.map(({ epoch }) => epoch),
    rejected: appends.map(({ rejections }) => rejections?.after ?? null),
    firsts: segments.map(({ firstSeq }) => firstSeq),
    lasts: segments.map(({ lastSeq }) => lastSeq),
    starts: bodyStarts,
    lengths: segments.map(({ body }) => body.length),
    texts: said.map(({ body }) => body),
    entryStarts,
    entryLengths: said.map(({ entry }) => entry.length),
    tagLengths: said.map(({ tag }) => tag.length),
    hashes: Buffer.concat(segments.flatMap(({ previousHash, hash }) => [previousHash, hash])),
    bodies: Buffer.concat(segments.map(({ body }) => body)),
    leaves: Buffer.concat(said.map(({ leafHash }) => leafHash)),
    entries: Buffer.concat(said.flatMap(({ entry, tag }) => [entry, tag])),
  };
}

/** Positions from 1 on, as SQL counts them. */
function startsOf(lengths: readonly number[]): number[] {
  let next = 1;
  return lengths.map((length) => (next += length) - length);
}

function usageOf(appends: readonly Append[]) {
  const deltas = appends.flatMap(({ usage }, index) => {
    return usage.map((delta) => ({ ...delta, nth: index + 1 }));
  });
  return {
    meteredBy: deltas.map(({ nth }) => nth),
    principals: deltas.map(({ principalId }) => principalId),
    operations: deltas.map(({ operationCount }) => operationCount),
    bytes: deltas.map(({ byteCount }) => byteCount),
  };
}
