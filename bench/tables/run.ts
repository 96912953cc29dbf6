import { once, summarise, type Figure, type Summary } from '../report.ts';
import { RunningService } from '../service/running-service.ts';
import { BenchTable } from './bench-table.ts';
import { DuckDbPeer } from './duckdb-peer.ts';
import { newPrices, question, upsertedRows } from './goods.ts';
import { SqlitePeer } from './sqlite-peer.ts';

const rounds = 20;
/** As many rounds come first and are not counted: a service has compiled what it runs often. */
const roundsToWarmUp = 40;
const pagesRead = 1_000;
const pagesToWarmUp = 100;

/**
 * Measures a keyed table of ten columns over HTTP: filling, writing, paging and queries, beside
 * SQLite for writes and DuckDB for queries.
 */
export async function runTablesBench(rowCount: number): Promise<Figure[]> {
  const service = await RunningService.start();
  const sqlite = await SqlitePeer.open();
  const duckdb = await DuckDbPeer.open(rowCount);
  try {
    const table = await BenchTable.create(service);
    const bench = new TablesBench({ rowCount, service, table, sqlite, duckdb });
    await bench.fill();
    await bench.questions();
    await bench.writes();
    await bench.changes();
    await bench.pagesBesideWrites();
    return bench.figures;
  } finally {
    duckdb?.close();
    await sqlite?.close();
    await service.stop();
  }
}

interface Parts {
  readonly rowCount: number;
  readonly service: RunningService;
  readonly table: BenchTable;
  readonly sqlite: SqlitePeer | undefined;
  readonly duckdb: DuckDbPeer | undefined;
}

type Work = (round: number) => unknown;

interface Measured {
  readonly measure: string;
  readonly work: Work;
  readonly peer?: { readonly name: string; readonly work: Work } | undefined;
  /** Done before each round, and not measured. */
  readonly before?: Work;
  readonly due?: string;
  readonly isMet?: (quire: Summary, ratio: number | undefined) => boolean;
}

class TablesBench {
  readonly figures: Figure[] = [];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async fill(): Promise<void> {
    const { table, service, sqlite, rowCount } = this.#parts;
    await service.loopDelay();
    const quire = once((await timed(() => table.import(rowCount))) / 1_000);
    const loop = await service.loopDelay();
    const figure = { subject: this.#subject, measure: 'import of a CSV', unit: 's', quire };
    if (sqlite) {
      const peer = once((await timed(() => sqlite.import(rowCount))) / 1_000);
      const ratio = peer.median / quire.median;
      this.figures.push({ ...figure, peer: { name: SqlitePeer.label, ...peer }, ratio });
    } else {
      this.figures.push({ ...figure, note: 'libsql is not installed' });
    }
    this.#pushLoopDelay(loop);
  }

  #pushLoopDelay(milliseconds: number): void {
    this.figures.push({
      subject: this.#subject,
      measure: 'p99 of the event loop meanwhile, with its tick of 10',
      unit: 'ms',
      quire: once(milliseconds),
      due: '20 ms beside the tick',
      isMet: milliseconds < 30,
    });
  }

  /** Measures queries, after comparing their answers. */
  async questions(): Promise<void> {
    const { table, duckdb } = this.#parts;
    const ask = (round: number) => {
      const where = encodeURIComponent(`AND(${question.formula},${round}=${round})`);
      return table.get(`rows?where=${where}`);
    };
    const groups = (round: number) => table.get(`rows?group=region&sum=price&offset=${round}`);
    if (duckdb) {
      const [{ total }, known] = [await ask(0), await duckdb.ask(0)];
      if (total !== known) throw new Error(`${total} rows fit, and in DuckDB ${known}`);
      await this.#compareGroups(duckdb);
    }
    const name = DuckDbPeer.label;
    await this.#measure({
      measure: 'question',
      work: ask,
      peer: duckdb && { name, work: (round) => duckdb.ask(round) },
      due: '60 ms',
      isMet: ({ median }) => median < 60,
    });
    await this.#measure({
      measure: 'groups',
      work: groups,
      peer: duckdb && { name, work: () => duckdb.groups() },
      due: '3 times the peer',
      isMet: (_, ratio = 1) => ratio > 1 / 3,
    });
  }

  async #compareGroups(duckdb: DuckDbPeer): Promise<void> {
    const { groups = [] } = await this.#parts.table.get('rows?group=region&sum=price&limit=1000');
    const known = await duckdb.groups();
    const isSame = groups.every(({ region, 'sum price': sum }) => {
      const other = known.get(String(region)) ?? Number.NaN;
      return Math.abs(Number(sum) - other) <= 1e-9 * Math.abs(other);
    });
    if (!isSame || groups.length !== known.size) throw new Error('groups differ from DuckDB');
  }

  async writes(): Promise<void> {
    const { table, sqlite, rowCount } = this.#parts;
    const name = SqlitePeer.label;
    const rows = (round: number) => newPrices(this.#somewhere(round), rowCount, round + 1);
    const keys = (round: number) => {
      const first = rowCount - (round + 1) * upsertedRows;
      return newPrices(first, rowCount, 0).map(({ sku }) => sku);
    };
    await this.#measure({
      measure: 'upsert of 1,000 rows',
      work: (round) => table.upsert(rows(round)),
      peer: sqlite && { name, work: (round) => sqlite.upsert(rows(round)) },
      due: 'a third of the rate',
      isMet: (_, ratio = 1) => ratio > 1 / 3,
    });
    await this.#measure({
      measure: 'page by offset',
      work: (round) => table.get(`rows?offset=${this.#somewhere(round)}`),
    });
    await this.#measure({
      measure: 'page by key',
      work: (round) => table.get(`rows?after=k${this.#somewhere(round)}`),
      peer: sqlite && { name, work: (round) => sqlite.page(`k${this.#somewhere(round)}`) },
    });
    if (this.#isDeleting) {
      await this.#measure({
        measure: 'delete of 1,000 rows',
        work: (round) => table.delete(keys(round)),
        peer: sqlite && { name, work: (round) => sqlite.delete(keys(round)) },
      });
    }
    if (sqlite) await this.#compareTotals(sqlite);
  }

  async #compareTotals(sqlite: SqlitePeer): Promise<void> {
    const { groups: [own] = [] } = await this.#parts.table.get('rows?count=&sum=price');
    const { count, sum } = sqlite.totals();
    const isSame = own?.['count'] === count && Math.abs(Number(own['sum price']) - sum) < 0.01;
    if (!isSame) throw new Error(`the table is not what SQLite has: ${JSON.stringify(own)}`);
  }

  async changes(): Promise<void> {
    const { table, rowCount } = this.#parts;
    let seq = 0;
    await this.#measure({
      measure: 'changes of 1,000 rows',
      before: async (round) => {
        seq = await table.head();
        await table.upsert(newPrices(this.#somewhere(round), rowCount, 1_000 + round));
      },
      work: () => table.get(`changes?from=main@${seq}&limit=1000`),
      due: '20 ms',
      isMet: ({ median }) => median < 20,
    });
  }

  /** Measures pages anywhere in the table while another client writes without a pause. */
  async pagesBesideWrites(): Promise<void> {
    const { table, service, rowCount } = this.#parts;
    const state = { isOver: false };
    const writing = (async () => {
      for (let round = 0; !state.isOver; round++) {
        await table.upsert(newPrices(this.#somewhere(round), rowCount, 2_000 + round));
      }
    })();
    const queries = Array.from({ length: pagesRead }, (_, round) => {
      return `rows?after=k${this.#somewhere(round)}&limit=100`;
    });
    await table.readApart(queries.slice(0, pagesToWarmUp));
    await service.loopDelay();
    const times = await table.readApart(queries).finally(() => (state.isOver = true));
    await writing;
    const loop = await service.loopDelay();
    const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
    const common = { subject: this.#subject, unit: 'ms' };
    this.figures.push(
      { ...common, measure: 'page by key beside upserts', quire: summarise(times) },
      {
        ...common,
        measure: 'the same, p99',
        quire: once(slowest),
        due: '5 ms',
        isMet: slowest < 5,
      },
    );
    this.#pushLoopDelay(loop);
  }

  get #subject(): string {
    return `${this.#parts.rowCount} rows`;
  }

  /** True while there are enough rows for some to be deleted. */
  get #isDeleting(): boolean {
    return this.#parts.rowCount >= 4 * (rounds + roundsToWarmUp) * upsertedRows;
  }

  /** Returns the number of a key that is never deleted: the last ones are deleted meanwhile. */
  #somewhere(round: number): number {
    const { rowCount } = this.#parts;
    const deleted = this.#isDeleting ? (rounds + roundsToWarmUp) * upsertedRows : 0;
    return (round * 9_973) % (rowCount - deleted);
  }

  async #measure({ measure, work, peer, before, due, isMet }: Measured): Promise<void> {
    const quire = await sampled(work, before);
    const other = peer && (await sampled(peer.work));
    const ratio = other && other.median / quire.median;
    this.figures.push({
      subject: this.#subject,
      measure,
      unit: 'ms',
      quire,
      ...(peer && other && { peer: { name: peer.name, ...other } }),
      ...(ratio !== undefined && { ratio }),
      ...(due !== undefined && { due }),
      ...(isMet && { isMet: isMet(quire, ratio) }),
    });
  }
}

async function sampled(work: Work, before: Work = () => undefined): Promise<Summary> {
  const times: number[] = [];
  for (let round = 0; round < roundsToWarmUp + rounds; round++) {
    await before(round);
    const took = await timed(() => work(round));
    if (round >= roundsToWarmUp) times.push(took);
  }
  return summarise(times);
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
