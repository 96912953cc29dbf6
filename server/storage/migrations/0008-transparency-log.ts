import type { Migration } from './migration.ts';

export const transparencyLog: Migration = {
  number: 8,
  name: 'transparency-log',
  sql: `
    -- What hides the content of a workbook in the log. It goes with the row when the workbook is
    -- purged, and with it the only way to open what was logged.
    alter table workbook add column log_key bytea not null
      default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
      check (length(log_key) = 32);

    -- Operations up to here are older than the log: nothing was said of them.
    alter table branch add column logged_after bigint not null default 0;
    update branch set logged_after = head;

    -- What opens the entry of the log about a purge: whoever purged has no other way to it.
    alter table purge add column receipt bytea;

    -- What was said of each branch, in the words that were committed to.
    create table tlog_statement (
      workbook_id  text collate "C" not null,
      branch_no    integer not null,
      last_seq     bigint not null,
      leaf_hash    bytea not null check (length(leaf_hash) = 32),
      kind         text collate "C" not null,
      body         text not null,
      statement_no bigint generated always as identity,
      primary key (workbook_id, branch_no, last_seq, leaf_hash),
      foreign key (workbook_id, branch_no) references branch on delete cascade
    );

    -- The outbox: written with what it is about, emptied by the sequencer of the log. No key of a
    -- workbook: what is logged stays when the workbook goes.
    create table tlog_pending (
      leaf_hash   bytea primary key check (length(leaf_hash) = 32),
      entry       bytea not null,
      pending_no  bigint generated always as identity,
      enqueued_at timestamptz not null default clock_timestamp()
    );
    create unique index tlog_pending_order on tlog_pending (pending_no);

    -- The log: a row, once written, is the entry of its index for ever.
    create table tlog_entry (
      leaf_index bigint primary key check (leaf_index >= 0),
      leaf_hash  bytea not null unique,
      entry      bytea not null
    );

    -- The one row that every change of the log goes through. Entries below sequenced have their
    -- index; the tiles of those below size are in object storage; edge has the partial ones, from
    -- level 0 up. Who takes the log over counts up the epoch, so that whoever had it finds another.
    create table tlog_state (
      id          integer primary key check (id = 1),
      epoch       bigint not null default 0,
      holder      text,
      lease_until timestamptz,
      origin      text,
      sequenced   bigint not null default 0,
      size        bigint not null default 0 check (size between 0 and sequenced),
      root        bytea not null default sha256('') check (length(root) = 32),
      edge        bytea not null default ''
    );
    alter table tlog_state alter column edge set storage external;
    insert into tlog_state (id) values (1);

    -- All that was ever signed: a row for each size, so never two roots. note is as the log signed
    -- it, published_note with the signatures of witnesses too.
    create table tlog_signed (
      size           bigint primary key,
      root           bytea not null check (length(root) = 32),
      note           text not null,
      signed_at      timestamptz not null default clock_timestamp(),
      published_note text,
      published_at   timestamptz
    );

    -- The newest cosignature of each witness.
    create table tlog_cosignature (
      witness     text primary key,
      size        bigint not null,
      line        text not null,
      cosigned_at timestamptz not null
    );
  `,
};
