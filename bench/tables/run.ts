import { once, summarise, type Figure } from '../report.ts';
import { RunningService } from '../service/running-service.ts';

const rounds = 20;
const upsertedRows = 1_000;
const columns = {
  sku: 'text',
  region: 'text',
  name: 'text',
  price: 'number',
  count: 'integer',
  a: 'number',
  b: 'number',
  c: 'number',
  d: 'number',
  e: 'text',
};
const question = 'AND([@price]>90,ISNUMBER(SEARCH("tea 1",[@name])))';

/** A keyed table of ten columns over HTTP: filled, written to, paged through and asked. */
export async function runTablesBench(rowCount: number): Promise<Figure[]> {
  const service = await RunningService.start();
  try {
    const table = await BenchTable.create(service);
    const subject = `${rowCount} rows`;
    const importing = await timed(() => table.import(rowCount));
    const figures: Figure[] = [
      { subject, measure: 'import of a CSV', unit: 's', quire: once(importing / 1_000) },
    ];
    const measure = async (name: string, work: (round: number) => Promise<unknown>) => {
      await work(0);
      const times: number[] = [];
      for (let round = 1; round <= rounds; round++) times.push(await timed(() => work(round)));
      figures.push({ subject, measure: name, unit: 'ms', quire: summarise(times) });
    };
    const somewhere = (round: number): number => (round * 9_973) % rowCount;
    await measure('upsert of 1,000 rows', (round) => table.upsert(somewhere(round), rowCount));
    await measure('page by offset', (round) => table.get(`rows?offset=${somewhere(round)}`));
    await measure('page by key', (round) => table.get(`rows?after=k${somewhere(round)}`));
    await measure('question', (round) => {
      return table.get(`rows?where=${encodeURIComponent(`AND(${question},${round}=${round})`)}`);
    });
    await measure('groups', (round) => table.get(`rows?group=region&sum=price&offset=${round}`));
    let seq = await table.head();
    await measure('upsert and its changes', async (round) => {
      await table.upsert(somewhere(round), rowCount);
      await table.get(`changes?from=main@${seq}&limit=1000`);
      seq = await table.head();
    });
    return figures;
  } finally {
    await service.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

class BenchTable {
  readonly #service: RunningService;
  readonly #path: string;

  private constructor(service: RunningService, path: string) {
    this.#service = service;
    this.#path = path;
  }

  static async create(service: RunningService): Promise<BenchTable> {
    const table = new BenchTable(service, `/v1/workbooks/${await service.createWorkbook()}`);
    const body = { name: 'Goods', keyColumn: 'sku', schema: columns };
    await table.#post('branches/main/tables', JSON.stringify(body), 'application/json');
    return table;
  }

  import(rowCount: number): Promise<unknown> {
    const lines = [Object.keys(columns).join(',')];
    for (let at = 0; at < rowCount; at++) {
      const price = ((at * 7) % 10_000) / 100;
      const numbers = [at % 100, at, at * 2, at % 7, at % 13].join(',');
      lines.push(`k${at},r${at % 50},tea ${at % 1_000},${price},${numbers},e${at % 20}`);
    }
    return this.#post('branches/main/tables/Goods/rows?mode=import', lines.join('\n'), 'text/csv');
  }

  upsert(from: number, rowCount: number): Promise<unknown> {
    const rows = Array.from({ length: upsertedRows }, (_, at) => {
      return { sku: `k${(from + at) % rowCount}`, price: from + at };
    });
    const body = JSON.stringify({ mode: 'upsert', rows });
    return this.#post('branches/main/tables/Goods/rows', body, 'application/json');
  }

  async get(query: string): Promise<unknown> {
    const url = `${this.#service.url}${this.#path}/tables/Goods/${query}`;
    const answer = await fetch(url, { headers: this.#authorization });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async head(): Promise<number> {
    const page = (await this.get('rows?limit=1')) as { ref: { seq: number } };
    return page.ref.seq;
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
