import type { Migration } from './migration.ts';

export const storedValues: Migration = {
  number: 16,
  name: 'stored-values',
  sql: `
    -- All values of one state, under a digest of everything they depend on. A cache: any row may
    -- go at any time, and is made again when somebody asks.
    create table values_result (
      workbook_id text collate "C" not null references workbook on delete cascade,
      key         bytea not null,
      seq         bigint not null,
      total       bigint not null,
      byte_count  bigint not null,
      read_at     timestamptz not null default clock_timestamp(),
      primary key (workbook_id, key)
    );
    create index values_result_by_use on values_result (read_at);

    create table values_block (
      workbook_id text collate "C" not null,
      key         bytea not null,
      number      integer not null,
      data        bytea not null,
      primary key (workbook_id, key, number),
      foreign key (workbook_id, key) references values_result on delete cascade
    );
    -- As they are: compressing half a megabyte takes longer than writing it.
    alter table values_block alter column data set storage external;
  `,
};
