import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import {
  anyHistory,
  lineHistory,
  nameHistory,
  placeHistory,
  startedBook,
  startedHead,
  type AnyStep,
} from '../support/any-history.ts';
import { forkFaults, forkOf, lawFaults, storedFork } from '../support/law-checks.ts';
import { viewsOf } from '../support/record-driver.ts';
import { submitStep } from '../support/record-operations.ts';

/** Runs long: laws over random states. */

const formulas = new Formulas();
const counts = new Map<string, number>();

function check(steps: readonly AnyStep[]): void {
  const driver = startedBook(formulas);
  const half = steps.length >> 1;
  let fork = forkOf(driver);
  steps.forEach(([step, behind], at) => {
    if (at === half) fork = forkOf(driver);
    const result = submitStep(driver, step, { behind, since: startedHead });
    if (result instanceof Rejection || result.status === 'noop') return;
    counts.set(result.kind, (counts.get(result.kind) ?? 0) + 1);
  });
  const stored = storedFork(fork);
  const faults = [...lawFaults(driver), ...forkFaults(fork, driver), ...forkFaults(stored, driver)];
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

const families = [
  { name: 'ranges and lines', steps: lineHistory },
  { name: 'what lies on cells that move', steps: placeHistory },
  { name: 'names', steps: nameHistory },
  { name: 'any kinds', steps: anyHistory },
];
for (const { name, steps } of families) {
  t.test(`state and kernel agree after histories of ${name}`, async (t) => {
    counts.clear();
    t.doesNotThrow(() => fc.assert(fc.property(steps, check), { numRuns: caseCount(30) }));
    t.comment(JSON.stringify(Object.fromEntries(counts)));
    t.ok(counts.size > 9, 'few kinds took part');
  });
}

t.test('an area that lines pushed off the grid comes back with them', async (t) => {
  const validation = {
    sheet: 'One',
    ranges: ['E1:XFD1', 'A3:A1048576'],
    rule: { type: 'custom', formula1: '=A1>1' },
  };
  const steps = [
    { kind: 'validation.set', payload: validation },
    { kind: 'cols.insert', payload: { sheet: 'One', before: 'A', count: 1 } },
    { kind: 'rows.insert', payload: { sheet: 'One', before: 1, count: 2 } },
    { kind: 'cols.delete', payload: { sheet: 'One', from: 'A', count: 1 } },
    { kind: 'rows.delete', payload: { sheet: 'One', from: 1, count: 2 } },
  ];
  const driver = startedBook(formulas);
  for (const step of steps) submitStep(driver, step, { behind: 0, since: startedHead });
  t.strictSame(lawFaults(driver), []);
  const rule = viewsOf(driver.state).find(({ type }) => type === 'validation');
  t.strictSame(rule?.ranges, validation.ranges);
});
