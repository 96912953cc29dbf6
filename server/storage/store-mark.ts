import type { Environment } from '../model/environment.ts';
import type { Objects } from './objects.ts';
import type { Sql, Statements } from './pool-type.ts';

/** The object that says which database the store belongs to. */
const markKey = 'quire-store';
const firstLine = 'quire-store/v1';
const markBytes = 12;
/** Prefix of all that belongs to workbooks. */
const workbooksPrefix = 'wb/';
const lookedAtMost = 10_000;
const headsAtOnce = 32;
const liveSeconds = 10;

const wayOn =
  'set the store of this database, or take this one for it with npm run store -- adopt ' +
  '(docs/backups.md)';

/** The object store is that of another database, or not all of one. */
export class OtherStore extends Error {
  override readonly name = 'OtherStore';
}

/** The store is not taken over, for a reason that an operator can do something about. */
export class AdoptionRefused extends Error {
  override readonly name = 'AdoptionRefused';
}

export interface StoreMarkParts {
  readonly sql: Sql;
  readonly objects: Objects;
  readonly environment: Pick<Environment, 'random'>;
}

interface MarkRow {
  readonly mark: string;
  readonly isPlaced: boolean;
}

/** The marks of a database and its store, and what the one knows of the other. */
export interface StoreLook {
  readonly database: string | undefined;
  readonly store: string | undefined;
  /** Number of objects that the database knows of and that were looked for, at most 10,000. */
  readonly lookedAt: number;
  /** Keys of those that the store does not have. */
  readonly missing: readonly string[];
}

/**
 * The name that a database and its object store have in common. Both get it at the first start; a
 * store with another one, or without, is not used: history would be torn in two.
 */
export class StoreMark {
  readonly #sql: Sql;
  readonly #objects: Objects;
  readonly #environment: Pick<Environment, 'random'>;

  constructor({ sql, objects, environment }: StoreMarkParts) {
    this.#sql = sql;
    this.#objects = objects;
    this.#environment = environment;
  }

  /** Returns the mark that both have; fails with OtherStore where they differ. */
  async settle(): Promise<string> {
    const known = await this.#known();
    if (known?.isPlaced === true) return this.#compare(known.mark);
    if (known === undefined) {
      // Durable before the store has it: a crash in between leaves a mark to be placed.
      await this.#sql`
        insert into object_store (id, mark) values (1, ${this.#fresh()}) on conflict do nothing`;
    }
    return this.#sql.begin(async (sql) => {
      // The first of the processes that start together places the mark; the others compare.
      const [row] = await sql<MarkRow[]>`
        select mark, is_placed as "isPlaced" from object_store where id = 1 for update`;
      if (row === undefined) throw new Error('the mark of the object store is gone');
      if (row.isPlaced) return this.#compare(row.mark);
      await this.#place(sql, row.mark);
      await sql`update object_store set is_placed = true where id = 1`;
      return row.mark;
    });
  }

  async look(): Promise<StoreLook> {
    const rows = await this.#sql<{ key: string }[]>`
      select object_key as key
        from (select object_key from sealed_segment union all select object_key from snapshot) known
       order by random() limit ${lookedAtMost}`;
    const missing = await this.#missing(rows.map(({ key }) => key));
    const database = (await this.#known())?.mark;
    return { database, store: await this.#stored(), lookedAt: rows.length, missing };
  }

  /** Gives both a new mark: whoever else uses the store is refused at its next start. */
  async adopt({ isLossTaken }: { isLossTaken: boolean }): Promise<string> {
    if (await this.#isInUse()) {
      throw new AdoptionRefused(
        'A process of this database ran within the last 10 s: stop all of them first.',
      );
    }
    const { lookedAt, missing } = await this.look();
    if (missing.length > 0 && !isLossTaken) {
      throw new AdoptionRefused(
        `The store lacks ${missing.length} of ${lookedAt} objects that were looked for, such as ` +
          `${missing[0]}: put them back, or say adopt --with-losses.`,
      );
    }
    const mark = this.#fresh();
    await this.#objects.put(markKey, contentOf(mark));
    await this.#sql`
      insert into object_store (id, mark, is_placed) values (1, ${mark}, true)
      on conflict (id) do update set mark = excluded.mark, is_placed = true`;
    return mark;
  }

  async #known(): Promise<MarkRow | undefined> {
    const [row] = await this.#sql<MarkRow[]>`
      select mark, is_placed as "isPlaced" from object_store where id = 1`;
    return row;
  }

  async #compare(mark: string): Promise<string> {
    const stored = await this.#stored();
    if (stored === mark) return mark;
    if (stored === undefined) {
      // Whatever such a store has lost is made anew from rows.
      if (await this.#hasAllInRows()) {
        await this.#objects.put(markKey, contentOf(mark), { ifNoneMatch: '*' });
        return mark;
      }
      throw new OtherStore(
        `OBJECT_STORE_URL names a store without the mark ${mark} of this database, which is ` +
          `empty or not all of it: ${wayOn}`,
      );
    }
    throw new OtherStore(
      `OBJECT_STORE_URL names the store ${stored} of another database, and that of this one is ` +
        `${mark}: ${wayOn}`,
    );
  }

  /** Tells whether workbooks do not depend on the store, and no process uses another one. */
  async #hasAllInRows(): Promise<boolean> {
    const [inRows] = await this.#sql`
      select 1 where exists (select 1 from workbook)
                 and not exists (select 1 from sealed_segment)`;
    return inRows !== undefined && !(await this.#isInUse());
  }

  async #isInUse(): Promise<boolean> {
    const [running] = await this.#sql`
      select 1 from node
       where heartbeat_at > clock_timestamp() - make_interval(secs => ${liveSeconds})`;
    return running !== undefined;
  }

  async #place(sql: Statements, mark: string): Promise<void> {
    const stored = await this.#stored();
    if (stored === undefined) {
      if (!(await this.#mayBelong(sql))) {
        throw new OtherStore(
          'OBJECT_STORE_URL names a store that has nothing of what this database knows of, or ' +
            `only what it does not know of: ${wayOn}`,
        );
      }
      await this.#objects.put(markKey, contentOf(mark), { ifNoneMatch: '*' });
    }
    await this.#compare(mark);
  }

  /** Tells by what is in it whether a store without a mark is one that a former version used. */
  async #mayBelong(sql: Statements): Promise<boolean> {
    const rows = await sql<{ key: string }[]>`
      select object_key as key from sealed_segment limit 5`;
    const keys = rows.map(({ key }) => key);
    if (keys.length > 0) return (await this.#missing(keys)).length < keys.length;
    const [workbook] = await sql`select 1 from workbook limit 1`;
    if (workbook) return true;
    for await (const _key of this.#objects.list(workbooksPrefix)) return false;
    return true;
  }

  async #missing(keys: readonly string[]): Promise<string[]> {
    const missing: string[] = [];
    for (let from = 0; from < keys.length; from += headsAtOnce) {
      const some = keys.slice(from, from + headsAtOnce);
      const heads = await Promise.all(some.map((key) => this.#objects.head(key)));
      missing.push(...some.filter((_, index) => heads[index] === undefined));
    }
    return missing;
  }

  async #stored(): Promise<string | undefined> {
    const bytes = await this.#objects.get(markKey);
    if (bytes === undefined) return undefined;
    const [first, mark = ''] = Buffer.from(bytes).toString('latin1').split('\n');
    return first === firstLine && mark !== '' ? mark : `of another kind (${markKey})`;
  }

  #fresh(): string {
    return `store_${Buffer.from(this.#environment.random(markBytes)).toString('hex')}`;
  }
}

function contentOf(mark: string): Buffer {
  return Buffer.from(`${firstLine}\n${mark}\n`, 'latin1');
}
