import type { Migration } from './migration.ts';

export const storeMark: Migration = {
  number: 32,
  name: 'store-mark',
  requires: 31,
  sql: `
    -- The name that this database and its object store both have, made at the first start, so that
    -- no process writes the history of one into the store of another.
    create table object_store (
      id        integer primary key check (id = 1),
      mark      text collate "C" not null,
      -- Null until the object with the mark is known to be in the store.
      placed_at timestamptz
    );
  `,
};
