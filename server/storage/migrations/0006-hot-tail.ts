import type { Migration } from './migration.ts';

export const hotTail: Migration = {
  number: 6,
  name: 'hot-tail',
  sql: `
    -- Position of the newest snapshot. What is at or below both sealed_seq and snapshot_seq can be
    -- read from object storage alone, so its segments may be deleted here.
    alter table branch
      add column snapshot_seq bigint not null default 0 check (snapshot_seq between 0 and head);
    update branch b set snapshot_seq = s.seq
      from (select workbook_id, branch_no, max(seq) as seq from snapshot group by 1, 2) s
     where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no;

    -- Commits whose process ended before it noted their hashes.
    create index branch_commit_unhashed on branch_commit (workbook_id, branch_no)
      where state_hash is null;
  `,
};
