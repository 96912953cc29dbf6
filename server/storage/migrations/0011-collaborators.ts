import type { Migration } from './migration.ts';

export const collaborators: Migration = {
  number: 11,
  name: 'collaborators',
  sql: `
    create table collaborator (
      workbook_id text collate "C" not null references workbook on delete cascade,
      user_id     text collate "C" not null references identity_user,
      role        text not null check (role in ('editor', 'reviewer', 'viewer')),
      added_by    text not null,
      added_at    timestamptz not null,
      primary key (workbook_id, user_id)
    );
    create index collaborator_by_user on collaborator (user_id);

    -- Rights that change are known to every process at once.
    create function announce_collaborator() returns trigger language plpgsql as $$
    begin
      perform pg_notify('workbook_changed', coalesce(new.workbook_id, old.workbook_id));
      return null;
    end $$;
    create trigger collaborator_changed after insert or update or delete on collaborator
      for each row execute function announce_collaborator();

    create function announce_link() returns trigger language plpgsql as $$
    begin
      perform pg_notify('workbook_changed', workbook_id) from workbook where owner_id = new.user_id;
      return null;
    end $$;
    create trigger user_linked after update of linked_to, merged_into on identity_user
      for each row execute function announce_link();
  `,
};
