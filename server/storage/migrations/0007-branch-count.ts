import type { Migration } from './migration.ts';

export const branchCount: Migration = {
  number: 7,
  name: 'branch-count',
  sql: `
    -- Branches beside the one of the settings. Counting them for every new one takes longer than
    -- making it, and two that are made at once would both find room.
    alter table workbook add column branch_count integer not null default 1;
    update workbook w set branch_count = counted.total
      from (select workbook_id, count(*)::integer as total from branch
             where deleted_at is null and branch_no <> 0 group by 1) counted
     where counted.workbook_id = w.workbook_id;
  `,
};
