import type { Migration } from './migration.ts';

export const logTags: Migration = {
  number: 19,
  name: 'log-tags',
  sql: `
    -- Whose an entry of the log is, as far as this database goes: derived from the key of the
    -- workbook, so that verify finds an entry without its statement. A purge takes it away; it is
    -- in no file of the log.
    alter table tlog_pending add column tag bytea;
    alter table tlog_entry add column tag bytea;
    update tlog_pending p set tag = substring(sha256('tlog-tag'::bytea || w.log_key) for 16)
      from tlog_statement s join workbook w using (workbook_id)
     where s.leaf_hash = p.leaf_hash;
    update tlog_entry e set tag = substring(sha256('tlog-tag'::bytea || w.log_key) for 16)
      from tlog_statement s join workbook w using (workbook_id)
     where s.leaf_hash = e.leaf_hash;
    create index tlog_entry_tag on tlog_entry (tag, leaf_index) where tag is not null;
  `,
};
