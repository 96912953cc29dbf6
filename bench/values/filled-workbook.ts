import type { RunningService } from '../service/running-service.ts';

/** Formulas of the columns B, C, D, E and G, over inputs in A and F. */
const formulas = ['=A1*2', '=B1+A1', '=C1-B1', '=ROUND(D1/3,2)', '=E1+F$1'];
const formulaColumns = ['B', 'C', 'D', 'E', 'G'];
const rowsAtOnce = 20_000;
const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Returns settings under which a workbook of this size is computed in the background. */
export function aboveCeiling(formulaCount: number): Record<string, string> {
  return { EVAL_CEILING_CELLS: String(Math.min(250_000, formulaCount)) };
}

/** A workbook of filled columns of formulas, read over HTTP. */
export class FilledWorkbook {
  readonly rowCount: number;
  readonly #service: RunningService;
  readonly #path: string;

  private constructor(service: RunningService, path: string, rowCount: number) {
    this.#service = service;
    this.#path = path;
    this.rowCount = rowCount;
  }

  /** Written by fills. */
  static async create(service: RunningService, formulaCount: number): Promise<FilledWorkbook> {
    const rowCount = Math.ceil(formulaCount / formulas.length);
    const path = `/v1/workbooks/${await service.createWorkbook()}`;
    const workbook = new FilledWorkbook(service, path, rowCount);
    for (let row = 1; row <= rowCount; row += rowsAtOnce) {
      const last = Math.min(rowCount, row + rowsAtOnce - 1);
      const ops = [fill('A', { row, last }, row)];
      for (const [index, formula] of formulas.entries()) {
        // The formula is written for the first cell of its range.
        const input = formula.replaceAll(/(?<=[A-F])1/g, String(row));
        ops.push(fill(formulaColumns[index] ?? 'B', { row, last }, input));
      }
      await workbook.#submit(ops);
    }
    return workbook;
  }

  /** Imports the same content as a new workbook, from a file. */
  async imported(xlsx: Uint8Array<ArrayBuffer>): Promise<FilledWorkbook> {
    const headers = { 'content-type': xlsxType, ...authorization(this.#service) };
    const answer = await fetch(`${this.#service.url}/v1/workbooks`, {
      method: 'POST',
      headers,
      body: xlsx,
    });
    if (!answer.ok) throw new Error(await answer.text());
    const { id } = (await answer.json()) as { id: string };
    return new FilledWorkbook(this.#service, `/v1/workbooks/${id}`, this.rowCount);
  }

  async exported(): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.get('branches/main/export?format=xlsx');
    if (!answer.ok) throw new Error(await answer.text());
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** Writes an input on which every formula depends. */
  async dirtyAll(input: number): Promise<void> {
    await this.#submit([fill('A', { row: 1, last: this.rowCount }, input)]);
  }

  async get(query: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#service.url}${this.#path}/${query}`, {
      headers: { ...headers, ...authorization(this.#service) },
    });
  }

  /** Returns the times until the first answer, and until the one with values. */
  async untilComputed(): Promise<{ firstMilliseconds: number; seconds: number }> {
    const started = performance.now();
    const first = await this.get('values?limit=1');
    const firstMilliseconds = performance.now() - started;
    await first.arrayBuffer();
    if (first.status !== 202) throw new Error(`the first read answered ${first.status}`);
    for (let status = 202; status === 202;) {
      const answer = await this.get('values?limit=1', { prefer: 'wait=10' });
      ({ status } = answer);
      const text = await answer.text();
      if (status >= 300) throw new Error(text);
    }
    return { firstMilliseconds, seconds: (performance.now() - started) / 1_000 };
  }

  async #submit(ops: readonly object[]): Promise<void> {
    const body = JSON.stringify({ writer: 'bench', ops });
    const headers = { 'content-type': 'application/json', ...authorization(this.#service) };
    const url = `${this.#service.url}${this.#path}/branches/main/ops`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

function fill(column: string, { row, last }: { row: number; last: number }, input: unknown) {
  const range = `Sheet1!${column}${row}:${column}${last}`;
  return { kind: 'range.fill', payload: { range, input } };
}

function authorization({ credential }: Pick<RunningService, 'credential'>): Record<string, string> {
  return { authorization: `Bearer ${credential}` };
}
