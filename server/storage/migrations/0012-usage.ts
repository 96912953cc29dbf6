import type { Migration } from './migration.ts';

export const usage: Migration = {
  number: 12,
  name: 'usage',
  sql: `
    -- Counts of a month. Operations and bytes come from usage_delta, whose rows are written with
    -- the journal and deleted in the statement that adds them here, so each counts once, whatever
    -- dies.
    create table usage_window (
      user_id   text collate "C" not null,
      starts_at timestamptz not null,
      meter     text not null,
      count     bigint not null,
      primary key (user_id, starts_at, meter)
    );

    create index identity_user_merged on identity_user (merged_into) where merged_into is not null;
    create index usage_delta_by_principal on usage_delta (principal_id);
  `,
};
