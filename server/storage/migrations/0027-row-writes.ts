import type { Migration } from './migration.ts';

/** Bodies of rows that are written to tables in the background. */
export const rowWrites: Migration = {
  number: 27,
  name: 'row writes',
  sql: `
    create table row_write (
      write_id    text collate "C" primary key,
      workbook_id text collate "C" not null references workbook on delete cascade,
      branch      text not null,
      branch_no   integer not null,
      table_id    text not null,
      created_by  text not null,
      owner_id    text not null,
      -- Options, format, and where the body lies.
      request     jsonb not null,
      status      text not null default 'queued'
        check (status in ('queued', 'running', 'done', 'failed', 'cancelled')),
      attempts    integer not null default 0,
      row_count   bigint not null default 0,
      byte_count  bigint not null default 0,
      result      jsonb,
      error       jsonb,
      -- The body is not needed any more, and is gone from the object storage.
      is_dropped  boolean not null default false,
      created_at  timestamptz not null default clock_timestamp(),
      finished_at timestamptz
    );
    create index row_write_workbook on row_write (workbook_id, write_id desc);
    create index row_write_unfinished on row_write (owner_id, write_id)
     where status in ('queued', 'running');`,
};
