import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { Client } from './client.ts';
import { readCorpus, type CorpusCase } from './corpus.ts';
import { Exceptions } from './exceptions.ts';
import { runOverHttp } from './http-cases.ts';
import { editCase } from './incremental.ts';
import { isRefusal } from './outcome.ts';
import { lineOf, Report } from './report.ts';
import { runCase } from './run-case.ts';
import { runRealFiles } from './real-files.ts';

/**
 * Runs corpora of third-party expectations and prints what share of them holds, by corpus and by
 * function: `npm run conformance -- <folder> [--failing failing.txt] [--fn SUM] [--worst 20]`. A
 * real service is started and asked as a client asks it. With `--in-process` a kernel in this process
 * is asked instead, which takes seconds; with `--compare` both are, and what they differ in is
 * printed. With `--incremental [--edits 6]` inputs of each case are changed, and the answer is
 * whether that gives what building the changed workbook anew gives. A folder that has an
 * `expected.json` holds real files, which are imported and compared with their cached values.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    failing: { type: 'string' },
    fn: { type: 'string' },
    worst: { type: 'string', default: '20' },
    'in-process': { type: 'boolean', default: false },
    compare: { type: 'boolean', default: false },
    incremental: { type: 'boolean', default: false },
    edits: { type: 'string', default: '6' },
  },
});
const [folder] = positionals;
if (folder === undefined || !existsSync(folder)) {
  const found = folder === undefined ? 'No folder is named' : `There is no folder ${folder}`;
  process.stderr.write(`${found}: name the one that holds the *.jsonl.gz files.\n`);
  process.exit(2);
}

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const corpora = readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz'));
const failing: string[] = [];

function* casesOf(directory: string): Generator<[corpus: string, cases: CorpusCase[]]> {
  for (const file of corpora) {
    yield [basename(file, '.jsonl.gz'), [...readCorpus(join(directory, file))]];
  }
}

/** Runs what needs a service, and ends it afterwards whatever happens. */
async function withService(run: (client: Client) => Promise<void>): Promise<void> {
  const ends: (() => unknown)[] = [];
  try {
    await run(await Client.start({ teardown: (end) => ends.unshift(end) }));
  } finally {
    for (const end of ends) await end();
  }
}

function finish(report: Report): void {
  for (const line of report.lines(Number(values.worst))) say(line);
  failing.push(...report.failing);
  if (report.others.length > 0 || report.stale.length > 0) process.exitCode = 1;
}

async function compareExpectations(directory: string): Promise<void> {
  const report = new Report({ exceptions: Exceptions.read(), fn: values.fn });
  const add = (outcomes: Iterable<Parameters<Report['add']>[0]>) => {
    for (const outcome of outcomes) report.add(outcome);
  };
  if (existsSync(join(directory, 'expected.json'))) {
    await withService(async (client) => {
      for await (const outcome of runRealFiles(client, directory)) report.add(outcome);
    });
  } else if (values['in-process']) {
    for (const [, cases] of casesOf(directory)) add(cases.flatMap(runCase));
  } else {
    await withService(async (client) => {
      for (const [, cases] of casesOf(directory)) add(await runOverHttp(client, cases));
    });
  }
  finish(report);
}

/** Lists the cases in which the two ways find different values: one of them is at fault. */
async function compareWays(directory: string): Promise<void> {
  await withService(async (client) => {
    for (const [name, cases] of casesOf(directory)) {
      const outside = await runOverHttp(client, cases);
      const inside = cases.flatMap(runCase);
      const differing = outside.flatMap((outcome, index) => {
        const { found } = inside[index] ?? { found: null };
        const bothRefuse = isRefusal(found) && isRefusal(outcome.found);
        if (bothRefuse || JSON.stringify(found) === JSON.stringify(outcome.found)) return [];
        return [`${lineOf(outcome)}\t${JSON.stringify(found)} in process`];
      });
      say(`${name}: ${differing.length} of ${outside.length} differ`);
      for (const line of differing) say(`  ${line}`);
      if (differing.length > 0) process.exitCode = 1;
    }
  });
}

/** Edits of each case beside fresh builds. */
function compareEdits(directory: string): void {
  for (const [name, cases] of casesOf(directory)) {
    let total = 0;
    let passed = 0;
    let changed = 0;
    for (const corpusCase of cases) {
      const compared = editCase(corpusCase, Number(values.edits));
      const { editCount, differences, changedCount } = compared;
      changed += changedCount;
      const wrong = new Set(differences.map(({ edit }) => edit));
      total += editCount * 2;
      passed += editCount * 2 - wrong.size;
      for (const { edit, cell, stepwise, fresh } of differences) {
        const found = `${JSON.stringify(stepwise)} step by step, ${JSON.stringify(fresh)} anew`;
        failing.push(`${corpusCase.id}\t${edit}\t${cell}\t${found}`);
      }
    }
    const held = `${passed} of ${total} edits give what a fresh build gives`;
    say(`${name}: ${held}, ${changed} cells changed`);
  }
  for (const line of failing.slice(0, Number(values.worst))) say(line);
  if (failing.length > 0) process.exitCode = 1;
}

if (values.incremental) compareEdits(folder);
else if (values.compare) await compareWays(folder);
else await compareExpectations(folder);
if (values.failing !== undefined) writeFileSync(values.failing, `${failing.join('\n')}\n`);
