import { readFile, writeFile } from 'node:fs/promises';

import { isOnPostgres, type TestFile } from './choose-files.ts';

/** Times of files when they were last run on this machine, kept beside what was built. */
const path = 'build/test-costs.json';

/** Seconds of a file, and those of them in which its process was calculating. */
export interface KnownTime {
  readonly seconds: number;
  readonly busySeconds: number;
}

export type KnownTimes = Readonly<Record<string, KnownTime>>;

/** Files that mostly wait run beside files that mostly calculate. */
export type FileKind = 'waits' | 'calculates';

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

/** Files that wait to be run: long ones first, so that none of them is left over for the end. */
export class WaitingFiles {
  readonly #times: KnownTimes;
  /** Sorted; each file leaves it once. */
  readonly #files: TestFile[];

  constructor(files: readonly TestFile[], times: KnownTimes) {
    this.#times = times;
    // Files that are not known come before all.
    const seconds = ({ path }: TestFile): number => times[path]?.seconds ?? Infinity;
    this.#files = files.toSorted((a, b) => {
      const [left, right] = [seconds(a), seconds(b)];
      return left === right ? 0 : right - left;
    });
  }

  /** Takes the longest file of a kind, or of the other where none of that kind is left. */
  take(kind: FileKind): TestFile | undefined {
    const at = this.#files.findIndex((file) => this.#kindOf(file) === kind);
    return this.#files.splice(Math.max(at, 0), 1)[0];
  }

  /** A file that was never run is taken to wait where it needs PostgreSQL. */
  #kindOf({ path }: TestFile): FileKind {
    const time = this.#times[path];
    const waits = time ? time.busySeconds < time.seconds / 2 : isOnPostgres(path);
    return waits ? 'waits' : 'calculates';
  }
}
