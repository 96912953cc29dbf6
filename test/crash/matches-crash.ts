import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { findRunningPostmaster } from '../../server/storage/embedded/postmaster-file.ts';
import { ProviderDouble } from '../support/provider-double.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { ask, post } from './requests.ts';

interface Page {
  readonly status: string;
  readonly progress: number;
  readonly reused: boolean;
  readonly rows: readonly object[];
}

type Cleanup = Parameters<typeof ServiceProcess.start>[0];

/** Deaths of one: of the process that works on a match, or of its database. */
export type Victim = 'process' | 'database';

/** Providers of vectors and of verdicts: those of the service, or others over HTTP. */
export type Way = 'local' | 'remote';

const rowCounts = { local: 1500, remote: 400 } as const;
const syllables = ['ka', 'lo', 'mir', 'ten', 'vu', 'sha', 'rop', 'eli', 'dun', 'gor'];

/** Matches whose process or database is killed come to the rows of one that nobody disturbed. */
export class MatchesCrash {
  readonly kills: Record<Victim, number> = { process: 0, database: 0 };
  readonly faults: string[] = [];
  readonly #given: { readonly cleanup: Cleanup; readonly folder: string };
  readonly #settings: Readonly<Record<string, string>>;
  #service: ServiceProcess;
  #credential = '';
  /** Rows and milliseconds of a match that nobody disturbs. */
  readonly #calm = new Map<Way, { readonly rows: string; readonly milliseconds: number }>();

  private constructor(
    given: { readonly cleanup: Cleanup; readonly folder: string },
    settings: Readonly<Record<string, string>>,
    service: ServiceProcess,
  ) {
    this.#given = given;
    this.#settings = settings;
    this.#service = service;
  }

  /** Starts a service in an empty folder, and a provider beside it. */
  static async start(cleanup: Cleanup, folder: string): Promise<MatchesCrash> {
    const { url } = await ProviderDouble.start(cleanup);
    const providers = {
      vectors: { kind: 'http', baseUrl: `${url}/vectors`, batch: 32 },
      judge: { kind: 'chat', baseUrl: `${url}/v1`, model: 'm', maxVerifyPairs: 200 },
    };
    const settings = {
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      WORKERS: '1',
      MATCH_PROVIDERS: JSON.stringify(providers),
    };
    const service = await ServiceProcess.start(cleanup, folder, settings);
    const crash = new MatchesCrash({ cleanup, folder }, settings, service);
    const agent = (await post(`${service.url}/agent/auth`, { type: 'anonymous' })) as {
      data: { credential: string };
    };
    crash.#credential = agent.data.credential;
    return crash;
  }

  stop(): Promise<number | null> {
    return this.#service.stop();
  }

  /** One match, at some share of whose time something dies. */
  async round(way: Way, victim: Victim, share: number): Promise<void> {
    const { rows, milliseconds } = await this.#undisturbed(way);
    const book = await this.#makeBook(way);
    const poll = await this.#begin(book, way);
    await sleep(milliseconds * share);
    const before = await this.#pageOf(`${poll}?limit=1`);
    if (victim === 'process') await this.#killProcess();
    else await this.#killDatabase();
    const after = await this.#pageOf(`${poll}?limit=1`);
    const name = `${way} ${victim} at ${before.progress}`;
    if (after.progress < before.progress) this.faults.push(`${name}: it went back`);
    if ((await this.#rowsOf(poll)) !== rows) this.faults.push(`${name}: other rows`);
    this.kills[victim]++;
  }

  async #killProcess(): Promise<void> {
    const { cleanup, folder } = this.#given;
    await this.#service.kill();
    this.#service = await ServiceProcess.start(cleanup, folder, this.#settings);
  }

  async #killDatabase(): Promise<void> {
    const postmaster = await findRunningPostmaster(join(this.#given.folder, 'postgres'));
    if (postmaster === undefined) throw new Error('PostgreSQL does not run');
    process.kill(postmaster.pid, 'SIGKILL');
  }

  async #undisturbed(way: Way) {
    const known = this.#calm.get(way);
    if (known) return known;
    const book = await this.#makeBook(way);
    const started = performance.now();
    const rows = await this.#rowsOf(await this.#begin(book, way));
    if (rows.length < rowCounts[way]) throw new Error('a match has no rows');
    const calm = { rows, milliseconds: performance.now() - started };
    this.#calm.set(way, calm);
    return calm;
  }

  /** A workbook with two tables; equal ones come to equal rows. */
  async #makeBook(way: Way): Promise<string> {
    const names = namesOf(rowCounts[way]);
    const typed = names.map((name, at) => name.slice(0, at % 9) + name.slice((at % 9) + 1));
    const made = (await post(`${this.#service.url}/v1/workbooks`, {}, this.#credential)) as {
      id: string;
    };
    const path = `/v1/workbooks/${made.id}`;
    for (const [name, list] of [
      ['Left', typed],
      ['Right', names],
    ] as const) {
      const schema = { columns: [{ name: 'id' }, { name: 'name' }] };
      const ops = [
        { kind: 'table.create', payload: { name, keyColumn: 'id', schema } },
        {
          kind: 'rows.import',
          payload: { table: name, rows: list.map((text, row) => [row, text]) },
        },
      ];
      await post(`${this.#service.url}${path}/branches/main/ops`, { ops }, this.#credential);
    }
    return path;
  }

  async #begin(book: string, way: Way): Promise<string> {
    const body = {
      left: { tableId: 'Left', column: 'name' },
      right: { tableId: 'Right', column: 'name' },
      ...(way === 'remote' && { opts: { provider: 'vectors', verifyProvider: 'judge', lo: 0.5 } }),
    };
    const made = await post(`${this.#service.url}${book}/matches`, body, this.#credential);
    return (made as { poll: string }).poll;
  }

  /** A page once the service answers, whose database may be on its way back. */
  async #pageOf(path: string): Promise<Page> {
    for (;;) {
      const url = `${this.#service.url}${path}`;
      const answer = await ask(url, { credential: this.#credential });
      if (answer !== undefined && answer.status < 300) return answer.json as Page;
      if (answer?.status !== 503) throw new Error(JSON.stringify(answer));
      await sleep(50);
    }
  }

  /** Rows of a match once it is done, without what is new each time. */
  async #rowsOf(poll: string): Promise<string> {
    for (;;) {
      const page = await this.#pageOf(`${poll}?limit=1`);
      if (page.status === 'done') break;
      if (!['queued', 'running'].includes(page.status)) throw new Error(JSON.stringify(page));
      await sleep(50);
    }
    const texts: string[] = [];
    for (let offset = 0; ; offset += 1000) {
      const page = await this.#pageOf(`${poll}?limit=1000&offset=${offset}`);
      if (page.rows.length === 0) return texts.join('\n');
      texts.push(JSON.stringify(page.rows));
    }
  }
}

function namesOf(count: number): string[] {
  const random = new SeededRandom(5);
  const word = (): string =>
    Array.from({ length: 3 }, () => syllables[random.between(0, 9)] ?? '').join('');
  return Array.from({ length: count }, () => `${word()} ${word()}`);
}
