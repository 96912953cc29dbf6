import { readFile } from 'node:fs/promises';

import { once, say, summarise, type Figure } from '../report.ts';
import { RunningService } from './running-service.ts';

/** Ten thousand workbooks in one process: what they take, and what it takes to open one again. */

const smallCount = 10_000;
const largeCount = 8;
const largeRows = 25_000;
const largeColumns = 20;
const reopenedCount = 300;
const connectionCount = 16;
const mebibyte = 2 ** 20;
/** The rest is the program, its caches and the slack of the heap. */
const budget = { STATE_MEMORY_MIB: '128', MODEL_MEMORY_MIB: '256' };

interface Client {
  readonly ask: (path: string, body?: object) => Promise<unknown>;
}

function clientOf({ url, credential }: RunningService): Client {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  return {
    ask: async (path, body) => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, { headers, ...sent });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} answered ${text}`);
      return JSON.parse(text) as unknown;
    },
  };
}

/** Does the work for all items, some at a time. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = items.values();
  const run = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: connectionCount }, run));
}

async function createSmall({ ask }: Client): Promise<string> {
  const rows = Array.from({ length: 20 }, (_, row) => [`item ${row}`, row * 1.5, `=B${row + 1}*2`]);
  const made = await ask('/v1/workbooks', { sheets: [{ name: 'Plan', rows }] });
  return (made as { id: string }).id;
}

async function createLarge({ ask }: Client): Promise<string> {
  const made = await ask('/v1/workbooks', {});
  const { id } = made as { id: string };
  const rowsAtOnce = 1_000;
  for (let row = 0; row < largeRows; row += rowsAtOnce) {
    const inputs = Array.from({ length: rowsAtOnce }, (_, at) =>
      Array.from({ length: largeColumns }, (_cell, column) => (row + at) * 31 + column),
    );
    const range = `A${row + 1}:T${row + rowsAtOnce}`;
    const ops = [{ kind: 'range.set', payload: { sheet: 'Sheet1', range, inputs } }];
    await ask(`/v1/workbooks/${id}/branches/main/ops`, { ops, writer: 'bench' });
  }
  return id;
}

/** Resident memory of the process, at its end and at its highest, in MiB. */
async function residentOf(service: RunningService): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${service.processId}/status`, 'utf8');
  const kibibytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: kibibytes('VmRSS') / 1024, most: kibibytes('VmHWM') / 1024 };
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

export async function measureMemory(only: string | undefined): Promise<Figure[]> {
  const count = only === undefined ? smallCount : Number(only);
  const service = await RunningService.start(undefined, budget);
  try {
    return await measure(service, count);
  } finally {
    await service.stop();
  }
}

async function measure(service: RunningService, count: number): Promise<Figure[]> {
  const client = clientOf(service);
  await createSmall(client);
  const empty = await residentOf(service);
  const ids: string[] = [];
  await each(Array.from({ length: count }), async () => void ids.push(await createSmall(client)));
  say(`${count} workbooks made`);
  const large: string[] = [];
  for (let made = 0; made < largeCount; made++) large.push(await createLarge(client));
  const state = (id: string) => client.ask(`/v1/workbooks/${id}/branches/main/state`);
  const slice = (id: string) => client.ask(`/v1/workbooks/${id}/slice?range=A1:C20`);
  await each([...ids, ...large], async (id) => void (await state(id)));
  const touched = await residentOf(service);
  const states = await metricOf(service, 'quire_states');
  const weight = (await metricOf(service, 'quire_state_bytes')) / mebibyte;
  await each(ids, async (id) => void (await slice(id)));
  const calculated = await residentOf(service);
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
      quire: once((await residentOf(service)).most),
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
