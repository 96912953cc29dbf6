import type { Migration } from './migration.ts';

export const branchLife: Migration = {
  number: 17,
  name: 'branch-life',
  sql: `
    -- A branch that nobody wrote to for so long is archived.
    alter table branch add column ttl_days integer check (ttl_days >= 1);
    create index branch_with_ttl on branch (updated_at) where ttl_days is not null and not archived;
  `,
};
