import { setTimeout as sleep } from 'node:timers/promises';

import type { Figure } from '../report.ts';
import { figure } from '../values/run.ts';
import { BenchConnection, rawRead, rawRequest } from './connection.ts';
import type { RunningService } from './running-service.ts';

const otherMillisecondsMost = 50;
/** Between two slices of the other tenant. */
const otherPauseMilliseconds = 5;

/** Returns the p99 of the slices' times. */
export function othersFigure(subject: string, milliseconds: readonly number[]): Figure {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN;
  return {
    ...figure(subject, "another tenant's slice, p99", 'ms', [p99]),
    due: `<= ${otherMillisecondsMost}`,
    isMet: p99 <= otherMillisecondsMost,
  };
}

/** A client that reads a slice repeatedly, and records the times. */
export class OtherTenant {
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
