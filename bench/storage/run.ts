import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { Objects } from '../../server/storage/objects.ts';
import { once, summarise, type Figure } from '../report.ts';
import { stores } from './stores.ts';

export interface StorageOptions {
  readonly seconds: number;
  /** `file` or `s3`; both when left out. */
  readonly only: string | undefined;
}

const kibibyte = 1024;
const mebibyte = kibibyte * kibibyte;
const sizes = [
  { name: '4 KiB', byteCount: 4 * kibibyte },
  { name: '256 KiB', byteCount: 256 * kibibyte },
  { name: '4 MiB', byteCount: 4 * mebibyte },
] as const;

const callsAtOnce = 16;
/** Number of keys that puts use in turn, so that stores do not grow. */
const keyCount = 32;
const warmUpSeconds = 0.5;

type Work = (index: number) => Promise<unknown>;

/** Measures the time of a single object, and the throughput of several at once. */
export async function runStorageBench({ seconds, only }: StorageOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, open] of Object.entries(stores)) {
    if (only !== undefined && only !== name) continue;
    const store = await open();
    try {
      figures.push(...(await measureStore(store.objects, name, seconds)));
    } finally {
      await store.close();
    }
  }
  return figures;
}

async function measureStore(objects: Objects, name: string, seconds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes) {
    const bytes = randomBytes(size.byteCount);
    const key = (index: number): string => `${size.byteCount}/${index % keyCount}`;
    const put: Work = (index) => objects.put(key(index), bytes);
    const get: Work = (index) => objects.get(key(index));
    for (let index = 0; index < keyCount; index++) await put(index);
    for (const [measure, work] of Object.entries({ put, get })) {
      const at = { subject: `${name} ${size.name}`, measure, byteCount: size.byteCount };
      figures.push(...(await measureWork(work, at, seconds)));
    }
  }
  return figures;
}

interface Place {
  readonly subject: string;
  readonly measure: string;
  readonly byteCount: number;
}

async function measureWork(
  work: Work,
  { subject, measure, byteCount }: Place,
  seconds: number,
): Promise<Figure[]> {
  await runFor(work, warmUpSeconds, callsAtOnce);
  const alone = await runFor(work, seconds / 2, 1);
  const started = performance.now();
  const processorBefore = process.cpuUsage();
  const { length: count } = await runFor(work, seconds / 2, callsAtOnce);
  const { user, system } = process.cpuUsage(processorBefore);
  const rate = (count * 1000) / (performance.now() - started);
  const several = `${measure} x ${callsAtOnce}`;
  return [
    { subject, measure, unit: 'ms', quire: summarise(alone) },
    { subject, measure: several, unit: '/s', quire: once(rate) },
    { subject, measure: several, unit: 'MiB/s', quire: once((rate * byteCount) / mebibyte) },
    {
      subject,
      measure: 'processor of one',
      unit: 'ms',
      quire: once((user + system) / 1000 / count),
    },
  ];
}

/** Returns the milliseconds of each call. */
async function runFor(work: Work, seconds: number, lanes: number): Promise<number[]> {
  const milliseconds: number[] = [];
  const until = performance.now() + seconds * 1000;
  let index = 0;
  const runLane = async (): Promise<void> => {
    while (performance.now() < until) {
      const started = performance.now();
      await work(index++);
      milliseconds.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  return milliseconds;
}
