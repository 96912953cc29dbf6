import * as fc from 'fast-check';
import t from 'tap';

import { parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import type { RecordView } from '../../../server/state/record-view.ts';
import { overlap } from '../../../server/state/range-index.ts';
import { emptyBook, entriesOf, recordFaults, viewsOf } from '../../support/record-driver.ts';
import { drive, type StateDriver } from '../../support/state-driver.ts';

const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const cell = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const area = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(column, column).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(row, row).map(([a, b]) => `${a}:${b}`) },
);
const sheet = fc.constantFrom('Plan', 'Lists', 'Other');
const count = fc.integer({ min: 1, max: 4 });
const formula = fc.constantFrom('=A1>1', '=$B2+Lists!C3', '=SUM($A$1:A1)=Plan!B$4', '=SUM(B:B)>2');
/** Records of earlier operations, by how long ago: their ids follow from the position. */
const ago = fc.nat(12);

interface Step {
  readonly kind: string;
  readonly payload: object;
  readonly prefix?: string;
  readonly ago?: number;
}

function of<Value>(kind: string, payload: fc.Arbitrary<Value & object>, weight = 1) {
  return { weight, arbitrary: payload.map((value): Step => ({ kind, payload: value })) };
}

function ofKnown(kind: string, prefix: string, payload: fc.Arbitrary<object> = fc.constant({})) {
  const arbitrary = fc
    .tuple(payload, ago)
    .map(([value, back]): Step => ({ kind, payload: value, prefix, ago: back }));
  return { weight: 1, arbitrary };
}

const ranges = fc.array(area, { minLength: 1, maxLength: 3 });
const rule = formula.map((formula1) => ({ type: 'expression', formula1 }));
const custom = formula.map((formula1) => ({ type: 'custom', formula1 }));
const clearable = fc.constantFrom('notes', 'comments', 'validation', 'cf', 'hyperlinks', 'values');

const step: fc.Arbitrary<Step> = fc.oneof(
  of('cellmerge.add', fc.record({ sheet, range: area }), 3),
  of('cellmerge.remove', fc.record({ sheet, range: area })),
  of('note.set', fc.record({ sheet, a1: cell, text: fc.constantFrom('x', 'y') }), 2),
  of('note.delete', fc.record({ sheet, a1: cell })),
  of('comment.add', fc.record({ sheet, range: area, text: fc.constant('hi') }), 2),
  ofKnown('comment.reply', 'th', fc.constant({ text: 'ho' })),
  ofKnown('comment.delete', 'th'),
  of('validation.set', fc.record({ sheet, ranges, rule: custom }), 2),
  ofKnown('validation.set', 'dv', fc.record({ sheet, ranges, rule: custom })),
  ofKnown('validation.delete', 'dv'),
  of('cf.set', fc.record({ sheet, ranges, rule, priority: count }), 2),
  of('cf.set', fc.record({ sheet, ranges, rule }), 2),
  ofKnown('cf.set', 'cf', fc.record({ sheet, ranges, rule })),
  ofKnown('cf.move', 'cf', fc.record({ priority: count })),
  ofKnown('cf.delete', 'cf'),
  of(
    'hyperlink.set',
    fc.record({ sheet, range: area, url: fc.constantFrom('https://a/', null) }),
    2,
  ),
  of(
    'hyperlink.set',
    fc.record({ sheet, a1: cell, location: fc.constantFrom('Plan!B2:C3', 'tax') }),
  ),
  of(
    'filter.set',
    fc.tuple(sheet, row, row, column).map(([s, from, to, letters]) => {
      const criteria = [{ column: letters, values: ['x'] }];
      return { sheet: s, range: `A${from}:E${to}`, criteria };
    }),
  ),
  of('filter.clear', fc.record({ sheet })),
  of('chart.set', fc.record({ sheet, anchor: area, spec: fc.constant({ kind: 'bar' }) })),
  of('protect.set', fc.record({ sheet, ranges, who: fc.constant(['me']) })),
  of(
    'range.clear',
    fc.record({ sheet, range: area, what: fc.uniqueArray(clearable, { minLength: 1 }) }),
    2,
  ),
  of('rows.insert', fc.record({ sheet, before: row, count }), 4),
  of('rows.delete', fc.record({ sheet, from: row, count }), 4),
  of('rows.move', fc.record({ sheet, from: row, count, before: row }), 4),
  of('cols.insert', fc.record({ sheet, before: column }), 2),
  of('cols.delete', fc.record({ sheet, from: column }), 2),
  of('cols.move', fc.record({ sheet, from: column, before: column }), 2),
  of('sheet.add', fc.record({ name: sheet })),
  of('sheet.rename', fc.record({ sheet, name: sheet })),
  of('sheet.delete', fc.record({ sheet })),
);

function submit(driver: StateDriver, { kind, payload, prefix, ago: back }: Step, behind: number) {
  const { head } = driver.state;
  const id = `${prefix ?? ''}1.${Math.max(1, head - (back ?? 0))}.0`;
  const named = prefix === 'th' ? { thread: id, ...payload } : { id, ...payload };
  const baseSeq = Math.max(2, head - behind);
  return driver.submit(kind, prefix === undefined ? payload : named, { baseSeq });
}

function rangesOf(texts: readonly string[] | null): Range[] {
  return (texts ?? []).map((text) => {
    const range = parseRange(text);
    if (!range) throw new Error(`${text} is no range`);
    return range;
  });
}

/** What no edit may bring about. */
function brokenRules({ state }: StateDriver): string[] {
  const views = viewsOf(state);
  const faults = [...overlaps(views, 'cellmerge'), ...overlaps(views, 'note')];
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
      .some((other) => on === other.on && overlap(range, other.range));
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
        const result = submit(driver, next, behind);
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
    { numRuns: 200 },
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
