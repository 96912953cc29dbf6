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
/** Seconds that a look at a match waits for its end at most. */
const waitSeconds = 2;

/** Rows of two tables that mean the same. It is as it was seen last; `refresh` looks again. */
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

  /** Begins one: it is done in the background. */
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

  /** The whole of it but its rows, as the service told it last. */
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

  /** Waits until it has ended, however that is. */
  async ended(settings: CallSettings = {}): Promise<this> {
    const headers = { ...settings.headers, prefer: `wait=${waitSeconds}` };
    while (this.status === 'queued' || this.status === 'running') {
      settings.onProgress?.(this.#record.progressDetail);
      await this.refresh({ ...settings, headers });
    }
    return this;
  }

  /** Its rows in the order of the left table, or those of one decision; there once it is done. */
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

  /** Writes down what a person decided: all of it or nothing. */
  async decide(decisions: Decisions, settings: CallSettings = {}): Promise<this> {
    const options = { ...settings, path: this.#place, body: { decisions } };
    this.#record = await this.#transport.call('PATCH', `${path}/rows`, options);
    return this;
  }

  /** Writes the accepted pairs to a branch, as a table or as a column of the left one. */
  apply({ branch = 'main', ...body }: Application, settings: CallSettings = {}): Promise<Applied> {
    const options = { ...settings, path: this.#place, body: { branch, ...body } };
    return this.#transport.call('POST', `${path}/apply`, options);
  }

  /** Ends it where it still runs. */
  async cancel(settings: CallSettings = {}): Promise<Answer<typeof path, 'DELETE'>> {
    return this.#transport.call('DELETE', path, { ...settings, path: this.#place });
  }
}
