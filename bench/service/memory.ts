import { once, say, summarise, type Figure } from '../report.ts';
import { measureOpenWorkbooks } from './open-workbooks.ts';
import { RunningService } from './running-service.ts';

/** Measures ten thousand workbooks in one process: their memory, and the time to open one again. */

const smallCount = 10_000;
const largeCount = 8;
const largeRows = 25_000;
const largeColumns = 20;
const reopenedCount = 300;
const connectionCount = 16;
const mebibyte = 2 ** 20;
/** Memory budgets; the rest is the program, its caches and the slack of the heap. */
const budget = { STATE_MEMORY_MIB: '128', MODEL_MEMORY_MIB: '256' };

/** Does the work for all items, some at a time. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = items.values();
  const run = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: connectionCount }, run));
}

async function createSmall(service: RunningService): Promise<string> {
  const rows = Array.from({ length: 20 }, (_, row) => [`item ${row}`, row * 1.5, `=B${row + 1}*2`]);
  const made = await service.ask('/v1/workbooks', { sheets: [{ name: 'Plan', rows }] });
  return (made as { id: string }).id;
}

async function createLarge(service: RunningService): Promise<string> {
  const made = await service.ask('/v1/workbooks', {});
  const { id } = made as { id: string };
  const rowsAtOnce = 1_000;
  for (let row = 0; row < largeRows; row += rowsAtOnce) {
    const inputs = Array.from({ length: rowsAtOnce }, (_, at) =>
      Array.from({ length: largeColumns }, (_cell, column) => (row + at) * 31 + column),
    );
    const range = `A${row + 1}:T${row + rowsAtOnce}`;
    const ops = [{ kind: 'range.set', payload: { sheet: 'Sheet1', range, inputs } }];
    await service.ask(`/v1/workbooks/${id}/branches/main/ops`, { ops, writer: 'bench' });
  }
  return id;
}

async function metricOf({ url }: RunningService, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function timeEach(ids: readonly string[], ask: (id: string) => Promise<unknown>) {
  const milliseconds: number[] = [];
  for (const id of ids) {
    const started = performance.now();
    await ask(id);
    milliseconds.push(performance.now() - started);
  }
  return summarise(milliseconds);
}

/** Measures memory; `only` is `open` for the fifty workbooks, or a number of small ones. */
export async function measureMemory(only: string | undefined): Promise<Figure[]> {
  if (only === 'open') return measureOpenWorkbooks();
  const figures = await measureMany(only === undefined ? smallCount : Number(only));
  if (only === undefined) figures.push(...(await measureOpenWorkbooks()));
  return figures;
}

async function measureMany(count: number): Promise<Figure[]> {
  const service = await RunningService.start(undefined, budget);
  try {
    return await measure(service, count);
  } finally {
    await service.stop();
  }
}

async function measure(service: RunningService, count: number): Promise<Figure[]> {
  await createSmall(service);
  const empty = await service.residentMebibytes();
  const ids: string[] = [];
  await each(Array.from({ length: count }), async () => void ids.push(await createSmall(service)));
  say(`${count} workbooks made`);
  const large: string[] = [];
  for (let made = 0; made < largeCount; made++) large.push(await createLarge(service));
  const state = (id: string) => service.ask(`/v1/workbooks/${id}/branches/main/state`);
  const slice = (id: string) => service.ask(`/v1/workbooks/${id}/slice?range=A1:C20`);
  await each([...ids, ...large], async (id) => void (await state(id)));
  const touched = await service.residentMebibytes();
  const states = await metricOf(service, 'quire_states');
  const weight = (await metricOf(service, 'quire_state_bytes')) / mebibyte;
  await each(ids, async (id) => void (await slice(id)));
  const calculated = await service.residentMebibytes();
  const cold = await timeEach(ids.slice(0, reopenedCount), state);
  const warm = await timeEach(ids.slice(0, reopenedCount), state);
  const coldValues = await timeEach(ids.slice(-1 - reopenedCount, -1), slice);
  const coldLarge = await timeEach(large, state);
  const kept = states > 0 ? (weight * 1024) / states : Number.NaN;
  const subject = `${count} and ${largeCount} large`;
  return [
    { subject, measure: 'resident with one workbook', unit: 'MiB', quire: once(empty.now) },
    { subject, measure: 'resident after all states', unit: 'MiB', quire: once(touched.now) },
    { subject, measure: 'resident after all values', unit: 'MiB', quire: once(calculated.now) },
    {
      subject,
      measure: 'most that was ever resident',
      unit: 'MiB',
      quire: once((await service.residentMebibytes()).most),
      due: '1536 MiB',
    },
    { subject, measure: 'states kept', unit: '', quire: once(states) },
    { subject, measure: 'weight of all states kept', unit: 'MiB', quire: once(weight) },
    { subject, measure: 'weight of a state kept', unit: 'KiB', quire: once(kept) },
    { subject: 'small', measure: 'state, cold', unit: 'ms', quire: cold },
    { subject: 'small', measure: 'state, warm', unit: 'ms', quire: warm },
    { subject: 'small', measure: 'slice of values, cold', unit: 'ms', quire: coldValues },
    { subject: '500k cells', measure: 'state, cold', unit: 'ms', quire: coldLarge },
  ];
}
