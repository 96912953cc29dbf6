import type { Migration } from './migration.ts';

/** Addresses under which others match their names with those of a table. */
export const reconciliationLinks: Migration = {
  number: 29,
  name: 'reconciliation-links',
  sql: `
    create table reconciliation_link (
      link_id     text collate "C" primary key,
      workbook_id text collate "C" not null references workbook on delete cascade,
      -- Of the token in the address; the token itself is nowhere.
      sha256      bytea not null unique,
      reference   text not null,
      table_id    text collate "C" not null,
      column_id   text collate "C" not null,
      created_by  text collate "C" not null,
      created_at  timestamptz not null default clock_timestamp(),
      expires_at  timestamptz not null
    );
    create index reconciliation_link_workbook on reconciliation_link (workbook_id, link_id desc);
    create index reconciliation_link_expiry on reconciliation_link (expires_at);
  `,
};
