import type { components } from './api.d.ts';
import type { Answer, CallSettings, Transport } from './call.ts';
import { Pages } from './pages.ts';

type Schemas = components['schemas'];
export type MatchRecord = Schemas['MatchSummary'];
export type MatchRow = Schemas['MatchPage']['rows'][number];
export type MatchWishes = Schemas['PostWorkbooksMatches'];
type Decisions = Schemas['PatchWorkbooksMatchesRows']['decisions'];
type Applied = Schemas['PostWorkbooksMatchesApply2'];
type Application = Partial<Schemas['PostWorkbooksMatchesApply']>;

const path = '/v1/workbooks/{id}/matches/{mid}';
/** Seconds that one request waits for the end of a match. */
const waitSeconds = 2;

/**
 * A search for rows of two tables that mean the same thing. Its getters answer what was read last;
 * `refresh` reads again.
 */
export class Match {
  readonly id: string;
  readonly #transport: Transport;
  readonly #place: { readonly id: string; readonly mid: string };
  #record: MatchRecord;

  private constructor(transport: Transport, id: string, record: MatchRecord) {
    this.#transport = transport;
    this.#place = { id, mid: record.matchId };
    this.id = record.matchId;
    this.#record = record;
  }

  /** Starts a match, which runs in the background; resolves once it has an id. */
  static async start(
    transport: Transport,
    id: string,
    { headers, signal, onProgress, wait, ...body }: CallSettings & MatchWishes,
  ): Promise<Match> {
    const settings = { headers: headers ?? {}, signal, onProgress, wait };
    const options = { ...settings, path: { id }, body };
    const made = await transport.ask('POST', '/v1/workbooks/{id}/matches', options);
    return Match.load(transport, id, (made as { matchId: string }).matchId, settings);
  }

  static async load(
    transport: Transport,
    id: string,
    mid: string,
    settings: CallSettings = {},
  ): Promise<Match> {
    const record = await transport.call('GET', path, {
      ...settings,
      path: { id, mid },
      query: { limit: 1 },
    });
    return new Match(transport, id, record);
  }

  /** The match without its rows, as it was read last. */
  get record(): MatchRecord {
    return this.#record;
  }

  get status(): MatchRecord['status'] {
    return this.#record.status;
  }

  async refresh(settings: CallSettings = {}): Promise<this> {
    this.#record = (await Match.load(this.#transport, this.#place.id, this.id, settings)).#record;
    return this;
  }

  /** Waits until the match has ended, be it done, failed or cancelled. */
  async ended(settings: CallSettings = {}): Promise<this> {
    const headers = { ...settings.headers, prefer: `wait=${waitSeconds}` };
    while (this.status === 'queued' || this.status === 'running') {
      settings.onProgress?.(this.#record.progressDetail);
      await this.refresh({ ...settings, headers });
    }
    return this;
  }

  /**
   * Lists the rows of a finished match in the order of the left table, or only those with one
   * decision.
   */
  rows({
    decision,
    ...settings
  }: CallSettings & { decision?: MatchRow['decision'] | undefined } = {}): Pages<
    MatchRow,
    Schemas['MatchPage']
  > {
    const query = { decision };
    return new Pages(this.#transport, 'matchRows', { ...settings, path: this.#place, query });
  }

  /** Stores decisions of a person about pairs, all of them or, if one is refused, none. */
  async decide(decisions: Decisions, settings: CallSettings = {}): Promise<this> {
    const options = { ...settings, path: this.#place, body: { decisions } };
    this.#record = await this.#transport.call('PATCH', `${path}/rows`, options);
    return this;
  }

  /**
   * Writes the accepted pairs to a branch, as a table of its own or as a column of the left table.
   */
  apply({ branch = 'main', ...body }: Application, settings: CallSettings = {}): Promise<Applied> {
    const options = { ...settings, path: this.#place, body: { branch, ...body } };
    return this.#transport.call('POST', `${path}/apply`, options);
  }

  /** Cancels the match if it is still running. */
  async cancel(settings: CallSettings = {}): Promise<Answer<typeof path, 'DELETE'>> {
    return this.#transport.call('DELETE', path, { ...settings, path: this.#place });
  }
}
