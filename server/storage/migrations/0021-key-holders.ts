import type { Migration } from './migration.ts';

/**
 * Adds the process that runs the request under a key, and the cells that branches hold, for the cap
 * of the owner.
 */
export const keyHolders: Migration = {
  number: 21,
  name: 'key-holders',
  sql: `
    -- The number of an advisory lock that the process holds while it lives.
    alter table idempotency add column holder integer;
    alter table idempotency add column taken_at timestamptz;
    -- The request that a tag waits for: its next try may have it.
    alter table commit_tag add column reserved_for text;
    -- Cells that hold something, at the head and where it begins; null while nobody counted.
    alter table branch add column cells bigint;
    alter table branch add column base_cells bigint;
  `,
};
