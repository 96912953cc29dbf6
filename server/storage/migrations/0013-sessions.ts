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

    -- Accounts elsewhere that people signed in with, by what their provider calls them.
    create table upstream_account (
      issuer     text not null,
      subject    text not null,
      user_id    text not null references identity_user,
      created_at timestamptz not null,
      primary key (issuer, subject)
    );
    create index upstream_account_by_user on upstream_account (user_id);

    -- Of people who are on their way to a provider and back.
    create table sign_in_flow (
      flow_sha256 bytea primary key check (length(flow_sha256) = 32),
      provider    text not null,
      next        text not null,
      expires_at  timestamptz not null
    );
    create index sign_in_flow_by_end on sign_in_flow (expires_at);
  `,
};
