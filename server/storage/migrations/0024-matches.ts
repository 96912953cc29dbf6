import type { Migration } from './migration.ts';

/** Columns that are matched with each other, what was done of it, and the rows that came out. */
export const matches: Migration = {
  number: 24,
  name: 'matches',
  sql: `
    create table match (
      match_id    text collate "C" primary key,
      workbook_id text collate "C" not null references workbook on delete cascade,
      created_by  text not null,
      owner_id    text not null,
      branch      text not null,
      branch_no   integer not null,
      seq         bigint not null,
      -- Both columns, and the options with their defaults.
      request     jsonb not null,
      algo        text not null,
      status      text not null default 'queued'
        check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
      phase       text,
      done        integer not null default 0,
      total       integer not null default 0,
      progress    float8 not null default 0,
      attempts    integer not null default 0,
      -- Rows, distinct texts and empty ones of both sides, once they were read.
      sides       jsonb,
      inputs_hash bytea,
      reused      boolean not null default false,
      -- By decision: as they are, and as they were made.
      counts      jsonb,
      made_counts jsonb,
      row_count   integer not null default 0,
      error       jsonb,
      created_at  timestamptz not null default clock_timestamp(),
      started_at  timestamptz,
      finished_at timestamptz
    );
    create index match_workbook on match (workbook_id, match_id desc);
    create index match_unfinished on match (owner_id, match_id) where status in ('queued', 'running');
    create index match_inputs on match (workbook_id, inputs_hash) where status = 'done';

    -- What threads have made of parts of it, until it is finished.
    create table match_chunk (
      match_id text collate "C" not null references match on delete cascade,
      phase    text not null,
      first    integer not null,
      data     bytea not null,
      primary key (match_id, phase, first)
    );
    alter table match_chunk alter column data set storage external;

    create table match_row (
      match_id  text collate "C" not null references match on delete cascade,
      number    integer not null,
      -- Keys as JSON: a number and its digits as a text are two keys.
      left_key  text collate "C" not null,
      right_key text collate "C" not null,
      decision  smallint not null,
      -- As it was made, whatever a person has decided since.
      body      text not null,
      is_manual boolean not null default false,
      primary key (match_id, number)
    );
    create index match_row_decision on match_row (match_id, decision, number);
    create index match_row_key on match_row using hash (left_key);
  `,
};
