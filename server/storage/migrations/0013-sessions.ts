import type { Migration } from './migration.ts';

export const sessions: Migration = {
  number: 13,
  name: 'sessions',
  sql: `
    -- Of people who are signed in. The cookie is kept as SHA-256 only.
    create table session (
      session_sha256 bytea primary key check (length(session_sha256) = 32),
      user_id        text not null references identity_user,
      created_at     timestamptz not null,
      last_used_at   timestamptz not null,
      expires_at     timestamptz not null
    );
    create index session_by_user on session (user_id);
    create index session_by_end on session (expires_at);
  `,
};
