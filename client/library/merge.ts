import type { components } from './api.d.ts';
import { pause, type CallSettings, type Transport } from './call.ts';
import { Pages } from './pages.ts';

type Schemas = components['schemas'];
export type MergeRecord = Schemas['Merge'];
export type Conflict = Schemas['Conflict'];
export type Resolution = Schemas['PostWorkbooksMergesResolve'];
type Proposal = Schemas['PostWorkbooksMerges'];
type Approval = Schemas['PostWorkbooksMergesApprove'];

export type MergeOptions = CallSettings & Omit<Proposal, 'source' | 'dryRun'>;

/** A proposed merge. Its getters answer what was read last; `refresh` reads again. */
export class Merge {
  readonly id: string;
  readonly #transport: Transport;
  readonly #place: { readonly id: string; readonly mid: string };
  #record: MergeRecord;

  private constructor(transport: Transport, id: string, record: MergeRecord) {
    this.#transport = transport;
    this.#place = { id, mid: record.id };
    this.id = record.id;
    this.#record = record;
  }

  static async propose(
    transport: Transport,
    id: string,
    { headers, signal, wait, onProgress, ...body }: CallSettings & Proposal,
  ): Promise<Merge> {
    const settings = { headers: headers ?? {}, signal, wait, onProgress };
    const made = await transport.call('POST', '/v1/workbooks/{id}/merges', {
      ...settings,
      path: { id },
      body,
    });
    const merge = new Merge(transport, id, made as MergeRecord);
    return merge.#settled(settings);
  }

  static async load(
    transport: Transport,
    id: string,
    mid: string,
    settings: CallSettings = {},
  ): Promise<Merge> {
    const path = { id, mid };
    const options = { ...settings, path, wait: false };
    const record = await transport.call('GET', '/v1/workbooks/{id}/merges/{mid}', options);
    return new Merge(transport, id, record).#settled(settings);
  }

  /** The merge as it was read last. */
  get record(): MergeRecord {
    return this.#record;
  }

  get state(): MergeRecord['state'] {
    return this.#record.state;
  }

  /**
   * Digest of the merged content. An approval names it, so that nobody approves another content
   * than they saw.
   */
  get digest(): string | undefined {
    return this.#record.digest;
  }

  conflicts(
    options: CallSettings & { status?: 'open' | 'resolved' } = {},
  ): Pages<Conflict, Schemas['GetWorkbooksMergesConflicts']> {
    const { status, ...settings } = options;
    return new Pages(this.#transport, 'conflicts', {
      ...settings,
      path: this.#place,
      query: { status },
    });
  }

  /** Lists the changes that the merge makes to its target. */
  diff(
    settings: CallSettings = {},
  ): Pages<{ readonly list: string; readonly [member: string]: unknown }, Schemas['DiffPage']> {
    return new Pages(this.#transport, 'mergeDiff', { ...settings, path: this.#place });
  }

  /** Settles conflicts, one by one (`resolutions`) or many at once (`bulk`). */
  async resolve(resolution: Resolution, settings: CallSettings = {}): Promise<this> {
    await this.#transport.call('POST', '/v1/workbooks/{id}/merges/{mid}/resolve', {
      ...settings,
      path: this.#place,
      body: resolution,
    });
    return this.refresh(settings);
  }

  /**
   * Approves the content that was read last. The service applies the merge if its policy is met.
   */
  async approve(approval: Approval = {}, settings: CallSettings = {}): Promise<this> {
    const { digest } = this.#record;
    this.#record = await this.#transport.call('POST', '/v1/workbooks/{id}/merges/{mid}/approve', {
      ...settings,
      path: this.#place,
      body: { ...(digest && { digest }), ...approval },
    });
    return this.#settled(settings);
  }

  async abort(reason = '', settings: CallSettings = {}): Promise<this> {
    this.#record = await this.#transport.call('POST', '/v1/workbooks/{id}/merges/{mid}/abort', {
      ...settings,
      path: this.#place,
      body: { reason },
    });
    return this;
  }

  async refresh(settings: CallSettings = {}): Promise<this> {
    const options = { ...settings, path: this.#place, wait: false };
    const path = '/v1/workbooks/{id}/merges/{mid}';
    this.#record = await this.#transport.call('GET', path, options);
    return this.#settled(settings);
  }

  /** Waits until the service has computed the merge. */
  async #settled(settings: CallSettings): Promise<this> {
    while (settings.wait !== false && this.#record.retry_after !== undefined) {
      await pause(Math.max(this.#record.retry_after, 0.1) * 1_000, settings.signal);
      const options = { ...settings, path: this.#place, wait: false };
      const path = '/v1/workbooks/{id}/merges/{mid}';
      this.#record = await this.#transport.call('GET', path, options);
    }
    return this;
  }
}
