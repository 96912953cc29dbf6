import type { Migration } from './migration.ts';

export const claims: Migration = {
  number: 10,
  name: 'claims',
  sql: `
    -- A person is known by an address of theirs, folded. An agent can be linked to a person, who
    -- then has its workbooks too, or be merged into one: its user_id stays in journals.
    alter table identity_user add column email text;
    alter table identity_user add column linked_to text references identity_user;
    alter table identity_user add column merged_into text references identity_user;
    alter table identity_user add column suspended_at timestamptz;
    alter table identity_user add column expired_at timestamptz;
    create unique index identity_user_email on identity_user (email) where kind = 'human';
    create index identity_user_linked on identity_user (linked_to) where linked_to is not null;

    alter table credential add column label text;
    -- Set when another key took its place: it lives on for a while, and use does not prolong that.
    alter table credential add column rotated_at timestamptz;
    create index credential_by_expiry on credential (expires_at) where revoked_at is null;

    alter table registration add column email text;
    alter table registration add column client_name text;
    create index registration_by_user on registration (user_id);
    create index registration_by_end on registration (claim_expires_at) where claimed_at is null;
    create index identity_user_expired on identity_user (expired_at) where expired_at is not null;

    -- A code that was sent, as HMAC with a key that is not in the database. A try is counted before
    -- it is compared, so that guesses at the same time cannot share one.
    create table claim_attempt (
      attempt_id      text primary key,
      purpose         text not null check (purpose in ('claim', 'sign-in')),
      registration_id text references registration,
      email           text not null,
      is_link         boolean not null,
      code_hmac       bytea not null check (length(code_hmac) = 32),
      tries           integer not null default 0 check (tries between 0 and 5),
      deny_sha256     bytea not null unique check (length(deny_sha256) = 32),
      created_at      timestamptz not null,
      expires_at      timestamptz not null,
      ended           text check (ended in ('used', 'superseded', 'denied')),
      check ((purpose = 'claim') = (registration_id is not null))
    );
    create unique index claim_attempt_open on claim_attempt (registration_id) where ended is null;
    create index claim_attempt_by_registration on claim_attempt (registration_id, created_at);
    create index claim_attempt_by_email on claim_attempt (email, created_at);
    create index claim_attempt_by_time on claim_attempt (created_at);

    -- What is counted for an address of e-mail, whoever asks; its row is the lock of the address.
    create table email_guard (
      email       text primary key,
      tries       integer not null default 0,
      tries_since timestamptz not null,
      muted_until timestamptz
    );

    -- Counts of an hour, by client address or for all.
    create table rate_window (
      key       text not null,
      starts_at timestamptz not null,
      count     integer not null,
      primary key (key, starts_at)
    );

    -- Letters that are not sent yet, sealed, because they hold codes. A row goes once it is sent.
    create table mail_outbox (
      mail_id    text primary key,
      attempt_id text not null references claim_attempt on delete cascade,
      sealed     bytea not null,
      tries      integer not null default 0,
      next_at    timestamptz not null,
      expires_at timestamptz not null
    );
    create index mail_outbox_due on mail_outbox (next_at);

    -- Where a workbook was before a merge renamed it; such addresses answer 308 for a while.
    create table workbook_alias (
      namespace   text collate "C" not null,
      folded_name text collate "C" not null,
      workbook_id text collate "C" not null references workbook on delete cascade,
      expires_at  timestamptz not null,
      primary key (namespace, folded_name)
    );

    -- A change of owner is forgotten by every process at once, as other changes are.
    create trigger workbook_owner_changed
      after update of owner_id on workbook
      for each row when (old.complete and old.owner_id is distinct from new.owner_id)
      execute function announce_workbook();
  `,
};
