import type { Migration } from './migration.ts';

export const logPast: Migration = {
  number: 20,
  name: 'log-past',
  sql: `
    -- Where the files of the log are, which changes when an operator adopts an older tree or begins
    -- another log: what the world has seen stays where it is. What a machine remembers from before
    -- adopted_at was given up on purpose.
    alter table tlog_state
      add column prefix text not null default 'tlog/',
      add column adopted_at timestamptz;

    -- Logs, and ends of this one, that are no more gone on with. note is the newest checkpoint that
    -- anybody was shown, as far as that is known.
    create table tlog_past (
      past_no  integer primary key,
      why      text not null check (why in ('adopted', 'begun')),
      prefix   text not null,
      origin   text not null,
      size     bigint not null,
      note     text,
      ended_at timestamptz not null default clock_timestamp()
    );

    -- All that was ever signed under an older name.
    create table tlog_past_signed (
      past_no        integer not null references tlog_past,
      size           bigint not null,
      root           bytea not null,
      note           text not null,
      signed_at      timestamptz not null,
      published_note text,
      published_at   timestamptz,
      primary key (past_no, size)
    );
  `,
};
