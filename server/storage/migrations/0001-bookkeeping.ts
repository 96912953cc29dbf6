import type { Migration } from './migration.ts';

export const bookkeeping: Migration = {
  number: 1,
  name: 'bookkeeping',
  sql: `
    create table schema_migration (
      number     integer primary key check (number >= 1),
      name       text not null,
      sha256     bytea not null,
      applied_at timestamptz not null default clock_timestamp()
    );

    -- Heartbeats use the clock of the database only, so that clocks of nodes need not agree.
    create table node (
      node_id      text primary key,
      version      text not null,
      started_at   timestamptz not null default clock_timestamp(),
      heartbeat_at timestamptz not null default clock_timestamp()
    );
  `,
};
