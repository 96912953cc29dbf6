import type { Migration } from './migration.ts';

export const lifeCycle: Migration = {
  number: 5,
  name: 'life-cycle',
  sql: `
    -- The token that a purge has to carry; a new one each time the workbook is archived. It guards
    -- against a slip, not against an attacker, so it is kept as it is and answered again.
    alter table workbook add column archived_at timestamptz;
    alter table workbook add column confirm text;
    alter table workbook add constraint workbook_archived
      check (archived = (confirm is not null) and archived = (archived_at is not null));

    -- Tells branches that a restore makes writable again from those that were archived before.
    alter table branch add column archived_with_workbook boolean not null default false;

    -- Branch 0 is $settings: every workbook has it, and only its policy is written there.
    alter table branch drop constraint branch_branch_no_check;
    alter table branch add constraint branch_branch_no_check check (branch_no between 0 and 65535);
    insert into branch (workbook_id, branch_no, name, head_hash)
      select workbook_id, 0, '$settings', decode(repeat('00', 32), 'hex') from workbook;

    -- A purge from its beginning on. That also makes the workbook incomplete, so nobody sees it any
    -- more and its name is free. Objects go first and rows after them, then removed_at is set. The
    -- entry stays a day, for senders who did not hear the answer and for objects that were on their
    -- way to the store meanwhile. No foreign key: it outlives the workbook.
    create table purge (
      workbook_id text collate "C" primary key,
      owner_id    text collate "C" not null,
      confirm     text not null,
      begun_at    timestamptz not null default clock_timestamp(),
      removed_at  timestamptz
    );

    -- Every process forgets at once what it knew of a workbook, whoever changed it.
    create function announce_workbook() returns trigger language plpgsql as $$
    begin
      perform pg_notify('workbook_changed',
        new.workbook_id || case when new.complete then '' else ' gone' end);
      return null;
    end $$;
    create trigger workbook_changed
      after update of archived, complete, name on workbook
      for each row when (old.complete and old is distinct from new)
      execute function announce_workbook();
  `,
};
