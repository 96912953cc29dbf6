import type { Role } from '../../model/access.ts';
import type { Settle } from '../../model/idempotency.ts';
import type { Sql, Statements } from '../../storage/postgres.ts';

export interface Collaborator {
  readonly userId: string;
  readonly role: Role;
  readonly kind: 'agent' | 'human';
  readonly name: string;
  readonly addedAt: Date | null;
}

export class CollaboratorTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The owner, the person behind it if there is one, then the others by age. */
  list(workbookId: string): Promise<Collaborator[]> {
    return this.#listIn(this.#sql, workbookId);
  }

  async #listIn(sql: Statements, workbookId: string): Promise<Collaborator[]> {
    return sql<Collaborator[]>`
      select u.user_id as "userId", role, u.kind, u.namespace as name, added_at as "addedAt"
        from (
          select w.owner_id as user_id, 'owner' as role, null::timestamptz as added_at
            from workbook w where w.workbook_id = ${workbookId}
          union
          select coalesce(o.linked_to, o.merged_into), 'owner', null
            from workbook w join identity_user o on o.user_id = w.owner_id
           where w.workbook_id = ${workbookId}
          union all
          select c.user_id, c.role, c.added_at
            from collaborator c join workbook w using (workbook_id)
            join identity_user o on o.user_id = w.owner_id
           where c.workbook_id = ${workbookId}
             and c.user_id is distinct from coalesce(o.linked_to, o.merged_into)
        ) as who join identity_user u using (user_id)
       order by added_at nulls first, u.user_id`;
  }

  /** Returns false if there is no such user. */
  async put(
    workbookId: string,
    { userId, role, by, at }: { userId: string; role: Role; by: string; at: Date },
    settle?: Settle<Collaborator[]>,
  ): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const done = await sql`
        insert into collaborator as c (workbook_id, user_id, role, added_by, added_at)
        select ${workbookId}, user_id, ${role}, ${by}, ${at} from identity_user
         where user_id = ${userId} and merged_into is null and expired_at is null
        on conflict (workbook_id, user_id) do update set role = excluded.role`;
      if (done.count === 1) await settle?.(sql, await this.#listIn(sql, workbookId));
      return done.count === 1;
    });
  }

  async remove(workbookId: string, userId: string, settle?: Settle<Collaborator[]>): Promise<void> {
    await this.#sql.begin(async (sql) => {
      await sql`
        delete from collaborator where workbook_id = ${workbookId} and user_id = ${userId}`;
      await settle?.(sql, await this.#listIn(sql, workbookId));
    });
  }
}
