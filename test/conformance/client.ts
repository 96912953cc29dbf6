import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Value } from '../../server/model/cell-value.ts';
import type { WireInput } from '../../server/model/input.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export interface SheetRows {
  readonly name: string;
  readonly rows: readonly (readonly WireInput[])[];
}

export interface SentOperation {
  readonly id: string;
  readonly kind: string;
  readonly payload: object;
}

/** Result of one operation; a rejected one says why. */
export interface SentResult {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly message: string };
}

/** A workbook that one client made, and the credential that reads it. */
export interface ClientBook {
  readonly id: string;
  readonly credential: string;
}

/** Content that an import did not keep. */
export interface Dropped {
  readonly what: string;
  readonly where?: string;
  readonly why: string;
}

interface Asked {
  readonly credential?: string;
  readonly body?: unknown;
  readonly file?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with another status than the ones that fit. */
export class UnexpectedAnswer extends Error {}

/** Asks a running service as any client does, and fails on what it does not expect. */
export class Client {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** A real service in a process of its own; what is to be ended later goes to `t`. */
  static async start(t: { teardown(end: () => unknown): void }): Promise<Client> {
    const folder = await makeTemporaryFolder(t);
    const dataDirectory = join(folder, 'data');
    await mkdir(dataDirectory);
    t.teardown(() => rm(dataDirectory, { recursive: true, force: true }));
    const settings = { RATE_LIMITS: 'off', LOG_LEVEL: 'error', WORKERS: '2' };
    const { url } = await ServiceProcess.start(t, dataDirectory, settings);
    return new Client(url);
  }

  async create(sheets: readonly SheetRows[]): Promise<ClientBook> {
    const credential = await this.#register();
    const body = { sheets };
    const { id } = (await this.#ask('/v1/workbooks', { credential, body })) as { id: string };
    return { id, credential };
  }

  async import(file: Uint8Array): Promise<ClientBook & { readonly dropped: readonly Dropped[] }> {
    const credential = await this.#register();
    const headers = { 'content-type': xlsxType };
    const made = await this.#ask('/v1/workbooks', { credential, file, headers });
    return { credential, ...(made as { id: string; dropped: Dropped[] }) };
  }

  /** Submits operations; those that are refused change nothing, as the reading will show. */
  async submit(
    { id, credential }: ClientBook,
    ops: readonly SentOperation[],
  ): Promise<readonly SentResult[]> {
    const path = `/v1/workbooks/${id}/branches/main/ops`;
    const body = { ops, writer: 'conformance' };
    const answer = await this.#ask(path, { credential, body }, [200, 409]);
    return (answer as { results: SentResult[] }).results;
  }

  /** All values, by `sheet!cell`; blank cells are not there. */
  async values({ id, credential }: ClientBook): Promise<Map<string, Value>> {
    const path = `/v1/workbooks/${id}/values?ref=main&whole=true`;
    const headers = { prefer: 'wait=10' };
    for (;;) {
      const answer = await this.#ask(path, { credential, headers }, [200, 202]);
      const { values } = answer as { values?: { sheet: string; cell: string; value: Value }[] };
      if (values === undefined) continue;
      return new Map(values.map(({ sheet, cell, value }) => [`${sheet}!${cell}`, value]));
    }
  }

  /** Archives it, so that the service does not keep what nobody reads again. */
  async drop({ id, credential }: ClientBook): Promise<void> {
    await this.#ask(`/v1/workbooks/${id}`, { credential }, [200], 'DELETE');
  }

  /** Agents have a cap on cells; each workbook has its own. */
  async #register(): Promise<string> {
    const answer = await this.#ask('/agent/auth', { body: { type: 'anonymous' } });
    return (answer as { data: { credential: string } }).data.credential;
  }

  async #ask(
    path: string,
    { credential, body, file, headers: more = {} }: Asked,
    expected: readonly number[] = [200, 201],
    method = body === undefined && file === undefined ? 'GET' : 'POST',
  ): Promise<unknown> {
    const headers = new Headers(more);
    if (credential !== undefined) headers.set('authorization', `Bearer ${credential}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const sent = body === undefined ? file : JSON.stringify(body);
    const answer = await fetch(this.#url + path, { method, headers, ...(sent && { body: sent }) });
    const text = await answer.text();
    if (!expected.includes(answer.status)) {
      throw new UnexpectedAnswer(`${method} ${path}: ${answer.status} ${text.slice(0, 2_000)}`);
    }
    return JSON.parse(text) as unknown;
  }
}
