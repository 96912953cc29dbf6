import type { Migration } from './migration.ts';

/** Tickets that open one websocket each, for who cannot send a header. */
export const websocketTickets: Migration = {
  number: 23,
  name: 'websocket-tickets',
  sql: `
    create table ws_ticket (
      sha256 bytea primary key,
      -- SHA-256 in hexadecimal of the credential that asked for it.
      credential_key text not null,
      workbook_id text not null references workbook on delete cascade,
      branch text not null,
      expires_at timestamptz not null
    );
    create index ws_ticket_expiry on ws_ticket (expires_at);
    create index ws_ticket_workbook on ws_ticket (workbook_id);
  `,
};
