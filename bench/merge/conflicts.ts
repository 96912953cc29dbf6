import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { MeasuredService, type Memory } from '../history/measured-service.ts';
import { once, say, summarise, type Figure, type Summary } from '../report.ts';

/**
 * Measures a merge of two branches that wrote to the same cells, over HTTP, until all conflicts are
 * settled.
 */

const columnCount = 10;
const rowsPerOperation = 5_000;
const pageCells = 200;
const pingMilliseconds = 5;
const mebibyte = 2 ** 20;

interface Page {
  readonly total: number;
  readonly open: number;
  readonly conflicts: readonly { readonly id: string }[];
}

export async function measureConflicts(count: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-bench-'));
  const service = new MeasuredService(folder);
  await service.start();
  try {
    return await measured(service, count);
  } finally {
    await service.stop();
    await service.remove();
  }
}

async function measured(service: MeasuredService, count: number): Promise<Figure[]> {
  const { json } = await service.post('/v1/workbooks', {});
  const book = `/v1/workbooks/${(json as { id: string }).id}`;
  await build(service, book, count);
  const memoryBefore = await service.memory();
  const steps = new Steps(service, `${count} conflicts`);
  const path = `${book}/merges`;
  const created = await steps.take('proposed', () => service.post(path, { source: 'f' }));
  const own = `${path}/${(created as { id: string }).id}`;
  const page = (query: string) => async () => service.get(`${own}/conflicts?${query}`);
  const first = (await steps.take('first page', page(`limit=${pageCells}`))) as Page;
  check(first, { total: count, open: count });
  await steps.take('last page', page(`offset=${count - pageCells}&limit=${pageCells}`));
  const formulas = await steps.take('page of a kind', page('kind=cell.formula&limit=1'));
  check(formulas as Page, { total: count / 2, open: count });
  const one = { resolutions: [{ id: first.conflicts[0]?.id, choice: 'theirs' }] };
  await steps.take('one settled', () => service.post(`${own}/resolve`, one));
  const bulk = {
    bulk: [
      { where: { kind: 'cell.formula' }, choice: 'theirs' },
      { where: { kind: 'cell.value' }, choice: 'base' },
    ],
  };
  await steps.take('all settled in bulk', () => service.post(`${own}/resolve`, bulk));
  const settled = await steps.take('page of the settled', page('status=open'));
  check(settled as Page, { total: 0, open: 0 });
  await steps.take('listed', () => service.get(path));
  const memory = await service.memory();
  const applied = await steps.take('approved and applied', () =>
    service.post(`${own}/approve`, {}),
  );
  const { state } = applied as { state: string };
  if (state !== 'merged') throw new Error(`the merge is ${state}`);
  const bytesOf = ({ heapUsed, external }: Memory) => heapUsed + external;
  const kept = (bytesOf(memory) - bytesOf(memoryBefore)) / mebibyte;
  const subject = `${count} conflicts`;
  return [...steps.figures, { subject, measure: 'kept in memory', unit: 'MiB', quire: once(kept) }];
}

function check({ total, open }: Page, expected: { total: number; open: number }): void {
  if (total === expected.total && open === expected.open) return;
  throw new Error(`${open} of ${total} are open, not ${expected.open} of ${expected.total}`);
}

/** Builds a workbook of which half of the cells are formulas. */
async function build(service: MeasuredService, book: string, count: number): Promise<void> {
  const write = async (branch: string, salt: number) => {
    const rowCount = count / columnCount;
    for (let first = 0; first < rowCount; first += rowsPerOperation) {
      const inputs = Array.from(
        { length: Math.min(rowsPerOperation, rowCount - first) },
        (_, row) => rowOf(first + row, salt),
      );
      const payload = { sheet: 'Sheet1', range: `A${first + 1}`, inputs };
      const body = { ops: [{ kind: 'range.set', payload }], writer: 'bench' };
      await service.post(`${book}/branches/${branch}/ops`, body);
    }
  };
  await write('main', 1);
  await service.post(`${book}/branches`, { name: 'f', from: 'main' });
  await write('main', 2);
  await write('f', 3);
}

function rowOf(row: number, salt: number): (number | string)[] {
  return Array.from({ length: columnCount }, (_, column) => {
    const isFormula = column % 2 === 1;
    return isFormula ? `=L${row + 1}*${salt}+${column}` : row * salt + column + salt;
  });
}

/** Times one step after the other, and how long others waited meanwhile. */
class Steps {
  readonly figures: Figure[] = [];
  readonly #service: MeasuredService;
  readonly #subject: string;

  constructor(service: MeasuredService, subject: string) {
    this.#service = service;
    this.#subject = subject;
  }

  async take(what: string, step: () => Promise<{ milliseconds: number; json: unknown }>) {
    const pings = new Pings(this.#service);
    const before = await this.#service.cpuMilliseconds();
    const { milliseconds, json } = await step();
    const processor = (await this.#service.cpuMilliseconds()) - before;
    const waits = await pings.stop();
    const line = { subject: this.#subject, unit: 'ms' };
    this.figures.push({ ...line, measure: what, quire: once(milliseconds) });
    this.figures.push({ ...line, measure: `${what}: processor`, quire: once(processor) });
    this.figures.push({ ...line, measure: `${what}: others wait`, quire: waits });
    say(`${what}: ${milliseconds.toFixed(0)} ms, ${processor} of the processor`);
    return json;
  }
}

/** A client that makes small requests all the time. */
class Pings {
  readonly #service: MeasuredService;
  readonly #waits: number[] = [];
  readonly #done: Promise<void>;
  #isOver = false;

  constructor(service: MeasuredService) {
    this.#service = service;
    this.#done = this.#run();
  }

  async stop(): Promise<Summary> {
    this.#isOver = true;
    await this.#done;
    return summarise(this.#waits);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const started = performance.now();
      const answer = await fetch(`${this.#service.url}/health`);
      await answer.arrayBuffer();
      this.#waits.push(performance.now() - started);
      await sleep(pingMilliseconds);
    }
  }
}
