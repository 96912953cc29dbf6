import type { Migration } from './migration.ts';

export const identity: Migration = {
  number: 2,
  name: 'identity',
  sql: `
    create table identity_user (
      user_id        text primary key,
      kind           text not null check (kind in ('agent', 'human')),
      namespace      text not null unique,
      client_name    text,
      client_version text,
      created_at     timestamptz not null,
      claimed_at     timestamptz
    );

    -- Secrets are kept as SHA-256 only: they are random, so no slow hash is needed.
    create table credential (
      credential_id text primary key,
      user_id       text not null references identity_user,
      sha256        bytea not null unique check (length(sha256) = 32),
      prefix        text not null,
      last4         text not null,
      scopes        text[] not null,
      created_at    timestamptz not null,
      last_used_at  timestamptz,
      expires_at    timestamptz,
      revoked_at    timestamptz,
      -- Replaced by a claim or a rotation, which its next use is told.
      superseded    boolean not null default false
    );
    create index credential_by_user on credential (user_id);

    create table registration (
      registration_id    text primary key,
      user_id            text references identity_user,
      kind               text not null check (kind in ('anonymous', 'email-verification')),
      claim_token_sha256 bytea not null unique check (length(claim_token_sha256) = 32),
      claim_expires_at   timestamptz not null,
      -- IPv4 address or IPv6 /64, for the limits.
      address_group      text not null,
      created_at         timestamptz not null,
      claimed_at         timestamptz
    );
    create index registration_by_time on registration (created_at);
    create index registration_by_address on registration (address_group, created_at);

    -- Repeats of a registration: the answer is sealed with a key that only the sender has.
    create table registration_repeat (
      key_sha256  bytea primary key,
      fingerprint bytea not null,
      sealed      bytea not null,
      expires_at  timestamptz not null
    );

    create table auth_event (
      event_id      bigint generated always as identity primary key,
      kind          text not null,
      user_id       text,
      credential_id text,
      address       text,
      client_name   text,
      request_id    text,
      at            timestamptz not null
    );
    create index auth_event_by_user on auth_event (user_id, at);

    -- Every process forgets a revoked key at once, whoever revoked it.
    create function announce_revocation() returns trigger language plpgsql as $$
    begin
      perform pg_notify('auth_revoked', encode(new.sha256, 'hex'));
      return null;
    end $$;
    create trigger credential_changed
      after update of revoked_at, scopes, superseded on credential
      for each row execute function announce_revocation();

    -- Answers by Idempotency-Key, 24 hours.
    create table idempotency (
      owner       text not null,
      route       text not null,
      key         text not null,
      fingerprint bytea not null,
      started_at  timestamptz not null,
      status      integer,
      headers     jsonb,
      body        bytea,
      primary key (owner, route, key)
    );
    create index idempotency_by_time on idempotency (started_at);
  `,
};
