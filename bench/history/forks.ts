import { summarise, type Figure } from '../report.ts';
import type { Built } from './building.ts';
import { Dice } from './journal-mix.ts';
import type { MeasuredService } from './measured-service.ts';

const due = '5 ms';
const forkCount = 200;
const inARow = 1_000;

export async function measureForks(service: MeasuredService, built: Built): Promise<Figure[]> {
  const at = `/v1/workbooks/${built.id}`;
  const maxBranches = 10_000;
  await service.post(`${at}/settings`, { policy: { branch: { maxBranches } } }, 'PUT');
  const dice = new Dice(11);
  const run = `${Date.now()}`;
  let made = 0;
  const fork = async (from: string): Promise<string> => {
    const name = `f${run}-${++made}`;
    last = await service.post(`${at}/branches`, { name, from });
    return name;
  };
  let last: { readonly milliseconds: number } = { milliseconds: 0 };
  const repeat = async (count: number, from: () => string): Promise<number[]> => {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      await fork(from());
      times.push(last.milliseconds);
    }
    return times;
  };
  const old = () => `main@${dice.next(built.head - built.firstSeq) + built.firstSeq}`;
  await repeat(20, () => 'main');
  const atHead = await repeat(forkCount, () => 'main');
  const atOld = await repeat(forkCount, old);
  let parent = 'main';
  const nested: number[] = [];
  for (let depth = 0; depth < 50; depth++) {
    parent = await fork(parent);
    nested.push(last.milliseconds);
  }
  const row = await repeat(inARow, () => 'main');
  const figure = (measure: string, times: readonly number[]): Figure[] => [
    { subject: 'a fork', measure, unit: 'ms', quire: summarise(times), due },
    { subject: 'a fork', measure: `${measure}, 99th of 100`, unit: 'ms', quire: percentile(times) },
  ];
  return [
    ...figure('at the head', atHead),
    ...figure('at an old position', atOld),
    ...figure('of a fork, 50 deep', nested),
    ...figure('1,000 in a row', row),
  ];
}

export function percentile(times: readonly number[], part = 0.99) {
  const sorted = times.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
  return { median: value, least: value, most: value, count: 1 };
}
