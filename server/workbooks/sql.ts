import type { Sql } from '../storage/postgres.ts';
import { foldWorkbookName, mainBranch, mainBranchNo, type Workbook } from './workbook.ts';

export interface WorkbookFilter {
  readonly ownerId: string;
  readonly includeArchived: boolean;
  readonly offset: number;
  readonly limit: number;
}

export type NewWorkbook = Pick<Workbook, 'id' | 'ownerId' | 'namespace' | 'name'>;

/** Creations that did not end within this were left by a process that died. */
const abandonedHours = 24;
const uniqueViolation = '23505';

/** The registry in PostgreSQL. What is not complete is seen by `complete` and `remove` alone. */
export class WorkbookTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** A workbook with an empty main branch, which nobody sees before it is complete. */
  async begin({ id, ownerId, namespace, name }: NewWorkbook): Promise<void> {
    await this.#sql`
      with made as (
        insert into workbook (workbook_id, owner_id, namespace, name, folded_name)
        values (${id}, ${ownerId}, ${namespace}, ${name}, ${foldWorkbookName(name)})
        returning workbook_id
      )
      insert into branch (workbook_id, branch_no, name, head_hash)
      select workbook_id, ${mainBranchNo}, ${mainBranch}, ${Buffer.alloc(32)} from made`;
  }

  /** Makes it visible. False: the name was taken meanwhile. */
  async complete(id: string): Promise<boolean> {
    try {
      const done = await this.#sql`
        update workbook set complete = true, updated_at = clock_timestamp()
         where workbook_id = ${id} and not complete`;
      return done.count === 1;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === uniqueViolation) return false;
      throw error;
    }
  }

  /** Removes a workbook that was never complete, with everything written to it. */
  async remove(id: string): Promise<void> {
    await this.#sql`delete from workbook where workbook_id = ${id} and not complete`;
  }

  async removeAbandoned(): Promise<void> {
    await this.#sql`
      delete from workbook
       where not complete
         and created_at < clock_timestamp() - make_interval(hours => ${abandonedHours})`;
  }

  async find(id: string): Promise<Workbook | undefined> {
    const [row] = await this.#sql<Workbook[]>`
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

  /** Newest first, by the time in the id. */
  async list(filter: WorkbookFilter): Promise<{ workbooks: Workbook[]; total: number }> {
    const { ownerId, includeArchived, offset, limit } = filter;
    const owned = this.#sql`
      w.owner_id = ${ownerId} and w.complete and (not w.archived or ${includeArchived})`;
    const [counted] = await this.#sql<{ total: number }[]>`
      select count(*) as total from workbook w where ${owned}`;
    const workbooks = await this.#sql<Workbook[]>`
      ${this.#select()} where ${owned}
       order by w.workbook_id desc offset ${offset} limit ${limit}`;
    return { workbooks, total: counted?.total ?? 0 };
  }

  #select() {
    const sql = this.#sql;
    return sql`
      select w.workbook_id as id, w.owner_id as "ownerId", w.namespace, w.name, w.archived,
             w.created_at as "createdAt", (
               select b.head from branch b
                where b.workbook_id = w.workbook_id and b.branch_no = ${mainBranchNo}
             ) as head,
             greatest(w.updated_at, (
               select max(b.updated_at) from branch b where b.workbook_id = w.workbook_id
             )) as "updatedAt"
        from workbook w`;
  }
}
