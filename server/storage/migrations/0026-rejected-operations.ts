import type { Migration } from './migration.ts';

/** Rejections of the last day, so that a retry hears the same from every process. */
export const rejectedOperations: Migration = {
  number: 26,
  name: 'rejected-operations',
  sql: `
    -- Number of the last rejection; appends compare it as they compare the head.
    alter table branch add column rejected_no bigint not null default 0;

    create table rejected_operation (
      workbook_id text collate "C" not null,
      branch_no   integer not null,
      number      bigint not null,
      -- Digest of who sent it, as which writer, under which id.
      key         bytea not null,
      -- The error as JSON: jsonb would not take every text.
      error       text not null,
      rejected_at timestamptz not null,
      primary key (workbook_id, branch_no, number),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );
  `,
};
