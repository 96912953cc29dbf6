import { readFile, readdir } from 'node:fs/promises';

/** A built file of tests. */
export interface TestFile {
  readonly path: string;
  /** Its source says `Runs alone`, and why: it has a process of its own. */
  readonly isAlone: boolean;
  /** Its source says `Runs long`: a run of everything leaves it to `npm run test:long`. */
  readonly isLong: boolean;
}

export const isOnPostgres = (file: string): boolean => file.endsWith('.pg.test.js');

/** A path below `build/test`, from a name that leads there by the source, the build or in short. */
function pathOf(name: string): string {
  const path = name.replace(/^(\.\/)?(build\/)?(test(\/|$))?/, '').replace(/\/+$/, '');
  return path.replace(/\.ts$/, '.js');
}

/** A file, the beginning of its name up to a point or a star, or a folder; nothing means all. */
function isMeant(path: string, file: string): boolean {
  if (path === '' || file === path) return true;
  if (path.endsWith('*')) return file.startsWith(path.slice(0, -1));
  return file.startsWith(`${path}/`) || file.startsWith(`${path}.`);
}

/**
 * The built files of tests that somebody names, or all of them. They are found by their sources:
 * a build folder also holds what was built of files that are gone.
 */
export async function chooseFiles(names: readonly string[]): Promise<TestFile[]> {
  const found = await readdir('test', { recursive: true });
  const own = found.filter((path) => !path.includes('node_modules/'));
  const all = own.filter((path) => path.endsWith('.test.ts')).map(pathOf);
  const chosen = new Set<string>();
  for (const name of names.length === 0 ? [''] : names) {
    const meant = all.filter((file) => isMeant(pathOf(name), file));
    if (meant.length === 0) throw new Error(`there are no tests at ${name}`);
    for (const file of meant) chosen.add(file);
  }
  return Promise.all([...chosen].sort().map(readFacts));
}

async function readFacts(file: string): Promise<TestFile> {
  const source = await readFile(`test/${file.replace(/\.js$/, '.ts')}`, 'utf8');
  return {
    path: `build/test/${file}`,
    isAlone: /\bRuns alone\b/.test(source),
    isLong: /\bRuns long\b/.test(source),
  };
}
