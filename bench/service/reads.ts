import { summarise, type Figure } from '../report.ts';
import { BenchConnection, rawRead, rawRequest } from './connection.ts';
import type { RunningService } from './running-service.ts';

/** Measures reads over HTTP from a workbook of 100,000 formulas: at rest, and after an edit. */

const rowCount = 20_000;
const readCount = 200;

const formulas = ['=A1*2', '=B1+A1', '=C1-B1', '=ROUND(D1/3,2)', '=E1+F$1'];
const fills = formulas.map((formula, index) => {
  const letter = 'BCDEG'[index] ?? 'B';
  const range = `Sheet1!${letter}1:${letter}${rowCount}`;
  return { kind: 'range.fill', payload: { range, input: formula } };
});
const inputs = { kind: 'range.fill', payload: { range: `Sheet1!A1:A${rowCount}`, input: 3 } };

const reads = [
  { name: 'slice of 1 cell', query: 'slice?range=E10' },
  { name: 'slice of 26 x 100', query: 'slice?range=A1:Z100' },
  { name: 'values, 1,000 of all', query: 'values?limit=1000' },
];

export async function measureReads(service: RunningService): Promise<Figure[]> {
  const id = await service.createWorkbook();
  const connection = await BenchConnection.open(service.url);
  const { host } = new URL(service.url);
  const { credential } = service;
  const at = `/v1/workbooks/${id}`;
  const write = async (ops: readonly object[]): Promise<void> => {
    const body = JSON.stringify({ writer: 'bench', ops });
    const request = rawRequest(`${at}/branches/main/ops`, { host, credential, body });
    requireStatus(await connection.send(request), 200);
  };
  const read = async (query: string): Promise<void> => {
    requireStatus(await connection.send(rawRead(`${at}/${query}`, { host, credential })), 200);
  };
  await write([inputs, ...fills]);
  const figures: Figure[] = [];
  for (const { name, query } of reads) {
    await read(query);
    const resting = await timeEach(() => read(query));
    figures.push({ subject: name, measure: 'at rest', unit: 'ms', quire: summarise(resting) });
    let count = 0;
    const edited = await timeEach(
      () => read(query),
      () => write([cellSet(++count)]),
    );
    figures.push({ subject: name, measure: 'after an edit', unit: 'ms', quire: summarise(edited) });
  }
  connection.close();
  return figures;
}

function cellSet(count: number): object {
  const cells = [{ a1: `A${(count % rowCount) + 1}`, input: count }];
  return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells } };
}

async function timeEach(
  work: () => Promise<void>,
  before?: () => Promise<void>,
): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let index = 0; index < readCount; index++) {
    await before?.();
    const started = performance.now();
    await work();
    milliseconds.push(performance.now() - started);
  }
  return milliseconds;
}

function requireStatus({ status, body }: { status: number; body: Buffer }, due: number): void {
  if (status !== due) throw new Error(`${status}: ${body.toString().slice(0, 500)}`);
}
