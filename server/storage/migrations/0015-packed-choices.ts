import type { Migration } from './migration.ts';

export const packedChoices: Migration = {
  number: 15,
  name: 'packed-choices',
  sql: `
    -- A list of what was chosen, each with the conflicts that it was chosen for.
    update merge set choices = coalesce((
      select jsonb_agg((value - 'sides') || jsonb_build_object(
               'of', jsonb_build_array(key || ' ' || (value ->> 'sides'))))
        from jsonb_each(choices)), '[]');
    alter table merge alter column choices set default '[]';
  `,
};
