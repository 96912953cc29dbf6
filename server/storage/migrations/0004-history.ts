import type { Migration } from './migration.ts';

export const history: Migration = {
  number: 4,
  name: 'history',
  sql: `
    -- A branch begins at an operation of its parent: with the state there, and with its chain.
    alter table branch
      add column parent_no   integer,
      add column fork_seq    bigint,
      add column base_hash   bytea not null default decode(repeat('00', 32), 'hex')
                             check (length(base_hash) = 32),
      add column description text,
      add column created_by  text collate "C",
      -- Operations up to here are in object storage too.
      add column sealed_seq  bigint not null default 0 check (sealed_seq between 0 and head),
      -- A deleted branch has no name any more; those that were forked off it still need it.
      add column deleted_at  timestamptz,
      add check ((parent_no is null) = (fork_seq is null));
    drop index branch_name;
    create unique index branch_name on branch (workbook_id, name) where deleted_at is null;
    alter table workbook add column last_branch_no integer not null default 1;

    -- What is in object storage. Both can be found again by listing it.
    create table sealed_segment (
      workbook_id text collate "C" not null,
      branch_no   integer not null,
      first_seq   bigint not null,
      last_seq    bigint not null check (last_seq >= first_seq),
      object_key  text collate "C" not null,
      byte_count  bigint not null,
      written_at  timestamptz not null default clock_timestamp(),
      primary key (workbook_id, branch_no, first_seq),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );
    create table snapshot (
      workbook_id text collate "C" not null,
      branch_no   integer not null,
      seq         bigint not null,
      root        bytea not null check (length(root) = 32),
      object_key  text collate "C" not null,
      written_at  timestamptz not null default clock_timestamp(),
      primary key (workbook_id, branch_no, seq),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );

    -- Named positions, written with the operations that name them. The hashes come after.
    create table branch_commit (
      workbook_id  text collate "C" not null,
      branch_no    integer not null,
      seq          bigint not null,
      tag          text collate "C",
      message      text not null,
      committed_by text collate "C" not null,
      state_hash   bytea,
      chain_hash   bytea,
      committed_at timestamptz not null,
      primary key (workbook_id, branch_no, seq),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );
    -- A tag is taken before its commit is written, so that no two commits can have it.
    create table commit_tag (
      workbook_id text collate "C" not null references workbook on delete cascade,
      tag         text collate "C" not null,
      reserved_at timestamptz not null default clock_timestamp(),
      branch_no   integer,
      seq         bigint,
      primary key (workbook_id, tag)
    );
  `,
};
