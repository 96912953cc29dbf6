import type { Migration } from './migration.ts';

export const merges: Migration = {
  number: 9,
  name: 'merges',
  sql: `
    -- Merges that were applied, written in the statement that appends them to the journal: which
    -- operations of which branches a branch holds from then on.
    create table branch_merge (
      workbook_id text collate "C" not null,
      branch_no   integer not null,
      seq         bigint not null,
      merge_id    text collate "C" not null,
      source_no   integer not null,
      source_seq  bigint not null,
      -- Null for one that was squashed: what else it holds is not told.
      vector      jsonb,
      primary key (workbook_id, branch_no, seq),
      unique (workbook_id, merge_id),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );

    -- Proposed merges under review. Conflicts are not kept: they follow from the three positions
    -- and the choices.
    create table merge (
      workbook_id  text collate "C" not null references workbook on delete cascade,
      merge_id     text collate "C" not null,
      -- Grows with every change of the row, so that nobody answers what they have not seen.
      revision     integer not null default 1,
      state        text not null
        check (state in ('open', 'merged', 'aborted')),
      source_no    integer not null,
      source_seq   bigint not null,
      -- Whether the source was named by position: then it stays there.
      source_pinned boolean not null,
      target_no    integer not null,
      target_seq   bigint not null,
      created_by   text not null,
      created_at   timestamptz not null default clock_timestamp(),
      -- Title, description, strategy and the like, as they were asked for.
      request      jsonb not null,
      choices      jsonb not null default '{}',
      units        jsonb not null default '[]',
      approvals    jsonb not null default '[]',
      timeline     jsonb not null default '[]',
      result       jsonb,
      primary key (workbook_id, merge_id)
    );
    create index merge_created on merge (workbook_id, created_at desc, merge_id);
  `,
};
