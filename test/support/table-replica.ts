import type { SeededRandom } from './seeded-random.ts';
import type { TableBook } from './table-book.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Changes {
  readonly to: { readonly branch: string; readonly seq: number };
  readonly schema: readonly {
    readonly op: string;
    readonly column?: string;
    readonly before: unknown;
  }[];
  readonly changes: readonly {
    readonly key: string;
    readonly change: 'added' | 'modified' | 'removed';
    readonly after: Row | null;
  }[];
}

/** A copy of a table, maintained by its changes alone. */
export class TableReplica {
  readonly #rows = new Map<string, Row>();
  /** The position that it is a copy of. */
  seq: number;

  constructor(seq: number) {
    this.seq = seq;
  }

  apply({ to, schema, changes }: Changes): void {
    this.seq = to.seq;
    for (const { key, change } of changes) if (change === 'removed') this.#rows.delete(key);
    for (const step of schema) this.#alter(step);
    for (const { key, change, after } of changes) {
      if (change === 'removed') continue;
      this.#rows.set(key, filled({ sku: key, ...this.#rows.get(key), ...after }));
    }
  }

  #alter({ op, column = '', before: was }: Changes['schema'][number]): void {
    const isRename = op === 'table.column.rename' && typeof was === 'string';
    if (!isRename && op !== 'table.column.drop') return;
    const before = isRename ? was : column;
    for (const [key, row] of this.#rows) {
      const { [before]: value, ...rest } = row;
      this.#rows.set(key, isRename && value !== undefined ? { ...rest, [column]: value } : rest);
    }
  }

  /** Its rows by key, without blank members. */
  get rows(): Row[] {
    return [...this.#rows.values()].toSorted(byKey);
  }
}

/** The rows of the table itself at a position, as a copy has them. */
export async function rowsAt(book: TableBook, seq: number): Promise<Row[]> {
  const page = await book.ask(`tables/Sales/rows?ref=main@${seq}&limit=1000`);
  if (page.status !== 200) throw new Error(page.text);
  return (page.json as { rows: Row[] }).rows.map(filled).toSorted(byKey);
}

/** Without members that are blank: a change does not tell of those. */
function filled(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function byKey(a: Row, b: Row): number {
  return String(a['sku']) < String(b['sku']) ? -1 : 1;
}

/** Edits a table at random: rows, cells, columns, and on a branch that is merged. */
export class TableEditor {
  readonly #book: TableBook;
  readonly #random: SeededRandom;
  /** Columns that were added and are there. */
  #added: string[] = [];
  #count = 0;

  constructor(book: TableBook, random: SeededRandom) {
    this.#book = book;
    this.#random = random;
  }

  async edit(): Promise<void> {
    const kind = this.#random.between(0, 19);
    this.#count++;
    if (kind === 0) await this.#merge();
    else if (kind < 3) await this.#alter();
    else if (kind < 5) await this.#type();
    else await this.#write('main');
  }

  async #ask(...request: Parameters<TableBook['ask']>): Promise<unknown> {
    const answer = await this.#book.ask(...request);
    if (answer.status >= 300) throw new Error(`${request[0]}: ${answer.text}`);
    return answer.json;
  }

  #write(branch: string): Promise<unknown> {
    const body = this.#randomWrite();
    return this.#ask(`branches/${branch}/tables/Sales/rows`, { body });
  }

  #randomWrite(): object {
    const random = this.#random;
    const sku = (): string => `k${random.between(0, 40)}`;
    const kind = random.between(0, 9);
    if (kind === 0) {
      const skus = new Set(Array.from({ length: 12 }, sku));
      return { mode: 'import', rows: [...skus].map((own) => ({ sku: own, price: 1 })) };
    }
    if (kind < 4) {
      return { mode: 'delete', keys: [...new Set([sku(), sku()])], onMissing: 'ignore' };
    }
    const columns = ['region', ...this.#added];
    const rows = [...new Set(Array.from({ length: 4 }, sku))].map((own) => {
      const price = random.between(0, 5) === 0 ? null : random.between(0, 100);
      const column = columns[random.between(0, columns.length - 1)] ?? 'region';
      return random.between(0, 1) === 0 ? { sku: own, price } : { sku: own, [column]: `t${price}` };
    });
    return { mode: 'upsert', rows };
  }

  /** Types over a cell of the price, as a person does. */
  async #type(): Promise<void> {
    const { table } = (await this.#ask('tables/Sales')) as {
      table: { sheet: string; rowCount: number; range: string };
    };
    if (table.rowCount === 0) return;
    const row = this.#random.between(2, table.rowCount + 1);
    const cells = [{ a1: `C${row}`, input: this.#random.between(0, 100) }];
    const ops = [{ kind: 'cells.set', payload: { sheet: table.sheet, cells } }];
    await this.#ask('branches/main/ops', { body: { ops } });
  }

  async #alter(): Promise<void> {
    const name = `x${this.#count}`;
    const known = this.#added[this.#random.between(0, this.#added.length - 1)];
    const kind = this.#random.between(0, 2);
    let change: object = { change: 'column.add', column: name, type: 'text', default: 'new' };
    if (known === undefined || (kind === 0 && this.#added.length < 6)) this.#added.push(name);
    else {
      this.#added = this.#added.filter((own) => own !== known);
      change = { change: 'column.drop', column: known };
      if (kind !== 1) {
        this.#added.push(name);
        change = { change: 'column.rename', column: known, name };
      }
    }
    const request = { method: 'PATCH', body: { changes: [change] } } as const;
    await this.#ask('branches/main/tables/Sales', request);
  }

  async #merge(): Promise<void> {
    const name = `side${this.#count}`;
    await this.#ask('branches', { body: { name } });
    for (let count = 0; count < 2; count++) await this.#write(name);
    await this.#write('main');
    const body = { source: name, strategy: 'theirs' };
    const { id } = (await this.#ask('merges', { body })) as { id: string };
    await this.#ask(`merges/${id}/approve`, { body: {} });
  }
}
