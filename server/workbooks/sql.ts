import { isUniqueViolation } from '../model/error-code.ts';
import type { Settle } from '../model/idempotency.ts';
import { settingsBranch, settingsBranchNo } from '../model/policy.ts';
import type { Sql, Statements, Transaction } from '../storage/postgres.ts';
import { stateLifeCycle } from '../tlog/statements/write-statements.ts';
import {
  foldWorkbookName,
  mainBranch,
  mainBranchNo,
  type SeenWorkbook,
  type Workbook,
} from './workbook.ts';

export interface WorkbookFilter {
  /** User with a role in them. */
  readonly userId: string;
  readonly includeArchived: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** A workbook as its address says it. */
export type RegisteredWorkbook = Pick<
  Workbook,
  'id' | 'ownerId' | 'namespace' | 'name' | 'archived' | 'archivedAt' | 'createdAt'
>;

export interface Archived {
  readonly archivedAt: Date;
  /** Token that a purge has to carry. */
  readonly confirm: string;
}

export type NewWorkbook = Pick<Workbook, 'id' | 'ownerId' | 'namespace' | 'name'>;

/** Ends a transaction for a workbook that is not there any more. */
class Gone extends Error {
  override readonly name = 'Gone';
}

/** Creations that did not end within this were left by a process that died. */
const abandonedHours = 24;
const changedChannel = 'workbook_changed';

/** The registry in PostgreSQL. Only `complete` and `remove` see incomplete workbooks. */
export class WorkbookTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Inserts an empty workbook with its first branches, invisible until it is complete. False: there
   * is a workbook of that name.
   */
  async begin({ id, ownerId, namespace, name }: NewWorkbook): Promise<boolean> {
    const folded = foldWorkbookName(name);
    const begun = await this.#sql`
      with made as (
        insert into workbook (workbook_id, owner_id, namespace, name, folded_name)
        select ${id}, ${ownerId}, ${namespace}, ${name}, ${folded}
         where not exists (select from workbook
                            where namespace = ${namespace} and folded_name = ${folded}
                              and complete)
        returning workbook_id
      )
      insert into branch (workbook_id, branch_no, name, head_hash)
      select workbook_id, no, label, ${Buffer.alloc(32)}
        from made, (values (${mainBranchNo}::int, ${mainBranch}),
                           (${settingsBranchNo}::int, ${settingsBranch})) as first (no, label)`;
    return begun.count > 0;
  }

  /** Makes it visible. False: the name was taken meanwhile. */
  async complete(
    id: string,
    settle?: (transaction: Transaction) => Promise<void>,
  ): Promise<boolean> {
    const complete = async (sql: Statements): Promise<boolean> => {
      const done = await sql`
        update workbook set complete = true, updated_at = clock_timestamp()
         where workbook_id = ${id} and not complete`;
      return done.count === 1;
    };
    try {
      if (settle === undefined) return await complete(this.#sql);
      return await this.#sql.begin(async (sql) => {
        // Both are sent before either is answered; of one that is not there anymore none is kept.
        const [isDone] = await Promise.all([complete(sql), settle(sql)]);
        if (!isDone) throw new Gone();
        return true;
      });
    } catch (error) {
      if (isUniqueViolation(error) || error instanceof Gone) return false;
      throw error;
    }
  }

  /** Removes a workbook that was never complete, with everything written to it. False: it is. */
  async remove(id: string): Promise<boolean> {
    const done = await this.#sql`
      delete from workbook where workbook_id = ${id} and not complete`;
    return done.count === 1;
  }

  /**
   * Removes abandoned workbooks and returns their ids, except those being purged, whose objects go
   * first.
   */
  async removeAbandoned(): Promise<string[]> {
    const rows = await this.#sql<{ id: string }[]>`
      delete from workbook w
       where not complete
         and not exists (select from purge p where p.workbook_id = w.workbook_id)
         and created_at < clock_timestamp() - make_interval(hours => ${abandonedHours})
      returning workbook_id as id`;
    return rows.map(({ id }) => id);
  }

  /**
   * Archives a workbook; one that is archived gets the same answer. The branches are fenced in the
   * same transaction: an append was durable before it, or meets another epoch and is not written.
   */
  archive(
    id: string,
    { archivedAt: at, confirm }: Archived,
    settle?: Settle<Archived>,
  ): Promise<Archived | undefined> {
    return this.#sql.begin(async (sql) => {
      // A separate statement, so that the next one sees branches made during the wait for the row.
      const [row] = await sql<Archived[]>`
        update workbook
           set archived = true,
               archived_at = coalesce(archived_at, ${at}::timestamptz),
               confirm = coalesce(confirm, ${confirm}),
               updated_at = case when archived then updated_at else clock_timestamp() end
         where workbook_id = ${id} and complete
        returning archived_at as "archivedAt", confirm`;
      if (!row) return undefined;
      await sql`
        update branch set archived = true, archived_with_workbook = true, epoch = epoch + 1
         where workbook_id = ${id} and not archived`;
      await sql`
        update merge
           set state = 'aborted', revision = revision + 1,
               timeline = timeline || jsonb_build_array(jsonb_build_object(
                 'at', ${at.getTime()}::bigint,
                 'actor', 'quire', 'event', 'aborted', 'detail', 'the workbook was archived'))
         where workbook_id = ${id} and state = 'open'
           and not exists (select from branch_merge m
                            where m.workbook_id = merge.workbook_id
                              and m.merge_id = merge.merge_id)`;
      await stateLifeCycle(sql, { workbookId: id, kind: 'archive', at: row.archivedAt });
      await settle?.(sql, row);
      return row;
    });
  }

  /** Makes a workbook active again, which voids its confirm token; an active one stays so. */
  async restore(id: string, at: Date, settle?: Settle<Workbook>): Promise<void> {
    await this.#sql.begin(async (sql) => {
      const restored = await sql`
        update workbook
           set archived = false, archived_at = null, confirm = null,
               updated_at = clock_timestamp()
         where workbook_id = ${id} and complete and archived`;
      await sql`
        update branch set archived = false, archived_with_workbook = false
         where workbook_id = ${id} and archived_with_workbook
           and exists (select from workbook where workbook_id = ${id} and not archived)`;
      if (restored.count === 1) {
        await stateLifeCycle(sql, { workbookId: id, kind: 'restore', at });
      }
      const workbook = settle && (await this.#findIn(sql, id));
      if (workbook) await settle(sql, workbook);
    });
  }

  /** `absent`: it is not there any more, or archived. */
  async rename(
    id: string,
    name: string,
    settle?: Settle<Workbook>,
  ): Promise<'renamed' | 'taken' | 'absent'> {
    try {
      return await this.#sql.begin(async (sql) => {
        const done = await sql`
          update workbook
             set name = ${name}, folded_name = ${foldWorkbookName(name)},
                 updated_at = clock_timestamp()
           where workbook_id = ${id} and complete and not archived`;
        const workbook = settle && (await this.#findIn(sql, id));
        if (workbook && done.count === 1) await settle(sql, workbook);
        return done.count === 1 ? 'renamed' : 'absent';
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
  }

  find(id: string): Promise<Workbook | undefined> {
    return this.#findIn(this.#sql, id);
  }

  async #findIn(sql: Statements, id: string): Promise<Workbook | undefined> {
    const [row] = await sql<Workbook[]>`
      ${this.#select()} where w.workbook_id = ${id} and w.complete`;
    return row;
  }

  async findByAddress(namespace: string, name: string): Promise<Workbook | undefined> {
    const [row] = await this.#sql<Workbook[]>`
      ${this.#select()}
       where w.namespace = ${namespace} and w.folded_name = ${foldWorkbookName(name)}
         and w.complete`;
    return row;
  }

  /** The workbook that was at an address before a merge. */
  async findMoved(namespace: string, name: string, at: Date): Promise<Workbook | undefined> {
    const [row] = await this.#sql<Workbook[]>`
      ${this.#select()} join workbook_alias a using (workbook_id)
       where a.namespace = ${namespace} and a.folded_name = ${foldWorkbookName(name)}
         and a.expires_at > ${at} and w.complete`;
    return row;
  }

  /** Newest first, by the time in the id. */
  async list(filter: WorkbookFilter): Promise<{ workbooks: SeenWorkbook[]; total: number }> {
    const { userId, offset, limit } = filter;
    const owned = this.#seen(filter);
    const [counted] = await this.#sql<{ total: number }[]>`
      select count(*) as total from workbook w where ${owned}`;
    const ofReader = this.#sql`
      jsonb_build_object(${userId}::text, case
        when w.owner_id = ${userId} or agent.user_id is not null then 'owner'
        else (select role from collaborator c
               where c.workbook_id = w.workbook_id and c.user_id = ${userId})
        end) as roles,
      (select b.cells from branch b
        where b.workbook_id = w.workbook_id and b.branch_no = ${mainBranchNo}) as cells,
      coalesce(agent.client_name, agent.namespace) as "viaAgent",`;
    const workbooks = await this.#sql<SeenWorkbook[]>`
      ${this.#select(ofReader)}
        left join identity_user agent on agent.user_id = w.owner_id and agent.linked_to = ${userId}
       where ${owned}
       order by w.workbook_id desc offset ${offset} limit ${limit}`;
    return { workbooks, total: counted?.total ?? 0 };
  }

  /** Lists workbooks in the order of their addresses. */
  async addresses(
    filter: WorkbookFilter,
  ): Promise<{ workbooks: RegisteredWorkbook[]; total: number }> {
    const { offset, limit } = filter;
    const owned = this.#seen(filter);
    const [counted] = await this.#sql<{ total: number }[]>`
      select count(*) as total from workbook w where ${owned}`;
    const workbooks = await this.#sql<RegisteredWorkbook[]>`
      select workbook_id as id, owner_id as "ownerId", namespace, name, archived, archived_at as "archivedAt",
             created_at as "createdAt"
        from workbook w where ${owned}
       order by namespace, folded_name offset ${offset} limit ${limit}`;
    return { workbooks, total: counted?.total ?? 0 };
  }

  /**
   * Calls `changed` with the id of each workbook that any process archives, restores, renames or
   * begins to purge, and `reconnected` whenever some may have been missed.
   */
  async listen(
    changed: (id: string, isGone: boolean) => void,
    reconnected: () => void,
  ): Promise<() => Promise<void>> {
    const hear = (payload: string): void => {
      const [id = '', gone] = payload.split(' ');
      changed(id, gone !== undefined);
    };
    const listening = await this.#sql.listen(changedChannel, hear, reconnected);
    return () => listening.unlisten();
  }

  /** Own workbooks, those of agents that are linked to one or were merged, and shared ones. */
  #seen({ userId, includeArchived }: WorkbookFilter) {
    return this.#sql`
      (w.owner_id = ${userId}
        or w.owner_id in (select user_id from identity_user where linked_to = ${userId})
        or w.workbook_id in (select workbook_id from collaborator where user_id = ${userId}))
      and w.complete and (not w.archived or ${includeArchived})`;
  }

  /** Everybody's roles, as a column. */
  get #roles() {
    return this.#sql`(
      select coalesce(jsonb_object_agg(user_id, role), '{}'::jsonb) from (
        select user_id, role from collaborator c where c.workbook_id = w.workbook_id
        union all
        select coalesce(linked_to, merged_into), 'owner' from identity_user
         where user_id = w.owner_id and coalesce(linked_to, merged_into) is not null
      ) as who) as roles,`;
  }

  #select(columns = this.#roles) {
    const sql = this.#sql;
    return sql`
      select ${columns} w.workbook_id as id, w.owner_id as "ownerId", w.namespace, w.name, w.archived,
             w.archived_at as "archivedAt", w.created_at as "createdAt", (
               select b.head from branch b
                where b.workbook_id = w.workbook_id and b.branch_no = ${mainBranchNo}
             ) as head,
             greatest(w.updated_at, (
               select max(b.updated_at) from branch b where b.workbook_id = w.workbook_id
             )) as "updatedAt"
        from workbook w`;
  }
}
