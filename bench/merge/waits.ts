import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { MeasuredService } from '../history/measured-service.ts';
import { say, summarise, type Figure } from '../report.ts';
import { Neighbour } from './neighbour.ts';

/**
 * Measures how long an agent waits for a merge over HTTP, with effects and rules, and how long
 * others wait meanwhile.
 */

const columnCount = 10;
const inputColumns = 8;
const totalCount = 20;
const rowsPerOperation = 10_000;
const cellsPerOperation = 5_000;
const warmRounds = 5;
const pageCells = 100;
/** Time for which the neighbour reads while nothing else happens. */
const quietMilliseconds = 3_000;
const editedColumns = 'ACDEFGH';
const scatterPrime = 611_953;

/** A rule that every merge has to check the cells it changes against. */
const inputRule = {
  sheet: 'Sheet1',
  ranges: ['A:A', 'C:H'],
  rule: { type: 'decimal', operator: 'between', formula1: -1e9, formula2: 1e9 },
};

interface Edited {
  readonly side: 0 | 1;
  readonly round: number;
  readonly count: number;
  /** Both sides write to the same cells. */
  readonly isContested?: boolean;
}

export async function measureWaits(cellCount: number, only: string | undefined): Promise<Figure[]> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'quire-bench-'));
  const service = new MeasuredService(folder);
  await service.start();
  try {
    const waits = new Waits(service, cellCount / columnCount);
    await waits.build();
    for (const [name, measure] of Object.entries(parts)) {
      if (only === undefined || only === name) await measure(waits);
    }
    return waits.figures;
  } finally {
    await service.stop();
    await service.remove();
  }
}

const parts: Readonly<Record<string, (waits: Waits) => Promise<void>>> = {
  edits: measureEdits,
  rows: measureRows,
  conflicts: measureConflicts,
  many: measureMany,
};

async function measureEdits(waits: Waits): Promise<void> {
  const count = 1_000;
  for (let round = 0; round <= warmRounds; round++) {
    const branch = `edits${round}`;
    await waits.fork(branch);
    await waits.edit('main', { side: 0, round, count });
    await waits.edit(branch, { side: 1, round, count });
    await waits.propose(branch, `${count} edits a side`, round);
  }
}

async function measureRows(waits: Waits): Promise<void> {
  const payload = { sheet: 'Sheet1', before: 2, count: 1_000 };
  for (let round = 0; round <= warmRounds; round++) {
    const branch = `rows${round}`;
    await waits.fork(branch);
    await waits.write(branch, [{ kind: 'rows.insert', payload }]);
    await waits.edit('main', { side: 0, round: 100 + round, count: 100 });
    await waits.edit(branch, { side: 1, round: 100 + round, count: 100 });
    await waits.propose(branch, '1,000 rows inserted on one', round);
  }
}

async function measureConflicts(waits: Waits): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const branch = `conflicts${round}`;
    await waits.fork(branch);
    const contested = { round: 200 + round, count: 1_000, isContested: true };
    await waits.edit('main', { side: 0, ...contested });
    await waits.edit(branch, { side: 1, ...contested });
    await waits.decide(branch, '1,000 conflicts', round);
  }
}

async function measureMany(waits: Waits): Promise<void> {
  const count = waits.rowCount;
  await waits.fork('many');
  await waits.edit('main', { side: 0, round: 300, count });
  await waits.edit('many', { side: 1, round: 300, count });
  for (let round = 0; round <= 2; round++) {
    await waits.propose('many', `${count} edits a side`, round);
    await waits.compare('many', `${count} edits a side`, round);
    await waits.edit('main', { side: 0, round: 301 + round, count: 10 });
  }
}

/** Times the requests of a client, and how long others wait meanwhile. */
class Waits {
  readonly figures: Figure[] = [];
  readonly rowCount: number;
  readonly #service: MeasuredService;
  readonly #samples = new Map<string, number[]>();
  #book = '';
  #neighbour: Neighbour | undefined;

  constructor(service: MeasuredService, rowCount: number) {
    this.#service = service;
    this.rowCount = rowCount;
  }

  async build(): Promise<void> {
    this.#book = await this.#newBook();
    for (let first = 0; first < this.rowCount; first += rowsPerOperation) {
      const rows = Math.min(rowsPerOperation, this.rowCount - first);
      const inputs = Array.from({ length: rows }, (_, row) => inputsOf(first + row));
      const payload = { sheet: 'Sheet1', range: `A${first + 1}`, inputs };
      await this.write('main', [{ kind: 'range.set', payload }]);
    }
    await this.write('main', formulasOf(this.rowCount));
    await this.write('main', [{ kind: 'validation.set', payload: inputRule }]);
    this.#neighbour = await Neighbour.open(this.#service, await this.#newBook());
    await this.#neighbour.prepare();
    this.#neighbour.begin();
    await sleep(quietMilliseconds);
    this.#note('a neighbour reads, quiet', await this.#neighbour.end());
  }

  async #newBook(): Promise<string> {
    const { json } = await this.#service.post('/v1/workbooks', {});
    return `/v1/workbooks/${(json as { id: string }).id}`;
  }

  async fork(name: string): Promise<void> {
    await this.#service.post(`${this.#book}/branches`, { name, from: 'main' });
  }

  async write(branch: string, ops: readonly object[]): Promise<void> {
    await this.#service.post(`${this.#book}/branches/${branch}/ops`, { ops, writer: 'bench' });
  }

  /** Half of the edits are formulas, as in the bench of states. */
  async edit(branch: string, edited: Edited): Promise<void> {
    const cells = [...editsOf(edited, this.rowCount)];
    for (let at = 0; at < cells.length; at += cellsPerOperation) {
      const payload = { sheet: 'Sheet1', cells: cells.slice(at, at + cellsPerOperation) };
      await this.write(branch, [{ kind: 'cells.set', payload }]);
    }
  }

  async propose(source: string, what: string, round: number): Promise<string> {
    const { id } = (await this.#take(`${what}: proposed`, round, () =>
      this.#service.post(`${this.#book}/merges`, { source }),
    )) as { id: string };
    return id;
  }

  async compare(source: string, what: string, round: number): Promise<void> {
    const query = `from=main&to=${source}&limit=100`;
    await this.#take(`${what}: diff`, round, () =>
      this.#service.get(`${this.#book}/diff?${query}`),
    );
  }

  async decide(source: string, what: string, round: number): Promise<void> {
    const id = await this.propose(source, what, round);
    const own = `${this.#book}/merges/${id}`;
    await this.#take(`${what}: a page`, round, () =>
      this.#service.get(`${own}/conflicts?limit=${pageCells}`),
    );
    const bulk = [{ where: {}, choice: 'theirs' }];
    await this.#take(`${what}: settled in bulk`, round, () =>
      this.#service.post(`${own}/resolve`, { bulk }),
    );
    await this.#take(`${what}: approved and applied`, round, () =>
      this.#service.post(`${own}/approve`, {}),
    );
  }

  async #take(
    what: string,
    round: number,
    step: () => Promise<{ milliseconds: number; json: unknown }>,
  ) {
    const measure = round === 0 ? `${what}, first` : what;
    this.#neighbour?.begin();
    await this.#service.holds();
    const before = await this.#service.cpuMilliseconds();
    const { milliseconds, json } = await step();
    const processor = (await this.#service.cpuMilliseconds()) - before;
    const held = await this.#service.holds();
    const reads = (await this.#neighbour?.end()) ?? [];
    this.#keep(measure, milliseconds);
    this.#keep(`${measure}: processor`, processor);
    this.#keep(`${measure}: serving thread's processor`, held.usedMilliseconds);
    this.#keep(`${measure}: serving thread held, of its processor`, held.longestMilliseconds);
    this.#note(`${measure}: a neighbour reads`, reads);
    say(
      `${measure}: ${milliseconds.toFixed(0)} ms, ${processor} of the processor, ` +
        `${held.usedMilliseconds.toFixed(0)} of the serving thread, ` +
        `${held.longestMilliseconds.toFixed(1)} at a stretch, ` +
        `reads p50 ${rank(reads, 0.5).toFixed(1)} p99 ${rank(reads, 0.99).toFixed(1)}`,
    );
    return json;
  }

  #keep(measure: string, value: number): void {
    const samples = this.#samples.get(measure) ?? [];
    this.#samples.set(measure, samples);
    samples.push(value);
    const figure = { subject: '', measure, unit: 'ms', quire: summarise(samples) };
    const known = this.figures.findIndex((one) => one.measure === measure);
    if (known < 0) this.figures.push(figure);
    else this.figures[known] = figure;
  }

  #note(measure: string, reads: readonly number[]): void {
    if (measure.endsWith('quiet')) {
      const [p50, p99] = [0.5, 0.99].map((part) => rank(reads, part).toFixed(2));
      say(`${measure}: p50 ${p50} ms, p99 ${p99} ms`);
    }
    for (const part of [0.5, 0.99]) {
      if (reads.length > 0) this.#keep(`${measure}, p${part * 100}`, rank(reads, part));
    }
  }
}

function rank(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function inputsOf(row: number): (number | string)[] {
  return Array.from({ length: inputColumns }, (_, column) =>
    column === 1 ? `item ${row}` : row * (column + 1) + column,
  );
}

/** Returns two columns of formulas, and totals of whole columns that many edits change. */
function formulasOf(rowCount: number): object[] {
  const fill = { sheet: 'Sheet1', range: `I1:J${rowCount}`, input: '=A1*2+C1' };
  const cells = Array.from({ length: totalCount }, (_, at) => {
    const letter = 'CDEFGHI'[at % 7] ?? 'C';
    const last = Math.floor((rowCount * (at + 1)) / totalCount);
    return { a1: `L${at + 1}`, input: `=SUM(${letter}1:${letter}${last})` };
  });
  return [
    { kind: 'range.fill', payload: fill },
    { kind: 'cells.set', payload: { sheet: 'Sheet1', cells } },
  ];
}

function* editsOf({ side, round, count, isContested = false }: Edited, rowCount: number) {
  for (let at = 0; at < count; at++) {
    const isFormula = at % 2 === 1;
    const columns = isFormula ? 'IJ' : editedColumns;
    const turn = (at >> 1) * 2 + (isContested ? 0 : side) + round * 2_000;
    const place = (turn * scatterPrime) % (rowCount * columns.length);
    const row = Math.floor(place / columns.length) + 1;
    const column = columns[place % columns.length] ?? 'A';
    const salt = turn + side * 7 + round * 31;
    yield { a1: `${column}${row}`, input: isFormula ? `=A${row}*${3 + salt}+C${row}` : -1 - salt };
  }
}
