import { setTimeout as sleep } from 'node:timers/promises';

import type { MeasuredService } from '../history/measured-service.ts';

const readEveryMilliseconds = 2;

/** A client with a small workbook that reads a page of it all the time. */
export class Neighbour {
  readonly #service: MeasuredService;
  readonly #book: string;
  readonly #read: () => Promise<number>;
  #milliseconds: number[] = [];
  #isOver = true;
  #done: Promise<void> = Promise.resolve();

  private constructor(service: MeasuredService, book: string, read: () => Promise<number>) {
    this.#service = service;
    this.#book = book;
    this.#read = read;
  }

  static async open(service: MeasuredService, book: string): Promise<Neighbour> {
    return new Neighbour(service, book, await service.reader(`${book}/slice?range=A1:Z100`));
  }

  async prepare(): Promise<void> {
    const fills = [
      { kind: 'range.fill', payload: { sheet: 'Sheet1', range: 'A1:M100', input: 3 } },
      { kind: 'range.fill', payload: { sheet: 'Sheet1', range: 'N1:Z100', input: '=A1*2' } },
    ];
    await this.#service.post(`${this.#book}/branches/main/ops`, { ops: fills, writer: 'bench' });
    for (let at = 0; at < 200; at++) await this.#read();
  }

  begin(): void {
    this.#isOver = false;
    this.#milliseconds = [];
    this.#done = this.#run();
  }

  /** How long each read took, in milliseconds. */
  async end(): Promise<readonly number[]> {
    this.#isOver = true;
    await this.#done;
    return this.#milliseconds;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      this.#milliseconds.push(await this.#read());
      await sleep(readEveryMilliseconds);
    }
  }
}
