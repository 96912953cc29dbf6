import type { Migration } from './migration.ts';

/** Adds the processes that a process knows of, so that a new one can wait until it is known. */
export const knownNodes: Migration = {
  number: 22,
  name: 'known-nodes',
  sql: `
    alter table node add column known text[] not null default '{}';
  `,
};
