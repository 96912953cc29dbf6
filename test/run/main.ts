import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bundlesSetting } from '../support/programs.ts';
import { SharedPostgres, sharedPostgresSetting } from '../support/shared-postgres.ts';
import { makeBundles, removeBundles } from './bundles.ts';
import { chooseFiles, isOnPostgres, type TestFile } from './choose-files.ts';
import { keepTimes, readTimes, WaitingFiles, type FileKind } from './known-times.ts';
import { TestProcess } from './test-process.ts';
import type { Outcome, ProcessSettings } from './test-process.ts';

/**
 * `npm test`: runs files of tests in two processes for each core, with one PostgreSQL for all:
 * half of the time of a service goes by in waiting, for a disk, a deadline or a lost neighbour.
 *
 *   npm test                      every file but the long ones
 *   npm run test:long             the long ones
 *   npm test -- server/http       the files of a folder, or one file
 *   npm test -- --quick           those that need no PostgreSQL
 *   npm test -- --jobs 4          so many at a time; usually two for each core
 *   npm test -- --timeout 0       seconds that a file may take, 0 for any time
 *   npm test -- --again 0         of the files that failed, so many are run again, each alone
 *
 * A file that passes only when nothing else runs counts as passed, and is named at the end: its
 * test waits for less than a busy machine takes, and is to be mended.
 */

const outputFolder = 'build/test-output';
const slowCount = 10;
/** Fewer files than these start too few programs for bundles to pay. */
const bundledFilesLeast = 10;
/** A process that has run so many files gives back its memory. */
const filesOfProcess = 40;

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(2 * Math.max(2, availableParallelism())) },
    timeout: { type: 'string', default: '300' },
    again: { type: 'string', default: '3' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Processes under way, to be ended with this one. */
const running = new Set<TestProcess>();
let postgres: SharedPostgres | undefined;
/** After a signal no more files are begun, and there is nothing to report. */
const ending = new AbortController();

function startProcess(settings: ProcessSettings): TestProcess {
  const started = new TestProcess(settings);
  running.add(started);
  return started;
}

/** Ends a process of tests, and names its files where something keeps it from ending. */
async function endProcess(ended: TestProcess, files: readonly string[]): Promise<void> {
  const complaint = await ended.end();
  running.delete(ended);
  if (complaint === undefined || ending.signal.aborted) return;
  say(`${complaint}: one of these has left something open: ${files.join(', ')}`);
}

async function runOne(file: string, by: TestProcess): Promise<Outcome> {
  const outcome = await by.run(file);
  if (ending.signal.aborted) return outcome;
  const name = file.replace(/^build\//, '').replace(/\.js$/, '.ts');
  const { failed, passed, seconds, busySeconds } = outcome;
  const said = failed === 0 ? 'ok    ' : 'FAILED';
  const times = `${seconds.toFixed(1).padStart(6)} s ${busySeconds.toFixed(1).padStart(6)} s`;
  say(`${said} ${times} ${String(passed).padStart(6)}  ${name}`);
  if (failed > 0) {
    const kept = join(outputFolder, `${basename(file, '.js')}.tap`);
    await mkdir(dirname(kept), { recursive: true });
    await writeFile(kept, outcome.output);
    say(`${outcome.complaint}\n  all of it: ${kept}`);
  }
  return outcome;
}

/** Runs a file in a process of its own. */
async function runAlone(file: string, settings: ProcessSettings): Promise<Outcome> {
  const own = startProcess(settings);
  const outcome = await runOne(file, own);
  if (outcome.failed > 0) own.kill();
  await endProcess(own, [file]);
  return outcome;
}

/** Runs files one after another until none is waiting, in as few processes as are sound. */
async function runInTurn(
  waiting: WaitingFiles,
  kind: FileKind,
  settings: ProcessSettings,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const ends: Promise<void>[] = [];
  let shared: TestProcess | undefined;
  let files: string[] = [];
  const take = (): TestFile | undefined => (ending.signal.aborted ? undefined : waiting.take(kind));
  for (let next = take(); next; next = take()) {
    if (next.isAlone) {
      outcomes.push(await runAlone(next.path, settings));
      continue;
    }
    shared ??= startProcess(settings);
    files.push(next.path);
    const outcome = await runOne(next.path, shared);
    outcomes.push(outcome);
    if (outcome.failed === 0 && files.length < filesOfProcess) continue;
    // Leftovers of a failed file could disturb others.
    if (outcome.failed > 0) shared.kill();
    ends.push(endProcess(shared, files));
    shared = undefined;
    files = [];
  }
  if (shared) ends.push(endProcess(shared, files));
  await Promise.all(ends);
  return outcomes;
}

async function runAll(waiting: WaitingFiles, settings: ProcessSettings): Promise<Outcome[]> {
  const turns = Array.from({ length: Number(options.jobs) }, (_, turn) =>
    runInTurn(waiting, turn % 2 === 0 ? 'waits' : 'calculates', settings),
  );
  return (await Promise.all(turns)).flat();
}

/** Runs the files that failed once more, each alone, unless more of them failed than is chance. */
async function runAgain(
  outcomes: readonly Outcome[],
  settings: ProcessSettings,
): Promise<{ readonly outcomes: Outcome[]; readonly busyOnly: string[] }> {
  const kept = outcomes.filter(({ failed }) => failed === 0);
  const bad = outcomes.filter(({ failed }) => failed > 0);
  if (bad.length > Number(options.again) || outcomes.length === 1) {
    return { outcomes: [...outcomes], busyOnly: [] };
  }
  const busyOnly: string[] = [];
  for (const { file } of bad) {
    if (ending.signal.aborted) break;
    say(`again   ${file}`);
    const outcome = await runAlone(file, settings);
    kept.push(outcome);
    if (outcome.failed === 0) busyOnly.push(file);
  }
  return { outcomes: kept, busyOnly };
}

function endOn(signal: NodeJS.Signals, code: number): void {
  process.once(signal, () => {
    ending.abort();
    for (const one of running) one.kill();
    void Promise.resolve(postgres?.stop()).finally(() => process.exit(code));
  });
}

function report({ outcomes, busyOnly }: Awaited<ReturnType<typeof runAgain>>, began: number): void {
  const slow = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowCount);
  say(`\nThe longest of ${outcomes.length} files:`);
  for (const { file, seconds } of slow) say(`${seconds.toFixed(1).padStart(8)} s  ${file}`);
  const bad = outcomes.filter(({ failed }) => failed > 0);
  if (bad.length > 0) say(`\nFailed: ${bad.map(({ file }) => file).join(', ')}`);
  if (busyOnly.length > 0) say(`\nPassed only when run alone: ${busyOnly.join(', ')}`);
  say(`\n${((performance.now() - began) / 1000).toFixed(0)} s`);
  const sum = (key: 'passed' | 'failed'): number =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

process.chdir(fileURLToPath(new URL('../../../', import.meta.url)));
endOn('SIGINT', 130);
endOn('SIGTERM', 143);
endOn('SIGHUP', 129);
const began = performance.now();
await rm(outputFolder, { recursive: true, force: true });
const found = await chooseFiles(names);
const chosen = found.filter(({ path, isLong }) => {
  if (options.quick && isOnPostgres(path)) return false;
  // Named files are wanted, however long they take.
  return names.length > 0 || isLong === options.long;
});
const onPostgres = chosen.filter(({ path }) => isOnPostgres(path));
if (onPostgres.length > 0) postgres = await SharedPostgres.start(say);
try {
  const settings: ProcessSettings = {
    timeoutSeconds: Number(options.timeout),
    environment: {
      ...(postgres && { [sharedPostgresSetting]: JSON.stringify(postgres.address) }),
      ...(onPostgres.length >= bundledFilesLeast && { [bundlesSetting]: await makeBundles() }),
    },
  };
  const first = await runAll(new WaitingFiles(chosen, await readTimes()), settings);
  const final = await runAgain(first, settings);
  const { outcomes } = final;
  if (!ending.signal.aborted) {
    await keepTimes(
      Object.fromEntries(
        outcomes.map(({ file, seconds, busySeconds }) => [file, { seconds, busySeconds }]),
      ),
    );
    report(final, began);
  }
} finally {
  await postgres?.stop();
  await removeBundles();
}
