import * as fc from 'fast-check';
import t from 'tap';

import {
  overlaps as areMeeting,
  parseRange,
  rangeName,
  type Range,
} from '../../../server/model/range.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import type { RecordView } from '../../../server/state/records/record-view.ts';
import { caseCount } from '../../support/case-count.ts';
import { emptyBook, entriesOf, recordFaults, viewsOf } from '../../support/record-driver.ts';
import { lineSteps, recordSteps, submitStep } from '../../support/record-operations.ts';
import { drive, type StateDriver } from '../../support/state-driver.ts';

const names = ['Plan', 'Lists', 'Other'] as const;
const step = fc.oneof(
  { weight: 24, arbitrary: recordSteps(names) },
  { weight: 19, arbitrary: lineSteps(names) },
);

function rangesOf(texts: readonly string[] | null): Range[] {
  return (texts ?? []).map((text) => {
    const range = parseRange(text);
    if (!range) throw new Error(`${text} is no range`);
    return range;
  });
}

/**
 * Returns the rules that the state breaks, and that no edit may break; empty when there are none.
 */
function brokenRules({ state }: StateDriver): string[] {
  const views = viewsOf(state);
  const alone = ['cellmerge', 'note', 'hyperlink'] as const;
  const faults = alone.flatMap((type) => overlaps(views, type));
  for (const { id } of state.structure.sheets) {
    const priorities = views
      .filter(({ type, sheet: on }) => type === 'cf' && on === id)
      .map(({ value }) => Number(value['priority']))
      .sort((a, b) => a - b);
    if (priorities.some((priority, at) => priority !== at + 1)) faults.push(priorities.join());
  }
  for (const { type, ranges: there, value } of views) {
    if (there === null || there.length === 0) faults.push(`${type} lies nowhere`);
    if (JSON.stringify(value).includes('R[')) faults.push('a formula is not in A1');
  }
  return faults;
}

function overlaps(views: readonly RecordView[], type: RecordView['type']): string[] {
  const placed = views.flatMap(({ ranges: there, sheet: on, ...view }) =>
    view.type === type ? rangesOf(there).map((range) => ({ range, on })) : [],
  );
  return placed.flatMap(({ range, on }, at) => {
    const isMet = placed
      .slice(0, at)
      .some((other) => on === other.on && areMeeting(range, other.range));
    return isMet ? [`${type}s overlap at ${rangeName(range)}`] : [];
  });
}

const history = fc.array(fc.tuple(step, fc.nat(4)), { minLength: 5, maxLength: 50 });

t.test('records follow any history, and a replay or a snapshot of it is the same', async (t) => {
  const counts = { applied: 0, rebased: 0, noop: 0, rejected: 0 };
  fc.assert(
    fc.property(history, (steps) => {
      const driver = emptyBook();
      for (const [next, behind] of steps) {
        const before = entriesOf(driver.state);
        const result = submitStep(driver, next, { behind, since: 2 });
        if (result instanceof Rejection) counts.rejected++;
        else counts[result.status]++;
        const isLeft = result instanceof Rejection || result.status === 'noop';
        if (isLeft && entriesOf(driver.state) !== before) throw new Error('a refusal changed it');
        const broken = brokenRules(driver);
        if (broken.length > 0) throw new Error(broken.join());
      }
      const faults = recordFaults(driver);
      if (faults.length > 0) throw new Error(faults.join());
    }),
    { numRuns: caseCount(200) },
  );
  t.comment(JSON.stringify(counts));
  t.ok(counts.applied > 500 && counts.rebased > 50 && counts.noop > 50);
});

t.test('a fork goes its own way, with its records', async (t) => {
  const driver = emptyBook();
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'A1:B2' });
  driver.apply('cf.set', { sheet: 'Plan', ranges: ['A1:A9'], rule: { type: 'uniqueValues' } });
  const hash = drive(driver.state.stateHash());
  t.equal(
    driver.submit('cellmerge.add', { sheet: 'Plan', range: 'B2:C3' }) instanceof Rejection,
    true,
  );
  const fork = driver.state.fork();
  driver.apply('rows.delete', { sheet: 'Plan', from: 1 });
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'D1:E2' });
  t.equal(drive(fork.stateHash()), hash);
  t.same(fork.records.counts(), { cellmerge: 1, cf: 1 });
  t.same(driver.state.records.counts(), { cellmerge: 2, cf: 1 });
});
