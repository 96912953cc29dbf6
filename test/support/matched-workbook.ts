import type { ServiceDoor, TestAnswer } from './service-door.ts';

export interface MatchAnswer {
  readonly matchId: string;
  readonly status: string;
  readonly phase: string | null;
  readonly progress: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly reused: boolean;
  readonly total: number;
  readonly error: { readonly code: string } | null;
  readonly rows: readonly MatchedRow[];
}

export interface MatchedRow {
  readonly leftKey: string | number;
  readonly leftValue: string | null;
  readonly rightKey: string | number | null;
  readonly rightValue: string | null;
  readonly decision: string;
  readonly reason: string;
  readonly score: number | null;
  readonly rank: number;
}

type Row = readonly (string | number | boolean | null)[];

/** A workbook with tables whose columns are matched over HTTP. */
export class MatchedWorkbook {
  readonly service: ServiceDoor;
  readonly credential: string;
  /** Its path. */
  readonly at: string;

  constructor(service: ServiceDoor, credential: string, at: string) {
    this.service = service;
    this.credential = credential;
    this.at = at;
  }

  static async on(service: ServiceDoor, credential: string): Promise<MatchedWorkbook> {
    const made = await service.request('/v1/workbooks', { credential, body: {} });
    const { id } = made.json as { id: string };
    return new MatchedWorkbook(service, credential, `/v1/workbooks/${id}`);
  }

  /** The same workbook by its owner and name. */
  async byName(): Promise<MatchedWorkbook> {
    const { json } = await this.send('GET', '');
    const { namespace, name } = json as { namespace: string; name: string };
    return new MatchedWorkbook(this.service, this.credential, `/v1/${namespace}/${name}`);
  }

  send(method: string, path: string, body?: unknown, headers = {}): Promise<TestAnswer> {
    const { credential } = this;
    return this.service.request(this.at + path, { method, credential, body, headers });
  }

  submit(branch: string, ...ops: object[]): Promise<TestAnswer> {
    return this.send('POST', `/branches/${branch}/ops`, { ops, mode: 'atomic' });
  }

  /** A table whose first column is the key; resolves with its id. */
  async table(name: string, columns: readonly string[], rows: readonly Row[]): Promise<string> {
    const schema = { columns: columns.map((column) => ({ name: column })) };
    const made = await this.submit(
      'main',
      { kind: 'table.create', payload: { name, keyColumn: columns[0], schema } },
      { kind: 'rows.import', payload: { table: name, columns, rows, raw: true } },
    );
    const { results } = made.json as { results?: { table?: string }[] };
    const id = results?.[0]?.table;
    if (id === undefined) throw new Error(`${made.status}: ${made.text}`);
    return id;
  }

  /** Creates a match; resolves with the path of it. */
  async match(body: object): Promise<string> {
    const made = await this.send('POST', '/matches', body);
    if (made.status !== 202) throw new Error(`${made.status}: ${made.text}`);
    return `/matches/${(made.json as { matchId: string }).matchId}`;
  }

  async page(path: string): Promise<MatchAnswer> {
    const { json } = await this.send('GET', path);
    return json as MatchAnswer;
  }

  /** The match once it has ended, with its rows. */
  async ended(path: string): Promise<MatchAnswer> {
    for (let attempt = 0; attempt < 60; attempt++) {
      const { json, text, status } = await this.send('GET', `${path}?limit=1000`, undefined, {
        prefer: 'wait=10',
      });
      if (status !== 200) throw new Error(text);
      const page = json as MatchAnswer;
      if (!['queued', 'running'].includes(page.status)) return page;
    }
    throw new Error('the match does not end');
  }
}
