import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Check {
  readonly id: string;
  readonly status: string;
}

/** The checks of a run that failed, by `scenario:check`. */
export interface Outcome {
  readonly scenarioCount: number;
  readonly failures: ReadonlySet<string>;
}

/** Reads every scenario of a run, also those that the suite runs and does not count. */
export async function readOutcome(folder: string): Promise<Outcome> {
  const names = await readdir(folder);
  const failures = new Set<string>();
  for (const name of names) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
    for (const { id, status } of JSON.parse(text) as readonly Check[]) {
      if (status === 'FAILURE') failures.add(`${scenario}:${id}`);
    }
  }
  return { scenarioCount: names.length, failures };
}

/** Returns the checks that a file of expected failures names, each as `- scenario:check`. */
export function expectedFailures(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/^ +- (\S+)$/gm), ([, name = '']) => name));
}

/** Returns what was not expected: failures that no file names, and names that no longer fail. */
export function surprises(
  failures: ReadonlySet<string>,
  expected: ReadonlySet<string>,
): readonly string[] {
  const unexpected = [...failures].filter((name) => !expected.has(name));
  const stale = [...expected].filter((name) => !failures.has(name));
  return [
    ...unexpected.map((name) => `fails: ${name}`),
    ...stale.map((name) => `fails no more: ${name}`),
  ];
}
