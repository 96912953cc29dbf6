import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { readCorpus } from './corpus.ts';
import { Disputes } from './disputed.ts';
import { editCase } from './incremental.ts';
import { runCase, type Outcome } from './run-case.ts';

/**
 * Runs corpora of third-party expectations through the kernel and prints what share of them holds,
 * by corpus and by function: `npm run conformance -- <folder> [--failing failing.txt] [--fn SUM]`.
 * With `--incremental [--edits 6]` it changes inputs of each case instead and says whether that
 * gives what building the changed workbook anew gives.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    failing: { type: 'string' },
    fn: { type: 'string' },
    worst: { type: 'string' },
    incremental: { type: 'boolean', default: false },
    edits: { type: 'string', default: '6' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('name the folder that holds the *.jsonl.gz files');

interface Count {
  passed: number;
  total: number;
}

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const share = ({ passed, total }: Count): string => `${((100 * passed) / total).toFixed(2)} %`;

const byFunction = new Map<string, Count>();
const failing: string[] = [];
const disputes = new Disputes();
const undisputed: string[] = [];

function count(outcome: Outcome, total: Count, id: string): void {
  const { expectation, found, formula, passes } = outcome;
  const { fn, sheet, cell, value } = expectation;
  if (values.fn !== undefined && fn !== values.fn) return;
  const own = byFunction.get(fn) ?? { passed: 0, total: 0 };
  byFunction.set(fn, own);
  for (const counter of [own, total]) {
    counter.total++;
    if (passes) counter.passed++;
  }
  if (passes) return;
  const wanted = JSON.stringify(value);
  const reason = disputes.reasonFor(id, fn);
  const what = `${fn}\t${id}\t${sheet}!${cell}\t${formula}\t${wanted}\t${JSON.stringify(found)}`;
  failing.push(`${what}\t${reason ?? ''}`);
  if (reason === undefined) undisputed.push(what);
}

const corpora = readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz'));

/** What each corpus expects. */
function compareExpectations(directory: string): void {
  const all: Count = { passed: 0, total: 0 };
  for (const file of corpora) {
    const corpus: Count = { passed: 0, total: 0 };
    for (const corpusCase of readCorpus(join(directory, file))) {
      for (const outcome of runCase(corpusCase)) count(outcome, corpus, corpusCase.id);
    }
    if (corpus.total === 0) continue;
    say(`${basename(file, '.jsonl.gz')}: ${corpus.passed} of ${corpus.total}, ${share(corpus)}`);
    all.passed += corpus.passed;
    all.total += corpus.total;
  }
  say(`all: ${all.passed} of ${all.total}, ${share(all)}`);
}

function reportFunctions(): void {
  const functions = [...byFunction].toSorted(
    ([, a], [, b]) => b.total - b.passed - (a.total - a.passed),
  );
  const shares = functions.map(([, own]) => own.passed / own.total);
  const mean = (100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length;
  const whole = shares.filter((one) => one === 1).length;
  say(`functions: mean ${mean.toFixed(2)} %, ${whole} of ${functions.length} wholly right`);
  for (const [name, own] of functions.slice(0, Number(values.worst ?? 20))) {
    if (own.passed < own.total) say(`${name}: ${own.total - own.passed} of ${own.total} fail`);
  }
  say(`disputed: ${failing.length - undisputed.length} of ${failing.length} that fail; others:`);
  for (const line of undisputed) say(`  ${line}`);
}

/** Edits of each case beside fresh builds. */
function compareEdits(directory: string): void {
  for (const file of corpora) {
    const corpus: Count = { passed: 0, total: 0 };
    let changed = 0;
    for (const corpusCase of readCorpus(join(directory, file))) {
      const compared = editCase(corpusCase, Number(values.edits));
      const { editCount, differences, changedCount } = compared;
      changed += changedCount;
      const wrong = new Set(differences.map(({ edit }) => edit));
      corpus.total += editCount * 2;
      corpus.passed += editCount * 2 - wrong.size;
      for (const { edit, cell, stepwise, fresh } of differences) {
        const found = `${JSON.stringify(stepwise)} step by step, ${JSON.stringify(fresh)} anew`;
        failing.push(`${corpusCase.id}\t${edit}\t${cell}\t${found}`);
      }
    }
    const held = `${corpus.passed} of ${corpus.total} edits give what a fresh build gives, ${changed} cells changed`;
    say(`${basename(file, '.jsonl.gz')}: ${held}`);
  }
  for (const line of failing.slice(0, Number(values.worst ?? 20))) say(line);
  if (failing.length > 0) process.exitCode = 1;
}

if (values.incremental) compareEdits(folder);
else {
  compareExpectations(folder);
  reportFunctions();
}
if (values.failing !== undefined) writeFileSync(values.failing, `${failing.join('\n')}\n`);
