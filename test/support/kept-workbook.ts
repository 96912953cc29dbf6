import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';

import { createMigratedDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { TestService, type TestAnswer } from './test-service.ts';

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A workbook of a service with the real kernel, which can be stopped and started again. */
export class KeptWorkbook {
  readonly #t: Pick<Test, 'teardown'>;
  readonly #settings: Readonly<Record<string, string>>;
  service: TestService;
  readonly credential: string;
  id = '';

  private constructor(
    t: Pick<Test, 'teardown'>,
    settings: Readonly<Record<string, string>>,
    started: { service: TestService; credential: string },
  ) {
    this.#t = t;
    this.#settings = settings;
    this.service = started.service;
    this.credential = started.credential;
  }

  static async create(t: Pick<Test, 'teardown'>, body: object = {}): Promise<KeptWorkbook> {
    const folder = await makeTemporaryFolder(t);
    const settings = {
      DATABASE_URL: await createMigratedDatabase(),
      DATA_DIR: folder,
      OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    };
    const service = await TestService.start(t, settings, {});
    const book = new KeptWorkbook(t, settings, { service, credential: await service.register() });
    book.#created(await service.request('/v1/workbooks', { credential: book.credential, body }));
    return book;
  }

  /** Takes up a new workbook made of a file. */
  async import(bytes: Uint8Array, type = xlsxType): Promise<TestAnswer> {
    const { credential } = this;
    const headers = { 'content-type': type };
    const answer = await this.service.request('/v1/workbooks', { credential, bytes, headers });
    this.#created(answer);
    return answer;
  }

  #created(answer: TestAnswer): void {
    if (answer.status !== 201) throw new Error(answer.text);
    this.id = (answer.json as { id: string }).id;
  }

  request(path: string, body?: unknown): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(`/v1/workbooks/${this.id}/${path}`, { credential, body });
  }

  /** Submits operations, none of which may be rejected. */
  async submit(...ops: object[]): Promise<{ head: number }> {
    const answer = await this.request('branches/main/ops', { ops, mode: 'atomic' });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as { head: number };
  }

  /** Sets cells of a sheet. */
  set(cells: Readonly<Record<string, unknown>>, sheet = 'Sheet1'): Promise<{ head: number }> {
    const inputs = Object.entries(cells).map(([a1, input]) => ({ a1, input }));
    return this.submit({ kind: 'cells.set', payload: { sheet, cells: inputs } });
  }

  async slice(range: string, query = ''): Promise<unknown[][]> {
    const answer = await this.request(`slice?range=${encodeURIComponent(range)}${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { rows: unknown[][] }).rows;
  }

  async export(query: string): Promise<TestAnswer> {
    const answer = await this.request(`branches/main/export?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer;
  }

  /** Nothing is in memory afterwards. */
  async restart(): Promise<void> {
    await this.service.app.stop();
    this.service = await TestService.start(this.#t, this.#settings, {});
  }
}
