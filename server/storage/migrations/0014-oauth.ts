import type { Migration } from './migration.ts';

export const oauth: Migration = {
  number: 14,
  name: 'oauth',
  sql: `
    create table oauth_client (
      client_id     text primary key,
      name          text not null,
      redirect_uris text[] not null,
      created_at    timestamptz not null,
      last_used_at  timestamptz not null,
      -- When its document was read, of a client whose id is the address of one.
      document_at   timestamptz
    );

    -- What a person allowed a client once. Codes and tokens hang on it and end with it.
    create table oauth_grant (
      grant_id   text primary key,
      user_id    text not null references identity_user,
      client_id  text not null,
      scopes     text[] not null,
      resource   text not null,
      created_at timestamptz not null,
      revoked_at timestamptz
    );
    create index oauth_grant_by_user on oauth_grant (user_id);

    create table oauth_code (
      code_sha256  bytea primary key check (length(code_sha256) = 32),
      grant_id     text not null references oauth_grant,
      redirect_uri text not null,
      challenge    text not null,
      expires_at   timestamptz not null,
      used_at      timestamptz
    );

    -- A refresh token counts once. One that comes back was stolen, here or there.
    create table oauth_refresh (
      token_sha256 bytea primary key check (length(token_sha256) = 32),
      grant_id     text not null references oauth_grant,
      expires_at   timestamptz not null,
      used_at      timestamptz
    );
    create index oauth_refresh_by_grant on oauth_refresh (grant_id);

    -- Access tokens are credentials like others, with an end that use does not move.
    alter table credential add column grant_id text references oauth_grant;
    create index credential_by_grant on credential (grant_id) where grant_id is not null;
  `,
};
