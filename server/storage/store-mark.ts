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
    const placed = await this.#sql.begin(async (sql) => {
      // The first of the processes that start together places the mark; the others compare.
      const [row] = await sql<MarkRow[]>`
        select mark, placed_at is not null as "isPlaced" from object_store where id = 1 for update`;
      if (row === undefined) throw new Error('the mark of the object store is gone');
      if (row.isPlaced) return { ...row, isHere: false };
      await this.#place(sql, row.mark);
      await this.#note(sql, row.mark);
      return { ...row, isHere: true };
    });
    return placed.isHere ? placed.mark : this.#compare(placed.mark);
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
    await this.#note(this.#sql, mark);
    return mark;
  }

  async #known(): Promise<MarkRow | undefined> {
    const [row] = await this.#sql<MarkRow[]>`
      select mark, placed_at is not null as "isPlaced" from object_store where id = 1`;
    return row;
  }

  async #compare(mark: string): Promise<string> {
    const stored = await this.#stored();
    if (stored === mark) return mark;
    if (stored === undefined) return this.#take(mark);
    throw otherStore(stored, mark);
  }

  /**
   * Takes a store without a mark, which was wiped or set anew, and gives both another one: so the
   * former store is refused from then on. Fails with OtherStore while a process may use that.
   */
  async #take(former: string): Promise<string> {
    const mark = this.#fresh();
    const isTaken = await this.#sql.begin(async (sql) => {
      const [row] = await sql<MarkRow[]>`
        select mark, placed_at is not null as "isPlaced" from object_store
         where id = 1 and mark = ${former}
           and placed_at < clock_timestamp() - make_interval(secs => ${liveSeconds})
           for update`;
      if (row === undefined || (await this.#isInUse())) return false;
      await this.#putFirst(mark);
      await this.#note(sql, mark);
      return true;
    });
    if (isTaken) return mark;
    throw new OtherStore(
      `OBJECT_STORE_URL names a store without the mark ${former} of this database, which is ` +
        `empty or not all of it, while a process uses another one: ${wayOn}`,
    );
  }

  /** Puts the mark into a store that has none; fails with OtherStore where another got ahead. */
  async #putFirst(mark: string): Promise<void> {
    const fate = await this.#objects.put(markKey, contentOf(mark), { ifNoneMatch: '*' });
    const stored = fate === 'exists' ? await this.#stored() : mark;
    if (stored !== mark) throw otherStore(String(stored), mark);
  }

  /** Notes that the store has the mark. */
  async #note(sql: Statements, mark: string): Promise<void> {
    await sql`
      insert into object_store (id, mark, placed_at) values (1, ${mark}, clock_timestamp())
      on conflict (id) do update set mark = excluded.mark, placed_at = excluded.placed_at`;
  }

  async #isInUse(): Promise<boolean> {
    const [running] = await this.#sql`
      select 1 from node
       where heartbeat_at > clock_timestamp() - make_interval(secs => ${liveSeconds})`;
    return running !== undefined;
  }

  async #place(sql: Statements, mark: string): Promise<void> {
    const stored = await this.#stored();
    if (stored === mark) return;
    if (stored !== undefined) throw otherStore(stored, mark);
    if (!(await this.#mayBelong(sql))) {
      throw new OtherStore(
        'OBJECT_STORE_URL names a store that has nothing of what this database knows of, or ' +
          `only what it does not know of: ${wayOn}`,
      );
    }
    await this.#putFirst(mark);
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

function otherStore(stored: string, mark: string): OtherStore {
  return new OtherStore(
    `OBJECT_STORE_URL names the store ${stored} of another database, and that of this one is ` +
      `${mark}: ${wayOn}`,
  );
}

function contentOf(mark: string): Buffer {
  return Buffer.from(`${firstLine}\n${mark}\n`, 'latin1');
}
