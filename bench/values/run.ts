import { once, summarise, type Figure } from '../report.ts';
import { RunningService } from '../service/running-service.ts';

const formulas = ['=A1*2', '=B1+A1', '=C1-B1', '=ROUND(D1/3,2)', '=E1+F$1'];
const formulaColumns = ['B', 'C', 'D', 'E', 'G'];
const rowsAtOnce = 20_000;
const pageCells = 100_000;
const rounds = 5;
const columnsType = 'application/vnd.quire.columns+msgpack';

/** Reading all values of a workbook above the evaluation ceiling over HTTP: computed, then stored. */
export async function runValuesBench(formulaCount: number): Promise<Figure[]> {
  const service = await RunningService.start();
  try {
    const reader = await Reader.create(service, Math.ceil(formulaCount / formulas.length));
    const figures = await measureComputing(reader);
    figures.push(...(await measureReading(reader)));
    return figures;
  } finally {
    await service.stop();
  }
}

class Reader {
  readonly #service: RunningService;
  readonly #path: string;
  readonly fillSeconds: number;

  private constructor(service: RunningService, path: string, fillSeconds: number) {
    this.#service = service;
    this.#path = path;
    this.fillSeconds = fillSeconds;
  }

  static async create(service: RunningService, rowCount: number): Promise<Reader> {
    const path = `/v1/workbooks/${await service.createWorkbook()}`;
    const started = performance.now();
    for (let row = 1; row <= rowCount; row += rowsAtOnce) {
      const last = Math.min(rowCount, row + rowsAtOnce - 1);
      const ops = [fill('A', { row, last }, row)];
      for (const [index, formula] of formulas.entries()) {
        // As it reads in the first cell of its range.
        const input = formula.replaceAll(/(?<=[A-F])1/g, String(row));
        ops.push(fill(formulaColumns[index] ?? 'B', { row, last }, input));
      }
      const body = JSON.stringify({ writer: 'bench', ops });
      const headers = { 'content-type': 'application/json', ...authorization(service) };
      const url = `${service.url}${path}/branches/main/ops`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
    }
    return new Reader(service, path, (performance.now() - started) / 1000);
  }

  async get(query: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.#service.url}${this.#path}/${query}`, {
      headers: { ...headers, ...authorization(this.#service) },
    });
  }

  /** Since it was asked last, in milliseconds; a tick of 10 ms is in it. */
  async loopDelay(): Promise<number> {
    const text = await (await fetch(`${this.#service.url}/metrics`)).text();
    const line = /^quire_nodejs_eventloop_lag_p99_seconds (?<seconds>\S+)/m.exec(text);
    return Number(line?.groups?.['seconds']) * 1000;
  }
}

function fill(column: string, { row, last }: { row: number; last: number }, input: unknown) {
  const range = `Sheet1!${column}${row}:${column}${last}`;
  return { kind: 'range.fill', payload: { range, input } };
}

function authorization({ credential }: RunningService): Record<string, string> {
  return { authorization: `Bearer ${credential}` };
}

async function measureComputing(reader: Reader): Promise<Figure[]> {
  await reader.loopDelay();
  const started = performance.now();
  const first = await reader.get('values?limit=1');
  const refused = performance.now() - started;
  if (first.status !== 202) throw new Error(`the first read answered ${first.status}`);
  await first.arrayBuffer();
  for (let status = 202; status === 202;) {
    const answer = await reader.get('values?limit=1', { prefer: 'wait=10' });
    ({ status } = answer);
    await answer.arrayBuffer();
  }
  const seconds = (performance.now() - started) / 1000;
  return [
    figure('written by fills', 'all', 's', [reader.fillSeconds]),
    figure('first read', 'to 202', 'ms', [refused]),
    figure('first read', 'to 200', 's', [seconds]),
    loopFigure('while computing', await reader.loopDelay()),
  ];
}

async function measureReading(reader: Reader): Promise<Figure[]> {
  const page = await reader.get('values?limit=1');
  const { total } = (await page.json()) as { total: number };
  const ways: [name: string, read: () => Promise<number>][] = [
    ['JSON pages of 100,000', () => readPages(reader, total)],
    ['NDJSON, whole', () => readWhole(reader, 'application/x-ndjson')],
    ['msgpack by columns, whole', () => readWhole(reader, columnsType)],
  ];
  const figures: Figure[] = [figure('cells', 'all', '', [total])];
  for (const [name, read] of ways) {
    await reader.loopDelay();
    const rates: number[] = [];
    let byteCount = 0;
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      byteCount = await read();
      rates.push(total / (performance.now() - started) / 1000);
    }
    figures.push(figure(name, 'read', 'M cells/s', rates));
    figures.push(figure(name, 'size', 'MB', [byteCount / 1e6]));
    figures.push(loopFigure(name, await reader.loopDelay()));
  }
  return figures;
}

async function readPages(reader: Reader, total: number): Promise<number> {
  let byteCount = 0;
  for (let offset = 0; offset < total; offset += pageCells) {
    const answer = await reader.get(`values?offset=${offset}&limit=${pageCells}`);
    byteCount += (await answer.arrayBuffer()).byteLength;
  }
  return byteCount;
}

async function readWhole(reader: Reader, accept: string): Promise<number> {
  const answer = await reader.get('values?whole=true', { accept });
  if (answer.status !== 200) throw new Error(`a whole read answered ${answer.status}`);
  return (await answer.arrayBuffer()).byteLength;
}

function figure(subject: string, measure: string, unit: string, samples: number[]): Figure {
  const [only = Number.NaN] = samples;
  return { subject, measure, unit, quire: samples.length > 1 ? summarise(samples) : once(only) };
}

function loopFigure(subject: string, milliseconds: number): Figure {
  const quire = once(milliseconds);
  return { subject, measure: 'event loop p99, tick of 10 included', unit: 'ms', quire };
}
