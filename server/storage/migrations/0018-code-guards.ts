import type { Migration } from './migration.ts';

export const codeGuards: Migration = {
  number: 18,
  name: 'code-guards',
  sql: `
    -- The limits of codes are counted by a guard: the address of e-mail, or a browser that signed
    -- in with the address before, so that strangers who use up an address's codes keep its owner
    -- out of no browser of theirs.
    alter table email_guard rename to code_guard;
    alter table code_guard rename column email to guard;
    alter table claim_attempt add column guard text;
    update claim_attempt set guard = email;
    alter table claim_attempt alter column guard set not null;
    create index claim_attempt_by_guard on claim_attempt (guard, created_at);
    drop index claim_attempt_by_email;
  `,
};
