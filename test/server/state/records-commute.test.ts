import * as fc from 'fast-check';
import t, { type Test } from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { emptyBook, viewsOf } from '../../support/record-driver.ts';
import type { StateDriver } from '../../support/state-driver.ts';

/**
 * Outcome of two records' operations, written by two writers from the same position: the rows of
 * the table of commutation that are about records. `same`: in either order the same is left.
 * `conflict`: the second is refused in strict mode. `refused`: it is refused in any mode. `gone`:
 * what it was meant for is not there any more.
 */
type Outcome = 'same' | 'conflict' | 'refused' | 'gone';

interface Step {
  readonly kind: string;
  readonly payload: object;
}

const plan = { sheet: 'Plan' };
const rule = { type: 'expression', formula1: '=B2>$D$1' };
const list = { type: 'list', items: ['a'] };

const value: Step = { kind: 'cells.set', payload: { ...plan, cells: [{ a1: 'B2', input: 9 }] } };
const format: Step = { kind: 'numfmt.set', payload: { ...plan, range: 'B2', pattern: '0%' } };
const inserted: Step = { kind: 'rows.insert', payload: { ...plan, before: 2 } };
const moved: Step = { kind: 'rows.move', payload: { ...plan, from: 2, before: 9 } };
const deleted: Step = { kind: 'rows.delete', payload: { ...plan, from: 1 } };
const deletedOwn: Step = { kind: 'rows.delete', payload: { ...plan, from: 2, count: 2 } };
const columnDeleted: Step = { kind: 'cols.delete', payload: { ...plan, from: 'A' } };
const sheetDeleted: Step = { kind: 'sheet.delete', payload: plan };
const renamed: Step = { kind: 'sheet.rename', payload: { ...plan, name: 'Budget' } };
const setting: Step = { kind: 'settings.set', payload: { path: 'title', value: 'x' } };

const note: Step = { kind: 'note.set', payload: { ...plan, a1: 'B2', text: 'mine' } };
const otherNote: Step = { kind: 'note.set', payload: { ...plan, a1: 'B2', text: 'yours' } };
const reply: Step = { kind: 'comment.reply', payload: { thread: 'th', text: 'me too' } };
const merge: Step = { kind: 'cellmerge.add', payload: { ...plan, range: 'B2:C3' } };
const overlapping: Step = { kind: 'cellmerge.add', payload: { ...plan, range: 'C3:D4' } };
const validation: Step = {
  kind: 'validation.set',
  payload: { ...plan, id: 'dv', ranges: ['B2:B3'], rule: list, onInvalid: 'warn' },
};
const otherValidation: Step = {
  kind: 'validation.set',
  payload: { ...plan, id: 'dv', ranges: ['B2:B4'], rule: list },
};
const secondValidation: Step = {
  kind: 'validation.set',
  payload: { ...plan, id: 'dv2', ranges: ['B2:B3'], rule: { type: 'any' } },
};
const conditional: Step = {
  kind: 'cf.set',
  payload: { ...plan, id: 'cf', ranges: ['B2:B3'], rule },
};
const priority: Step = { kind: 'cf.move', payload: { id: 'cf1', priority: 2 } };
const link: Step = { kind: 'hyperlink.set', payload: { ...plan, a1: 'B2', location: 'Lists!C3' } };
const protection: Step = {
  kind: 'protect.set',
  payload: { ...plan, id: 'p', ranges: ['B2:B3'], who: [] },
};
const all = [note, reply, merge, validation, conditional, link, protection];

const table: readonly (readonly [readonly Step[], readonly Step[], Outcome])[] = [
  [all, [value, format, inserted, moved, deleted, columnDeleted, renamed, setting], 'same'],
  [[note], [reply, merge, validation, conditional, link, protection], 'same'],
  [[merge], [reply, validation, conditional, link, protection], 'same'],
  [[validation], [secondValidation, conditional, link, protection, reply], 'same'],
  [[conditional], [link, protection, reply], 'same'],
  [[note], [otherNote], 'conflict'],
  [[validation], [otherValidation], 'conflict'],
  [[conditional], [priority], 'same'],
  [[merge], [overlapping], 'refused'],
  [[note, merge, validation, conditional, link, protection], [deletedOwn, sheetDeleted], 'gone'],
  [[reply], [sheetDeleted], 'gone'],
  [[reply], [deletedOwn], 'same'],
];

function book(): StateDriver {
  const driver = emptyBook();
  driver.apply('range.set', {
    ...plan,
    range: 'A1:D9',
    inputs: Array.from({ length: 9 }, () => [1, 2, 3, 4]),
  });
  driver.apply('comment.add', { ...plan, a1: 'B2', text: 'why?', thread: 'th' });
  const first = { ...plan, ranges: ['A1'], rule: { type: 'uniqueValues' } };
  driver.apply('cf.set', { ...first, id: 'cf1' });
  driver.apply('cf.set', { ...first, id: 'cf2' });
  return driver;
}

/** Returns the state after both operations, each written against the same position. */
function both(first: Step, second: Step, strict = false): { driver: StateDriver; code: string } {
  const driver = book();
  const baseSeq = driver.state.head;
  driver.apply(first.kind, first.payload);
  const result = driver.submit(second.kind, second.payload, { baseSeq, strict });
  return { driver, code: result instanceof Rejection ? result.code : 'none' };
}

function leftBy({ driver }: { driver: StateDriver }): string {
  return JSON.stringify(
    viewsOf(driver.state).map(({ value: { comments, ...rest }, ...view }) => {
      const texts = Array.isArray(comments) ? comments.map((c: { text?: string }) => c.text) : [];
      return { ...view, value: rest, texts };
    }),
  );
}

function check(t: Test, [one, other]: readonly [Step, Step], outcome: Outcome): void {
  const name = `${one.kind} and ${other.kind}`;
  const [there, back] = [both(one, other), both(other, one)];
  switch (outcome) {
    case 'same':
      t.same([there.code, back.code], ['none', 'none'], name);
      t.equal(leftBy(there), leftBy(back), name);
      t.equal(both(one, other, true).code, 'none', `${name}, strictly`);
      return;
    case 'conflict':
      t.equal(both(one, other, true).code, 'conflict', name);
      t.equal(both(other, one, true).code, 'conflict', name);
      t.same([there.code, back.code], ['none', 'none'], `${name}: the later one counts`);
      return;
    case 'refused':
      t.same([there.code, back.code], ['merge_overlap', 'merge_overlap'], name);
      return;
    case 'gone':
      t.match(back.code, /^(target_deleted|record_not_found)$/, name);
      t.equal(there.code, 'none', name);
  }
}

for (const [ones, others, outcome] of table) {
  t.test(`${ones.map(({ kind }) => kind).join(', ')}: ${outcome}`, (t) => {
    for (const one of ones) for (const other of others) check(t, [one, other], outcome);
    t.end();
  });
}

t.test('the same twice is done once', (t) => {
  for (const { kind, payload } of all) {
    if (kind === 'comment.reply') continue;
    const driver = book();
    const baseSeq = driver.state.head;
    driver.apply(kind, payload);
    const again = driver.submit(kind, payload, { baseSeq });
    t.match(again, { status: 'noop' }, kind);
  }
  t.end();
});

t.test('a conversation keeps what both sides add', (t) => {
  const driver = book();
  const baseSeq = driver.state.head;
  for (const text of ['one', 'two']) {
    driver.apply('comment.reply', { thread: 'th', text }, baseSeq);
  }
  const [thread] = viewsOf(driver.state).filter(({ type }) => type === 'thread');
  t.match(thread?.value, { comments: [{ text: 'why?' }, { text: 'one' }, { text: 'two' }] });
  t.end();
});

const row = fc.integer({ min: 1, max: 8 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const count = fc.integer({ min: 1, max: 4 });
const edit: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({ before: row, count })
    .map((at) => ({ kind: 'rows.insert', payload: { ...plan, ...at } })),
  fc
    .record({ from: row, count })
    .map((at) => ({ kind: 'rows.delete', payload: { ...plan, ...at } })),
  fc
    .record({ from: row, count, before: fc.integer({ min: 1, max: 14 }) })
    .map((at) => ({ kind: 'rows.move', payload: { ...plan, ...at } })),
  fc.record({ before: column }).map((at) => ({ kind: 'cols.insert', payload: { ...plan, ...at } })),
  fc.record({ from: column }).map((at) => ({ kind: 'cols.delete', payload: { ...plan, ...at } })),
  fc
    .record({ from: column, before: column })
    .map((at) => ({ kind: 'cols.move', payload: { ...plan, ...at } })),
);
const corner = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const area = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(corner, corner).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.constantFrom('A:A', 'B:D', '2:2', '3:6') },
);
const formula = fc.constantFrom('=B2>$D$1', '=A1=Lists!B2', '=SUM($A$2:B3)>C$4');
const record: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.array(area, { minLength: 1, maxLength: 2 }), formula).map(([ranges, formula1]) => ({
    kind: 'cf.set',
    payload: { ...plan, id: 'cf', ranges, rule: { type: 'expression', formula1 } },
  })),
  area.map((range) => ({ kind: 'cellmerge.add', payload: { ...plan, range } })),
  area.map((range) => ({
    kind: 'hyperlink.set',
    payload: { ...plan, range, location: 'Plan!B3:C4' },
  })),
);

t.test('a record and any edits of lines lead to the same in either order', async (t) => {
  const counts = { kept: 0, gone: 0 };
  fc.assert(
    fc.property(record, fc.array(edit, { minLength: 1, maxLength: 4 }), (made, edits) => {
      const [before, after] = [emptyBook(), emptyBook()];
      const baseSeq = after.state.head;
      const result = before.submit(made.kind, made.payload);
      if (result instanceof Rejection) return;
      for (const { kind, payload } of edits) {
        before.submit(kind, payload);
        after.submit(kind, payload);
      }
      const late = after.submit(made.kind, made.payload, { baseSeq });
      const left = leftBy({ driver: before });
      const isGone = late instanceof Rejection;
      if (isGone && !/^(target_deleted|bad_range)$/.test(late.code)) throw new Error(late.code);
      if (left !== leftBy({ driver: after })) {
        throw new Error(`${left} or ${isGone ? late.message : leftBy({ driver: after })}`);
      }
      counts[left === '[]' ? 'gone' : 'kept']++;
    }),
    { numRuns: 500 },
  );
  t.comment(JSON.stringify(counts));
  t.ok(counts.kept > 200 && counts.gone > 5);
});
