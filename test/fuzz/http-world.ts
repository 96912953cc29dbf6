import { chmod, mkdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { App } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { cellName } from '../../server/model/address.ts';
import { EmbeddedPostgres } from '../../server/storage/embedded/embedded.ts';
import { migrate } from '../../server/storage/migrate.ts';
import { openPostgres } from '../../server/storage/postgres.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import type { Reading } from './http-round.ts';

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** Rows between formulas, for arrays to spill. */
const rowsApart = 25;
const column = 60;
const data = [
  [1, 10, 'a', true],
  [2, 20, 'b', null],
  [3.5, -30, 'R1C1', false],
  [4, null, '12', 43_831],
];

/** A workbook that was written, and what its model said of it then. */
export interface WrittenBook {
  readonly id: string;
  /** Cells that a formula was taken in. */
  readonly cells: readonly string[];
  readonly warm: Reading;
}

/** A service of its own that can be started again on what it has stored. */
export class HttpWorld {
  readonly #folder: string;
  readonly #postgres: EmbeddedPostgres;
  #app: App;
  #credential = '';

  private constructor(folder: string, postgres: EmbeddedPostgres, app: App) {
    this.#folder = folder;
    this.#postgres = postgres;
    this.#app = app;
  }

  static async open(folder: string): Promise<HttpWorld> {
    const dataDirectory = `${folder}/postgres`;
    await mkdir(dataDirectory);
    // The server runs as another user.
    for (const path of [folder, dataDirectory]) await chmod(path, 0o711);
    const onEvent = (): void => undefined;
    const postgres = await EmbeddedPostgres.start({
      dataDirectory,
      environment: realEnvironment,
      onEvent,
    });
    const sql = openPostgres({
      url: postgres.url,
      applicationName: 'quire-fuzz',
      connectionCount: 1,
    });
    await migrate(sql);
    await sql.end();
    const world = new HttpWorld(folder, postgres, await startApp(folder, postgres.url));
    world.#credential = (await claimedAgent(world.#app.addresses.baseUrl)).credential;
    return world;
  }

  async close(): Promise<void> {
    await this.#app.stop();
    await this.#postgres.stop();
  }

  /** Ends what is in memory: all models are cold after it. */
  async restart(): Promise<void> {
    await this.#app.stop();
    this.#app = await startApp(this.#folder, this.#postgres.url);
  }

  /** Enters the formulas below one another, and reads those that were taken. */
  async write(texts: readonly string[]): Promise<WrittenBook> {
    const sheets = [
      { name: 'Plan', rows: data },
      { name: "It's", rows: data },
      { name: 'R', rows: [['=Plan!A1']] },
      { name: 'a b', rows: data },
    ];
    const created = await this.#send('POST', '', { sheets });
    const { id } = JSON.parse(created.text) as { id: string };
    const ops = texts.map((input, index) => {
      const a1 = cellName(index * rowsApart, column);
      return { kind: 'cells.set', payload: { sheet: 'Plan', cells: [{ a1, input }] } };
    });
    const answer = await this.#send('POST', `/${id}/branches/main/ops`, { ops, writer: 'fuzz' });
    const { results } = JSON.parse(answer.text) as { results: { status: string }[] };
    const cells = texts.flatMap((_, index) => {
      const isTaken = results[index]?.status === 'applied';
      return isTaken ? [cellName(index * rowsApart, column)] : [];
    });
    return { id, cells, warm: await this.#reading('the warm model', id, cells) };
  }

  /** Reads the values warm, cold, and from a workbook that is imported from the export. */
  async read({ id, cells, warm }: WrittenBook): Promise<Reading[]> {
    const cold = await this.#reading('a cold model', id, cells);
    const file = await this.#send('GET', `/${id}/branches/main/export?format=xlsx`);
    const imported = await this.#send('POST', '', undefined, file.bytes);
    const { id: copy } = JSON.parse(imported.text) as { id: string };
    const readings = [warm, cold, await this.#reading('a file', copy, cells)];
    for (const one of [id, copy]) await this.#send('DELETE', `/${one}`);
    return readings;
  }

  async #reading(from: string, id: string, cells: readonly string[]): Promise<Reading> {
    const values: string[] = [];
    const texts: string[] = [];
    for (let at = 0; at < cells.length; at += 50) {
      const query = cells.slice(at, at + 50).map((cell) => `range=Plan!${cell}`);
      // One range alone is answered otherwise.
      query.push('range=Plan!A1');
      for (const [lens, list] of [
        ['value', values],
        ['formula', texts],
      ] as const) {
        const { text } = await this.#send('GET', `/${id}/slice?lens=${lens}&${query.join('&')}`);
        const { slices } = JSON.parse(text) as { slices: { rows: unknown[][] }[] };
        list.push(...slices.slice(0, -1).map(({ rows }) => JSON.stringify(rows[0]?.[0])));
      }
    }
    return { from, values, texts };
  }

  async #send(method: string, path: string, json?: unknown, bytes?: Uint8Array) {
    const headers = new Headers({ authorization: `Bearer ${this.#credential}` });
    if (json !== undefined) headers.set('content-type', 'application/json');
    if (bytes !== undefined) headers.set('content-type', xlsx);
    const sent = bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    const url = `${this.#app.addresses.baseUrl}/v1/workbooks${path}`;
    const answer = await fetch(url, { method, headers, ...(sent !== undefined && { body: sent }) });
    const received = new Uint8Array(await answer.arrayBuffer());
    const text = new TextDecoder().decode(received);
    if (answer.status >= 400 && method !== 'DELETE') {
      throw new Error(`${method} ${path.slice(0, 300)} answered ${answer.status}: ${text}`);
    }
    return { text, bytes: received };
  }
}

function startApp(folder: string, url: string): Promise<App> {
  const config = readConfig({
    PORT: '0',
    DATA_DIR: folder,
    DATABASE_URL: url,
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    WORKERS: '1',
    LOG_LEVEL: 'error',
    DEV_HOOKS: 'on',
    RATE_LIMITS: 'off',
  });
  return App.start(config);
}
