import { setTimeout as sleep } from 'node:timers/promises';

import type { Figure } from '../report.ts';
import { BenchConnection, rawRead, rawRequest } from '../service/connection.ts';
import { RunningService } from '../service/running-service.ts';
import { aboveCeiling, FilledWorkbook } from '../values/filled-workbook.ts';
import { figure, loopFigure, measureReading } from '../values/run.ts';

const otherMillisecondsMost = 50;
/** Between two slices of the other tenant. */
const otherPauseMilliseconds = 5;

/**
 * One workbook through a running service: imported, computed in full, everything dirtied by an
 * edit, computed again, read. All the while somebody else reads slices of a small workbook.
 */
export async function measureService(formulaCount: number): Promise<Figure[]> {
  const service = await RunningService.start(undefined, aboveCeiling(formulaCount));
  try {
    const written = await FilledWorkbook.create(service, formulaCount);
    const file = await written.exported();
    const other = await OtherTenant.create(service);
    const figures: Figure[] = [figure('the file', 'xlsx', 'MB', [file.length / 1e6])];
    let workbook = written;
    /** Does one thing, and tells how the other tenant fared meanwhile. */
    const during = async (subject: string, work: () => Promise<Figure[]>): Promise<void> => {
      other.begin();
      const found = await work();
      const slices = await other.end();
      figures.push(...found, othersFigure(subject, slices));
    };
    await during('import', async () => {
      await service.loopDelay();
      const started = performance.now();
      workbook = await written.imported(file);
      const seconds = (performance.now() - started) / 1_000;
      return [
        figure('import', 'answered', 's', [seconds]),
        loopFigure('import', await service.loopDelay()),
      ];
    });
    await during('first computation', () => computed(service, 'first computation', workbook));
    await during('edit', async () => {
      const started = performance.now();
      await workbook.dirtyAll(7);
      return [figure('edit', 'durable, all is dirty', 'ms', [performance.now() - started])];
    });
    await during('computation after it', () => computed(service, 'computation after it', workbook));
    await during('reading', () => measureReading(service, workbook));
    other.close();
    return figures;
  } finally {
    await service.stop();
  }
}

async function computed(
  service: RunningService,
  subject: string,
  workbook: FilledWorkbook,
): Promise<Figure[]> {
  await service.loopDelay();
  const { firstMilliseconds, seconds } = await workbook.untilComputed();
  const loop = loopFigure(subject, await service.loopDelay());
  const stats = (await (await workbook.get('eval-stats')).json()) as {
    lastRecalculation: { dirtyCells: number; phases: { evaluate: number } } | null;
  };
  const { dirtyCells = 0, phases } = stats.lastRecalculation ?? {};
  const perSecond = dirtyCells / (phases?.evaluate ?? Number.NaN) / 1_000;
  return [
    figure(subject, 'to 202', 'ms', [firstMilliseconds]),
    figure(subject, 'to 200', 's', [seconds]),
    figure(subject, 'formulas computed', '', [dirtyCells]),
    figure(subject, 'of it in the kernel', 'M formulas/s', [perSecond]),
    loop,
  ];
}

function othersFigure(subject: string, milliseconds: readonly number[]): Figure {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN;
  return {
    ...figure(subject, "another tenant's slice, p99", 'ms', [p99]),
    due: `<= ${otherMillisecondsMost}`,
    isMet: p99 <= otherMillisecondsMost,
  };
}

/** Reads a slice again and again, and notes how long each took. */
class OtherTenant {
  readonly #connection: BenchConnection;
  readonly #request: Buffer;
  #milliseconds: number[] = [];
  #isReading = false;
  #reading: Promise<void> = Promise.resolve();

  private constructor(connection: BenchConnection, request: Buffer) {
    this.#connection = connection;
    this.#request = request;
  }

  static async create(service: RunningService): Promise<OtherTenant> {
    const credential = await service.registerOther();
    const path = `/v1/workbooks/${await service.createWorkbook(credential)}`;
    const { host } = new URL(service.url);
    const connection = await BenchConnection.open(service.url);
    const ops = [{ kind: 'range.fill', payload: { range: 'Sheet1!A1:J1000', input: '=ROW()*2' } }];
    const body = JSON.stringify({ writer: 'other', ops });
    const options = { host, credential };
    const { status } = await connection.send(
      rawRequest(`${path}/branches/main/ops`, { ...options, body }),
    );
    if (status !== 200) throw new Error(`a write of the other tenant answered ${status}`);
    return new OtherTenant(connection, rawRead(`${path}/slice?range=A1:J20`, options));
  }

  begin(): void {
    this.#milliseconds = [];
    this.#isReading = true;
    this.#reading = this.#read();
  }

  async end(): Promise<readonly number[]> {
    this.#isReading = false;
    await this.#reading;
    return this.#milliseconds;
  }

  close(): void {
    this.#connection.close();
  }

  async #read(): Promise<void> {
    while (this.#isReading) {
      const started = performance.now();
      const { status } = await this.#connection.send(this.#request);
      if (status !== 200) throw new Error(`a slice of the other tenant answered ${status}`);
      this.#milliseconds.push(performance.now() - started);
      await sleep(otherPauseMilliseconds);
    }
  }
}
