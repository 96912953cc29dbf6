import type { Migration } from './migration.ts';

/** Vectors of texts that providers made, and how much each account has sent them. */
export const matchProviders: Migration = {
  number: 28,
  name: 'match-providers',
  sql: `
    create table match_vector (
      -- The workbook, or empty where all share what is there.
      scope       text collate "C" not null,
      workbook_id text collate "C" references workbook on delete cascade,
      provider    text collate "C" not null,
      model       text collate "C" not null,
      dim         integer not null,
      text_sha256 bytea not null,
      -- Numbers of 32 bits, little endian.
      vector      bytea not null,
      used_at     timestamptz not null default clock_timestamp(),
      primary key (scope, provider, model, dim, text_sha256)
    );
    alter table match_vector alter column vector set storage external;
    create index match_vector_used on match_vector (used_at);
    create index match_vector_workbook on match_vector (workbook_id)
      where workbook_id is not null;

    create table match_spending (
      account  text collate "C" not null,
      provider text collate "C" not null,
      day      date not null,
      count    bigint not null,
      primary key (account, provider, day)
    );
  `,
};
