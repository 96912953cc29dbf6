import type { Migration } from './migration.ts';

export const journal: Migration = {
  number: 3,
  name: 'journal',
  sql: `
    -- The registry. Everything else of a workbook is keyed by workbook_id first, so that a shard
    -- can hold whole workbooks.
    create table workbook (
      workbook_id text collate "C" primary key check (starts_with(workbook_id, 'wb_')),
      owner_id    text collate "C" not null,
      namespace   text collate "C" not null,
      name        text not null,
      -- The name as it is compared: names of one namespace differ in more than case.
      folded_name text collate "C" not null,
      archived    boolean not null default false,
      -- False until the first operations are durable. Until then nobody sees the workbook and its
      -- name is free; if we stop before, it is swept up later.
      complete    boolean not null default false,
      created_at  timestamptz not null default clock_timestamp(),
      updated_at  timestamptz not null default clock_timestamp()
    );
    create unique index workbook_address on workbook (namespace, folded_name) where complete;
    create index workbook_owner on workbook (owner_id, workbook_id) where complete;
    create index workbook_incomplete on workbook (created_at) where not complete;

    -- head counts the operations of the branch; head_hash is the end of their hash chain. An append
    -- compares head and epoch in the statement that moves them, so two writers cannot both succeed.
    create table branch (
      workbook_id text collate "C" not null references workbook on delete cascade,
      branch_no   integer not null check (branch_no between 1 and 65535),
      name        text collate "C" not null,
      head        bigint not null default 0 check (head >= 0),
      head_hash   bytea not null check (length(head_hash) = 32),
      epoch       bigint not null default 0,
      archived    boolean not null default false,
      created_at  timestamptz not null default clock_timestamp(),
      updated_at  timestamptz not null default clock_timestamp(),
      primary key (workbook_id, branch_no)
    );
    create unique index branch_name on branch (workbook_id, name);

    -- One row a group commit: up to 1,000 operations, packed (server/branches/segment.ts).
    create table segment (
      workbook_id     text collate "C" not null,
      branch_no       integer not null,
      first_seq       bigint not null check (first_seq >= 1),
      last_seq        bigint not null check (last_seq >= first_seq),
      previous_hash   bytea not null check (length(previous_hash) = 32),
      hash            bytea not null check (length(hash) = 32),
      body            bytea not null,
      written_at      timestamptz not null default clock_timestamp(),
      primary key (workbook_id, branch_no, first_seq),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );
    -- Bodies are incompressible enough; pglz would cost more than the write.
    alter table segment alter column body set storage external;

    -- What was metered with each append; account sums it up and deletes what it summed.
    create table usage_delta (
      workbook_id     text collate "C" not null,
      usage_delta_id  bigint generated always as identity,
      principal_id    text collate "C" not null,
      operation_count integer not null,
      byte_count      bigint not null,
      written_at      timestamptz not null default clock_timestamp(),
      primary key (workbook_id, usage_delta_id)
    );
  `,
};
