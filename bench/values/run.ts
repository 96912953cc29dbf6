import { once, summarise, type Figure } from '../report.ts';
import { RunningService } from '../service/running-service.ts';
import { aboveCeiling, FilledWorkbook } from './filled-workbook.ts';

const pageCells = 100_000;
const rounds = 5;
const columnsType = 'application/vnd.quire.columns+msgpack';

/**
 * Measures reading all values of a workbook above the evaluation ceiling over HTTP: computed, then
 * stored.
 */
export async function runValuesBench(formulaCount: number): Promise<Figure[]> {
  const service = await RunningService.start(undefined, aboveCeiling(formulaCount));
  try {
    const started = performance.now();
    const workbook = await FilledWorkbook.create(service, formulaCount);
    const fillSeconds = (performance.now() - started) / 1_000;
    await service.loopDelay();
    const { firstMilliseconds, seconds } = await workbook.untilComputed();
    return [
      figure('written by fills', 'all', 's', [fillSeconds]),
      figure('first read', 'to 202', 'ms', [firstMilliseconds]),
      figure('first read', 'to 200', 's', [seconds]),
      loopFigure('while computing', await service.loopDelay()),
      ...(await measureReading(service, workbook)),
    ];
  } finally {
    await service.stop();
  }
}

/** Measures reading the stored values in every format. */
export async function measureReading(
  service: RunningService,
  reader: FilledWorkbook,
): Promise<Figure[]> {
  const page = await reader.get('values?limit=1');
  const { total } = (await page.json()) as { total: number };
  const ways: [name: string, read: () => Promise<number>][] = [
    ['JSON pages of 100,000', () => readPages(reader, total)],
    ['NDJSON, whole', () => readWhole(reader, 'application/x-ndjson')],
    ['msgpack by columns, whole', () => readWhole(reader, columnsType)],
  ];
  const figures: Figure[] = [figure('cells', 'all', '', [total])];
  for (const [name, read] of ways) {
    await service.loopDelay();
    const rates: number[] = [];
    let byteCount = 0;
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      byteCount = await read();
      rates.push(total / (performance.now() - started) / 1000);
    }
    figures.push(figure(name, 'read', 'M cells/s', rates));
    figures.push(figure(name, 'size', 'MB', [byteCount / 1e6]));
    figures.push(loopFigure(name, await service.loopDelay()));
  }
  return figures;
}

async function readPages(reader: FilledWorkbook, total: number): Promise<number> {
  let byteCount = 0;
  for (let offset = 0; offset < total; offset += pageCells) {
    const answer = await reader.get(`values?offset=${offset}&limit=${pageCells}`);
    byteCount += (await answer.arrayBuffer()).byteLength;
  }
  return byteCount;
}

async function readWhole(reader: FilledWorkbook, accept: string): Promise<number> {
  const answer = await reader.get('values?whole=true', { accept });
  if (answer.status !== 200) throw new Error(`a whole read answered ${answer.status}`);
  return (await answer.arrayBuffer()).byteLength;
}

export function figure(subject: string, measure: string, unit: string, samples: number[]): Figure {
  const [only = Number.NaN] = samples;
  return { subject, measure, unit, quire: samples.length > 1 ? summarise(samples) : once(only) };
}

const loopMeasure = 'event loop p99, tick of 10 included';
const loopMillisecondsMost = 20;
const tickMilliseconds = 10;

/** Returns the figure for the delay of the serving thread, without the tick of its measurement. */
export function loopFigure(subject: string, milliseconds: number): Figure {
  return {
    ...figure(subject, loopMeasure, 'ms', [milliseconds]),
    due: `<= ${loopMillisecondsMost} + ${tickMilliseconds}`,
    isMet: milliseconds <= loopMillisecondsMost + tickMilliseconds,
  };
}
