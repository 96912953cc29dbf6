import type { Migration } from './migration.ts';

export const logTidied: Migration = {
  number: 30,
  name: 'log-tidied',
  sql: `
    -- Entries up to which there are full files of the log alone: narrower ones were deleted.
    alter table tlog_state add column tidied bigint not null default 0;
  `,
};
