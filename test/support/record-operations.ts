import * as fc from 'fast-check';

import type { Admitted } from '../../server/state/admission.ts';
import type { Rejection } from '../../server/model/rejection.ts';
import type { StateDriver } from './state-driver.ts';

// Operations on notes, rules, links and other records, for tests with random histories.

const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const cell = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const area = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(column, column).map(([a, b]) => `${a}:${b}`) },
  { weight: 1, arbitrary: fc.tuple(row, row).map(([a, b]) => `${a}:${b}`) },
);
const count = fc.integer({ min: 1, max: 4 });
/** Records of earlier operations, by how long ago: their ids follow from the position. */
const ago = fc.nat(12);

export interface RecordStep {
  readonly kind: string;
  readonly payload: object;
  readonly prefix?: string;
  readonly ago?: number;
}

function of<Value>(kind: string, payload: fc.Arbitrary<Value & object>, weight = 1) {
  return { weight, arbitrary: payload.map((value): RecordStep => ({ kind, payload: value })) };
}

function ofKnown(kind: string, prefix: string, payload: fc.Arbitrary<object> = fc.constant({})) {
  const arbitrary = fc
    .tuple(payload, ago)
    .map(([value, back]): RecordStep => ({ kind, payload: value, prefix, ago: back }));
  return { weight: 1, arbitrary };
}

const ranges = fc.array(area, { minLength: 1, maxLength: 3 });
const clearable = fc.constantFrom('notes', 'comments', 'validation', 'cf', 'hyperlinks', 'values');

/** On sheets of these names; formulas name the first two. */
export function recordSteps(names: readonly [string, string, string]): fc.Arbitrary<RecordStep> {
  const sheet = fc.constantFrom(...names);
  const formula = fc.constantFrom(
    '=A1>1',
    `=$B2+${names[1]}!C3`,
    `=SUM($A$1:A1)=${names[0]}!B$4`,
    '=SUM(B:B)>2',
    '=SUM(A2:B6)>0',
    '=A1>tax+Two!vat',
    `=SUM(${names[0]}!$A$2:$A$7)>0`,
  );
  const rule = formula.map((formula1) => ({ type: 'expression', formula1 }));
  const custom = formula.map((formula1) => ({ type: 'custom', formula1 }));
  return fc.oneof(
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
      fc.record({ sheet, a1: cell, location: fc.constantFrom(`${names[0]}!B2:C3`, 'tax') }),
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
  );
}

/** Edits of the rows, columns and sheets that records lie on. */
export function lineSteps(names: readonly [string, string, string]): fc.Arbitrary<RecordStep> {
  const sheet = fc.constantFrom(...names);
  return fc.oneof(
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
}

/**
 * Submits a step of a client that is `behind` operations late; records are named by their age in
 * steps.
 */
export function submitStep(
  driver: StateDriver,
  { kind, payload, prefix, ago: back }: RecordStep,
  { behind, since }: { behind: number; since: number },
): Admitted | Rejection {
  const { head } = driver.state;
  const id = `${prefix ?? ''}1.${Math.max(1, head - (back ?? 0))}.0`;
  const named = prefix === 'th' ? { thread: id, ...payload } : { id, ...payload };
  const baseSeq = Math.max(since, head - behind);
  return driver.submit(kind, prefix === undefined ? payload : named, { baseSeq });
}
