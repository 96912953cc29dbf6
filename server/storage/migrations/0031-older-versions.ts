import type { Migration } from './migration.ts';

export const olderVersions: Migration = {
  number: 31,
  name: 'older-versions',
  sql: `
    -- The step that a version has to know at least to run on a schema with this step; null means
    -- this step itself. Until here no version ran beside an older one.
    alter table schema_migration add column requires integer
      check (requires between 1 and number);
  `,
};
