import type { Migration } from './migration.ts';

/** Webhooks of workbooks, how far each has been told, and deliveries that wait. */
export const webhooks: Migration = {
  number: 25,
  name: 'webhooks',
  sql: `
    create table webhook (
      webhook_id  text collate "C" primary key,
      workbook_id text collate "C" not null references workbook on delete cascade,
      url         text not null,
      events      text[] not null,
      -- Sealed: who has a copy of the database alone can sign nothing.
      secret      bytea not null,
      created_by  text collate "C" not null,
      created_at  timestamptz not null,
      -- The standing of the workbook that was told last.
      archived    boolean not null,
      disabled_at timestamptz,
      disabled_because text
    );
    create index webhook_workbook on webhook (workbook_id);

    -- The journal is the outbox of operations: a row says up to where deliveries were made of it,
    -- and moves in the transaction that makes them.
    create table webhook_cursor (
      webhook_id text collate "C" not null references webhook on delete cascade,
      branch_no  integer not null,
      seq        bigint not null,
      is_gone    boolean not null default false,
      primary key (webhook_id, branch_no)
    );

    create table webhook_delivery (
      delivery_id text collate "C" primary key,
      webhook_id  text collate "C" not null references webhook on delete cascade,
      type        text not null,
      body        text not null,
      state       text not null check (state in ('waiting', 'delivered', 'failed')),
      attempts    integer not null default 0,
      made_at     timestamptz not null,
      -- When it is tried next, or was delivered or given up.
      at          timestamptz not null,
      last_status integer,
      last_error  text
    );
    create index webhook_delivery_due on webhook_delivery (at) where state = 'waiting';
    create index webhook_delivery_over on webhook_delivery (at) where state <> 'waiting';
    create index webhook_delivery_hook on webhook_delivery (webhook_id, state, delivery_id);
  `,
};
