import { once, say, summarise, type Figure } from '../report.ts';
import type { Built } from './building.ts';
import { percentile } from './forks.ts';
import { Dice } from './journal-mix.ts';
import type { MeasuredService } from './measured-service.ts';

const warmMilliseconds = 50;
const coldMilliseconds = 500;
const warmCount = 100;
const forgottenCount = 12;
const restartCount = 4;
const rowsRead = 100;
/** Evenly over the history, before it counts as warm. */
const warmUpReads = 25;

interface Taken {
  readonly milliseconds: number;
  /** Processor time of the service, in ticks of 10 ms. */
  readonly cpu: number;
}

interface Lens {
  readonly name: string;
  readonly columns: readonly [string, string];
  readonly lens: string;
}

const inputs: Lens = { name: 'inputs', columns: ['A', 'J'], lens: 'input' };
const lenses: readonly Lens[] = [
  inputs,
  { name: 'formulas', columns: ['I', 'J'], lens: 'formula' },
  { name: 'values of inputs', columns: ['A', 'H'], lens: 'value' },
  { name: 'values of formulas', columns: ['A', 'J'], lens: 'value' },
];

/** Measures slices of 100 rows at positions spread evenly over the history. */
export async function measureSlices(service: MeasuredService, built: Built): Promise<Figure[]> {
  const figures: Figure[] = [];
  const dice = new Dice(23);
  const read = async ({ columns: [from, to], lens }: Lens, seq?: number): Promise<Taken> => {
    const row = dice.next(built.rowCount - rowsRead) + 1;
    const at = seq ?? built.firstSeq + dice.next(built.head - built.firstSeq);
    const range = `${from}${row}:${to}${row + rowsRead - 1}`;
    const query = `ref=main@${at}&range=${range}&lens=${lens}`;
    const before = await service.cpuMilliseconds();
    const { milliseconds } = await service.get(`/v1/workbooks/${built.id}/slice?${query}`);
    return { milliseconds, cpu: (await service.cpuMilliseconds()) - before };
  };
  const repeat = async (count: number, work: () => Promise<Taken>): Promise<Taken[]> => {
    const times: Taken[] = [];
    for (let index = 0; index < count; index++) times.push(await work());
    return times;
  };
  const add = (lens: Lens, measure: string, times: readonly Taken[], due: number): void => {
    figures.push(...figuresOf(lens.name, measure, times, due));
    for (const { measure: what, unit, quire } of figures.slice(-4)) {
      say(`  ${lens.name}, ${what}: ${quire.median.toFixed(1)} ${unit}`);
    }
  };
  const cold = async (measure: string): Promise<void> => {
    for (const lens of lenses) {
      const restarted = await repeat(restartCount, async () => {
        await service.restart();
        return read(lens);
      });
      add(lens, `${measure}, process new`, restarted, coldMilliseconds);
      const forgotten = await repeat(forgottenCount, async () => {
        await service.forget(built.id);
        return read(lens);
      });
      add(lens, `${measure}, branch not in memory`, forgotten, coldMilliseconds);
    }
  };
  await cold('cold');
  const span = (built.head - built.firstSeq) / warmUpReads;
  for (let part = 1; part <= warmUpReads; part++) {
    await read(inputs, built.firstSeq + Math.floor(span * part) - 1);
  }
  for (const lens of lenses) {
    add(lens, 'warm', await repeat(warmCount, () => read(lens)), warmMilliseconds);
    const same = built.firstSeq + 50_000;
    await read(lens, same);
    add(lens, 'warm, one position', await repeat(50, () => read(lens, same)), warmMilliseconds);
  }
  await trim(service, built);
  await cold('all in object storage');
  return figures;
}

async function trim(service: MeasuredService, { id }: Built): Promise<void> {
  await service.post(`/v1/workbooks/${id}/branches/main/flush`, {});
  await service.restart();
  await service.sql(async (sql) => {
    await sql`delete from segment where workbook_id = ${id} and branch_no = 1`;
  });
}

function figuresOf(subject: string, measure: string, taken: readonly Taken[], due: number) {
  const times = taken.map(({ milliseconds }) => milliseconds);
  const cpu = taken.reduce((sum, one) => sum + one.cpu, 0) / taken.length;
  const over = times.filter((milliseconds) => milliseconds > due).length;
  const share = `${measure}, over the bar of ${times.length}`;
  return [
    { subject, measure, unit: 'ms', quire: summarise(times), due: `${due} ms` },
    { subject, measure: `${measure}, 99th of 100`, unit: 'ms', quire: percentile(times) },
    { subject, measure: share, unit: '', quire: once(over) },
    { subject, measure: `${measure}, mean of processor time`, unit: 'ms', quire: once(cpu) },
  ];
}
