import type { RunningService } from '../service/running-service.ts';
import { goodsColumns, goodsCsv, type NewPrice } from './goods.ts';
import { readApart } from './pages-apart.ts';

export interface RowsPage {
  readonly ref: { readonly seq: number };
  readonly total: number;
  readonly groups?: readonly Readonly<Record<string, unknown>>[];
}

/** The table over HTTP. */
export class BenchTable {
  readonly #service: RunningService;
  readonly #path: string;

  private constructor(service: RunningService, path: string) {
    this.#service = service;
    this.#path = path;
  }

  static async create(service: RunningService): Promise<BenchTable> {
    const table = new BenchTable(service, `/v1/workbooks/${await service.createWorkbook()}`);
    const body = { name: 'Goods', keyColumn: 'sku', schema: goodsColumns };
    await table.#post('branches/main/tables', JSON.stringify(body), 'application/json');
    return table;
  }

  import(rowCount: number): Promise<unknown> {
    const path = 'branches/main/tables/Goods/rows?mode=import';
    return this.#post(path, goodsCsv(rowCount), 'text/csv');
  }

  upsert(rows: readonly NewPrice[]): Promise<unknown> {
    return this.#write({ mode: 'upsert', rows });
  }

  delete(keys: readonly string[]): Promise<unknown> {
    return this.#write({ mode: 'delete', keys });
  }

  async get(query: string): Promise<RowsPage> {
    const url = `${this.#service.url}${this.#path}/tables/Goods/${query}`;
    const answer = await fetch(url, { headers: this.#authorization });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as RowsPage;
  }

  /** Returns the milliseconds of answers to queries, one after the other, in another thread. */
  readApart(queries: readonly string[]): Promise<readonly number[]> {
    const { url, credential } = this.#service;
    const paths = queries.map((query) => `${this.#path}/tables/Goods/${query}`);
    return readApart({ url, credential, paths });
  }

  async head(): Promise<number> {
    return (await this.get('rows?limit=1')).ref.seq;
  }

  #write(body: object): Promise<unknown> {
    return this.#post('branches/main/tables/Goods/rows', JSON.stringify(body), 'application/json');
  }

  get #authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.#service.credential}` };
  }

  async #post(path: string, body: string, type: string): Promise<unknown> {
    const headers = { 'content-type': type, ...this.#authorization };
    const url = `${this.#service.url}${this.#path}/${path}`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }
}
