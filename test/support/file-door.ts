import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { createMigratedDatabase } from './postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { TestService, type TestAnswer } from './test-service.ts';

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Imports and exports files of a real service, which can be restarted. */
export class FileDoor {
  service: TestService;
  readonly #test: Test;
  readonly #settings: Readonly<Record<string, string>>;
  readonly credential: string;

  private constructor(
    test: Test,
    settings: Readonly<Record<string, string>>,
    started: { service: TestService; credential: string },
  ) {
    this.#test = test;
    this.#settings = settings;
    this.service = started.service;
    this.credential = started.credential;
  }

  /**
   * Starts a service for an anonymous agent, or for one that a person has claimed and who may
   * purge.
   */
  static async open(test: Test, agent: 'anonymous' | 'claimed' = 'anonymous'): Promise<FileDoor> {
    const folder = await makeTemporaryFolder(test);
    const settings = {
      DATABASE_URL: await createMigratedDatabase(),
      DATA_DIR: folder,
      OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    };
    const service = await TestService.start(test, settings);
    const credential = await (agent === 'claimed' ? service.registerClaimed() : service.register());
    return new FileDoor(test, settings, { service, credential });
  }

  /** Where its objects and all else of it lie. */
  get folder(): string {
    return this.#settings['DATA_DIR'] ?? '';
  }

  /** Restarts the service on the same data, with empty memory. */
  async restart(): Promise<void> {
    await this.service.app.stop();
    this.service = await TestService.start(this.#test, this.#settings);
  }

  request(
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> {
    return this.service.request(path, { credential: this.credential, body, headers });
  }

  delete(path: string): Promise<TestAnswer> {
    return this.service.request(path, { credential: this.credential, method: 'DELETE' });
  }

  send(bytes: Uint8Array | string, type: string, query = ''): Promise<TestAnswer> {
    return this.service.request(`/v1/workbooks${query}`, {
      credential: this.credential,
      bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
      headers: { 'content-type': type },
    });
  }

  /** Imports a file that has to be accepted. */
  async import(
    bytes: Uint8Array | string,
    type = xlsxType,
    query = '',
  ): Promise<{ at: string; dropped: unknown[] }> {
    const { status, json, text } = await this.send(bytes, type, query);
    if (status !== 201) throw new Error(`the import answered ${status}: ${text}`);
    const { id, dropped } = json as { id: string; dropped: unknown[] };
    return { at: `/v1/workbooks/${id}`, dropped };
  }

  /** The rows of a range, by a lens. */
  async rows(at: string, range: string, lens = 'value'): Promise<unknown> {
    const path = `${at}/slice?range=${encodeURIComponent(range)}&lens=${lens}`;
    const { status, json, text } = await this.request(path);
    if (status !== 200) throw new Error(`the slice answered ${status}: ${text}`);
    return (json as { rows: unknown }).rows;
  }

  async submit(at: string, ...ops: object[]): Promise<void> {
    const { status, json, text } = await this.request(`${at}/branches/main/ops`, { ops });
    const results = (json as { results?: { status: string }[] }).results ?? [];
    if (status !== 200 || results.some(({ status: done }) => done !== 'applied')) {
      throw new Error(`the operations were answered ${status}: ${text}`);
    }
  }

  async export(at: string, query = 'format=xlsx', branch = 'main'): Promise<TestAnswer> {
    const answer = await this.request(`${at}/branches/${branch}/export?${query}`);
    if (answer.status !== 200) throw new Error(`the export answered ${answer.status}`);
    return answer;
  }
}
