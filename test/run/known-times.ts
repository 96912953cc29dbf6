import { readFile, writeFile } from 'node:fs/promises';

import type { TestFile } from './choose-files.ts';

/** Seconds that files took when they were last run on this machine, kept beside what was built. */
const path = 'build/test-times.json';

export type KnownTimes = Readonly<Record<string, number>>;

export async function readTimes(): Promise<KnownTimes> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as KnownTimes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

export async function keepTimes(times: KnownTimes): Promise<void> {
  await writeFile(path, JSON.stringify({ ...(await readTimes()), ...times }, null, 1));
}

/** Long files first, so that none of them is left over for the end; those not known before all. */
export function longestFirst(files: readonly TestFile[], times: KnownTimes): TestFile[] {
  const seconds = ({ path }: TestFile): number => times[path] ?? Infinity;
  return files.toSorted((a, b) => {
    const [left, right] = [seconds(a), seconds(b)];
    return left === right ? 0 : right - left;
  });
}
