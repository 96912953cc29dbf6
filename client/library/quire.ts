import type { components } from './api.d.ts';
import { Transport, type Answer, type CallSettings, type QuireOptions } from './call.ts';
import { Pages } from './pages.ts';
import type { Proof } from './proof.ts';
import { Workbook } from './workbook.ts';

export { CutOff, Gap, Problem, Rejected } from './problem.ts';
export { ProofFault } from '../../server/tlog/encoding/fault.ts';
export { op, operationKinds } from './operations.ts';
export { makeUlid } from './ulid.ts';
export type { Match } from './match.ts';
export type { Merge } from './merge.ts';
export type { Proof } from './proof.ts';
export type { Operation } from './operations.ts';
export type { Session } from './session.ts';
export type { Workbook } from './workbook.ts';
export type { QuireOptions } from './call.ts';

type Schemas = components['schemas'];

/** Sheets and rows of a new workbook. */
export type NewWorkbook = Schemas['PostWorkbooks'];

const fileTypes: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  csv: 'text/csv',
};

/**
 * Entry to the library: a service, and the credential for its calls. All methods throw a Problem
 * when a call fails.
 */
export class Quire {
  readonly #transport: Transport;
  /** Calls any route, by the method and path of /openapi.json. */
  readonly call: Transport['call'];

  constructor(options: QuireOptions) {
    this.#transport = new Transport(options);
    this.call = this.#transport.call.bind(this.#transport);
  }

  /** Registers an anonymous agent, without a human. The new `key` is shown only this time. */
  static async register(
    options: Omit<QuireOptions, 'key'> & { name?: string },
  ): Promise<Quire & { readonly registration: Schemas['Registered'] }> {
    const { name, ...rest } = options;
    const transport = new Transport(rest);
    const { data } = await transport.call('POST', '/agent/auth', {
      body: { type: 'anonymous', ...(name !== undefined && { client: { name } }) },
    });
    const quire = new Quire({ ...rest, key: data.credential });
    return Object.assign(quire, { registration: data });
  }

  /** Reads a stored proof; the code that verifies proofs is loaded with the first one. */
  static async proof(text: string): Promise<Proof> {
    const { Proof: Checked } = await import('./proof.ts');
    return new Checked(text);
  }

  get url(): string {
    return this.#transport.url;
  }

  get key(): string | undefined {
    return this.#transport.key;
  }

  /** Creates a workbook with these sheets, or with one empty sheet. */
  async create(workbook: NewWorkbook = {}, settings: CallSettings = {}): Promise<Workbook> {
    const made = await this.call('POST', '/v1/workbooks', { ...settings, body: workbook });
    return new Workbook(this.#transport, made.id);
  }

  /** Creates a workbook from a file; `created.dropped` lists what the import does not keep. */
  async importFile(
    bytes: Uint8Array,
    { ending, name, ...settings }: CallSettings & { ending: string; name?: string },
  ): Promise<Workbook & { readonly created: Schemas['CreatedWorkbook'] }> {
    const type = fileTypes[ending.toLowerCase()] ?? 'application/octet-stream';
    const created = (await this.#transport.ask('POST', '/v1/workbooks', {
      ...settings,
      query: { name },
      body: bytes,
      headers: { ...settings.headers, 'content-type': type },
    })) as Schemas['CreatedWorkbook'];
    return Object.assign(new Workbook(this.#transport, created.id), { created });
  }

  /** Returns the workbook with an id or the address `owner/name`, without a request. */
  open(id: string): Workbook {
    return new Workbook(this.#transport, id);
  }

  /** Finds a workbook by its id or by its address such as `ada/plan`, which a request resolves. */
  async find(address: string, settings: CallSettings = {}): Promise<Workbook> {
    if (!address.includes('/')) return this.open(address);
    const path = `/v1/${address.split('/').map(encodeURIComponent).join('/')}`;
    const { id } = (await this.#transport.ask('GET', path, settings)) as { id: string };
    return this.open(id);
  }

  workbooks(
    settings: CallSettings & { archived?: boolean } = {},
  ): Pages<Schemas['ListedWorkbook']> {
    const { archived, ...rest } = settings;
    const query = archived === true ? { include: 'archived' } : {};
    return new Pages(this.#transport, 'workbooks', { ...rest, query });
  }

  /** Reads the addresses of the console, the documents, the MCP server and so on, by name. */
  async links(settings: CallSettings = {}): Promise<Readonly<Record<string, string>>> {
    const found = (await this.#transport.ask('GET', '/', settings)) as {
      links: Readonly<Record<string, string>>;
    };
    return found.links;
  }

  /** Reads the identity of this credential. */
  async whoami(settings: CallSettings = {}): Promise<Answer<'/agent/auth/me', 'GET'>['data']> {
    const answer = await this.call('GET', '/agent/auth/me', settings);
    return answer.data;
  }

  usage(settings: CallSettings = {}): Promise<Schemas['Usage']> {
    return this.call('GET', '/v1/account/usage', settings);
  }

  /**
   * Reads the keys of the log and its witnesses, against which proofs are verified. Keep the text
   * and compare it.
   */
  async policy(settings: CallSettings = {}): Promise<string> {
    const response = await this.#transport.open('GET', '/v1/tlog/policy', {
      ...settings,
      headers: { ...settings.headers, accept: '*/*' },
    });
    return response.text();
  }
}
