import t from 'tap';

import { Exceptions } from './exceptions.ts';
import type { Outcome } from './outcome.ts';
import { Report } from './report.ts';

const text = `# A head.

> Excel has it otherwise.
corpus/one
corpus/two A1 A3:A4

> On one sheet only.
corpus/two 'My sheet'!B2
`;

function listed(): Exceptions {
  const exceptions = new Exceptions();
  exceptions.add('disputed', text);
  return exceptions;
}

function outcome(id: string, cell: string, passes = false): Outcome {
  const expectation = { sheet: 'Plan', cell, value: 1, fn: 'SUM' };
  return { id, expectation, found: passes ? 1 : 2, formula: '=SUM(1)', passes };
}

t.test('a line means a case, or its cells, and nothing else', (t) => {
  const exceptions = listed();
  const reasonOf = (id: string, cell: string, sheet = 'Plan') =>
    exceptions.find(id, { sheet, cell })?.reason;
  t.equal(reasonOf('corpus/one', 'Z9'), 'Excel has it otherwise.');
  t.equal(reasonOf('corpus/two', 'A3'), 'Excel has it otherwise.');
  t.equal(reasonOf('corpus/two', 'A2'), undefined);
  t.equal(reasonOf('corpus/two', 'B2'), undefined);
  t.equal(reasonOf('corpus/two', 'B2', 'My sheet'), 'On one sheet only.');
  t.equal(reasonOf('corpus/onetwo', 'A1'), undefined);
  t.end();
});

t.test('a line that nothing needs is stale, cell by cell', (t) => {
  const report = new Report({ exceptions: listed() });
  report.add(outcome('corpus/one', 'A1'));
  report.add(outcome('corpus/two', 'A1'));
  report.add(outcome('corpus/two', 'A3', true));
  report.add(outcome('corpus/two', 'A4'));
  t.same(report.stale, ['corpus/two A3', 'corpus/two My sheet!B2']);
  t.match([...report.lines(0)].join('\n'), 'nothing fails any more: corpus/two A3');
  t.same(report.others, []);
  report.add(outcome('corpus/two', 'A9'));
  t.match(report.others, [/SUM\tcorpus\/two\tPlan!A9/]);
  t.end();
});

t.test('lines of corpora that were not run are not stale', (t) => {
  const report = new Report({ exceptions: listed() });
  report.add(outcome('another/one', 'A1', true));
  t.same(report.stale, []);
  const ofOne = new Report({ exceptions: listed(), fn: 'MAX' });
  ofOne.add(outcome('corpus/one', 'A1', true));
  t.same(ofOne.stale, [], 'nor where one function is counted');
  t.end();
});

t.test('what is disputed and what is a choice are counted apart', (t) => {
  const exceptions = listed();
  exceptions.add('choice', '> Better so.\ncorpus/three\n');
  const report = new Report({ exceptions });
  report.add(outcome('corpus/one', 'A1'));
  report.add(outcome('corpus/three', 'A1'));
  report.add(outcome('corpus/four', 'A1'));
  report.add(outcome('corpus/four', 'A2', true));
  const [line] = report.lines(0);
  t.match(line, '1 of 4, 25.00 %');
  t.match(line, '3 fail: 1 disputed, 1 by choice, 1 others');
  t.end();
});

t.test('lines without a reason, with a pattern, twice or without a cell are refused', (t) => {
  const add = (lines: string) => () => new Exceptions().add('disputed', lines);
  t.throws(add('corpus/one\n'), /without a reason/);
  t.throws(add('> Why.\ncorpus/*\n'), /names one case/);
  t.throws(add('> Why.\ncorpus/one A1 A1\n'), /twice/);
  t.throws(add('> Why.\ncorpus/one SUM\n'), /no cells/);
  t.end();
});

t.test('the lists of this project can be read', (t) => {
  t.ok(Exceptions.read());
  t.end();
});
