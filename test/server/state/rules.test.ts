import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import {
  emptyBook,
  entriesOf,
  listed,
  places,
  recordFaults,
  viewsOf,
} from '../../support/record-driver.ts';
import type { StateDriver } from '../../support/state-driver.ts';

function codeOf(result: unknown): string {
  return result instanceof Rejection ? result.code : 'none';
}

const plan = { sheet: 'Plan' };

function formulaOf(driver: StateDriver, type = 'cf'): unknown {
  const [found] = listed(driver, type);
  const { rule } = (found?.[1] ?? {}) as { rule?: { formula1?: unknown; source?: unknown } };
  return rule?.formula1 ?? rule?.source;
}

t.test('formulas of rules are relative to the first cell and follow every edit', (t) => {
  const driver = emptyBook();
  const rule = { type: 'expression', formula1: '=AND(B2>$D$1,Lists!A2<>"")' };
  driver.apply('cf.set', { ...plan, ranges: ['A2:A9'], rule });
  driver.apply('rows.insert', { ...plan, before: 1 });
  t.equal(formulaOf(driver), '=AND(B3>$D$2,Lists!A2<>"")');
  driver.apply('rows.delete', { ...plan, from: 3 });
  t.same(places(driver, 'cf'), ['A3:A9']);
  t.equal(formulaOf(driver), '=AND(B3>$D$2,Lists!A3<>"")', 'as the second cell had it');
  driver.apply('rows.insert', { ...plan, before: 4 });
  driver.apply('rows.delete', { ...plan, from: 3 });
  t.equal(formulaOf(driver), '=AND(B3>$D$2,Lists!A4<>"")', 'as the next one had it');
  driver.apply('rows.delete', { ...plan, from: 4, count: 9 });
  t.same(places(driver, 'cf'), ['A3'], 'only what came in between is left');
  t.match(formulaOf(driver), /^=AND\(B3>\$D\$2,Lists!A\d<>""\)$/);
  driver.apply('sheet.rename', { sheet: 'Lists', name: 'All lists' });
  t.match(formulaOf(driver), /'All lists'!A\d/);
  driver.apply('cols.delete', { ...plan, from: 'B' });
  t.match(formulaOf(driver), /^=AND\(#REF!>\$C\$2/);
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a rule of whole columns reads the same in its first row, whatever is inserted', (t) => {
  const driver = emptyBook();
  driver.apply('cf.set', {
    ...plan,
    ranges: ['A:A'],
    rule: { type: 'expression', formula1: '=B1>C$1' },
  });
  driver.apply('rows.insert', { ...plan, before: 1, count: 3 });
  t.same(places(driver, 'cf'), ['A:A']);
  t.equal(formulaOf(driver), '=B1>C$4');
  driver.apply('rows.delete', { ...plan, from: 1, count: 6 });
  t.equal(formulaOf(driver), '=B1>C#REF!'.replace('C#REF!', '#REF!'));
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('ranges of a rule keep together while others insert, delete and move', (t) => {
  const driver = emptyBook();
  const rule = { type: 'duplicateValues' };
  const { resolved } = driver.apply('cf.set', { ...plan, ranges: ['A1:A10'], rule });
  const base = driver.state.head;
  driver.apply('rows.delete', { ...plan, from: 5, count: 2 });
  const wider = { ...plan, id: resolved.record, ranges: ['A1:A20'], rule };
  t.match(driver.apply('cf.set', wider, base), {
    status: 'rebased',
    payload: { ranges: ['A1:A18'] },
  });
  t.same(places(driver, 'cf'), ['A1:A18']);
  driver.apply('rows.move', { ...plan, from: 18, before: 30 });
  t.same(places(driver, 'cf'), ['A1:A17'], 'an end that is moved out is out');
  driver.apply('rows.move', { ...plan, from: 1, before: 10 });
  t.same(places(driver, 'cf'), ['A1:A17'], 'one that is moved within is still in');
  driver.apply('rows.move', { ...plan, from: 2, count: 16, before: 1 });
  t.same(places(driver, 'cf'), ['A1:A17'], 'turned around within itself');
  driver.apply('rows.move', { ...plan, from: 40, before: 5 });
  t.same(places(driver, 'cf'), ['A1:A18'], 'what is moved in is in');
  driver.apply('rows.move', { ...plan, from: 1, count: 18, before: 100 });
  t.same(places(driver, 'cf'), ['A82:A99'], 'all of it goes along');
  driver.apply('rows.delete', { ...plan, from: 80, count: 30 });
  t.same(viewsOf(driver.state), []);
  t.equal(driver.state.records.counts()['cf'], undefined);
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('conditional formats have an order', (t) => {
  const driver = emptyBook();
  const rule = (text: string) => ({ type: 'containsText', text });
  const add = (text: string, more: object = {}) =>
    driver.apply('cf.set', { ...plan, ranges: ['A1:B9'], rule: rule(text), ...more }).resolved
      .record;
  const order = () =>
    viewsOf(driver.state)
      .filter(({ type }) => type === 'cf')
      .toSorted((x, y) => Number(x.value['priority']) - Number(y.value['priority']))
      .map(({ value }) => (value['rule'] as { text: string }).text)
      .join('');
  const [a, b, c] = [add('a'), add('b'), add('c', { priority: 1 })];
  t.equal(order(), 'cab');
  driver.apply('cf.move', { id: c, after: a });
  t.equal(order(), 'acb');
  driver.apply('cf.move', { id: b, before: a });
  t.equal(order(), 'bac');
  t.match(driver.apply('cf.move', { id: b, priority: 1 }), { status: 'noop' });
  driver.apply('cf.set', { ...plan, id: a, ranges: ['A1'], rule: rule('A') });
  t.equal(order(), 'bAc', 'a rule that is set again keeps its place');
  t.equal(codeOf(driver.submit('cf.move', { id: a })), 'position_missing');
  t.equal(codeOf(driver.submit('cf.move', { id: a, before: a })), 'record_not_found');
  t.equal(codeOf(driver.submit('cf.move', { id: 'cf9.9.9', priority: 1 })), 'record_not_found');
  driver.apply('range.clear', { ...plan, range: 'A1', what: ['cf'] });
  t.equal(order(), 'bc');
  t.same(places(driver, 'cf'), ['B1,A2:B9', 'B1,A2:B9']);
  driver.apply('cf.delete', { id: b });
  t.equal(order(), 'c');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('rules without what their type needs are rejected', (t) => {
  const driver = emptyBook();
  const cf = (rule: object) => codeOf(driver.submit('cf.set', { ...plan, ranges: ['A1'], rule }));
  const dv = (rule: object) =>
    codeOf(driver.submit('validation.set', { ...plan, ranges: ['A1'], rule }));
  t.equal(cf({ type: 'cellIs', operator: 'between', formula1: 1 }), 'bad_rule');
  t.equal(cf({ type: 'cellIs', operator: 'equal', formula1: 1, formula2: 2 }), 'bad_rule');
  t.equal(cf({ type: 'cellIs', operator: 'equal', formula1: '=SUM(' }), 'bad_formula');
  t.equal(cf({ type: 'expression', formula1: 'A1>1' }), 'bad_rule');
  t.equal(cf({ type: 'containsText' }), 'bad_rule');
  const points = ['min', 'percent', 'max'].map((at) => ({
    at,
    value: at === 'percent' ? 50 : undefined,
  }));
  t.equal(cf({ type: 'iconSet', icons: '3Flags', points, own: [null, null] }), 'bad_rule');
  t.equal(
    cf({
      type: 'colorScale',
      points: [
        { at: 'num', color: '#FF0000' },
        { at: 'max', color: '#00FF00' },
      ],
    }),
    'bad_rule',
  );
  t.equal(dv({ type: 'list' }), 'bad_rule');
  t.equal(dv({ type: 'list', items: ['a'], source: '=A1:A2' }), 'bad_rule');
  t.equal(dv({ type: 'whole', operator: 'equal', formula1: 'ten' }), 'bad_rule');
  t.equal(dv({ type: 'custom', formula1: 'A1>1' }), 'bad_rule');
  const ranges = ['Plan!A1', 'Lists!A1'];
  const rule = { type: 'any' };
  t.equal(codeOf(driver.submit('validation.set', { ranges, rule })), 'bad_range');
  t.equal(entriesOf(driver.state), entriesOf(emptyBook().state));
  t.end();
});

function entering(driver: StateDriver, a1: string, input: unknown): string {
  const before = driver.read(a1);
  const code = codeOf(driver.submit('cells.set', { ...plan, cells: [{ a1, input }] }));
  if (code !== 'none' && driver.read(a1) !== before) return 'written';
  const block = { ...plan, range: a1, inputs: [[input === null ? '' : input]] };
  const fill = { ...plan, range: a1, input };
  const others = [
    codeOf(driver.submit('range.set', block)),
    codeOf(driver.submit('range.fill', fill)),
  ];
  return others.every((other) => other === code) ? code : `${code}, but ${others.join()}`;
}

t.test('values that a rule forbids do not get in', (t) => {
  const driver = emptyBook();
  const set = (range: string, rule: object, more: object = {}) =>
    driver.apply('validation.set', { ...plan, ranges: [range], rule, ...more });
  driver.apply('range.set', { sheet: 'Lists', range: 'A1:A3', inputs: [['Tea'], [7], ['=B1']] });
  set('A1', { type: 'whole', operator: 'between', formula1: 1, formula2: 10 });
  set('A2', { type: 'list', items: ['yes', 'no', 3] });
  set('A3', { type: 'list', source: '=Lists!$A$1:$A$2' });
  set('A4', { type: 'textLength', operator: 'lessThanOrEqual', formula1: 3 });
  set('A5', { type: 'date', operator: 'greaterThan', formula1: '=45000' });
  set('A6', { type: 'decimal', operator: 'notBetween', formula1: 0, formula2: 1 });
  set('A7', { type: 'whole', operator: 'lessThan', formula1: '=B1' });
  set('A8', { type: 'custom', formula1: '=A8>5' });
  set('A9', { type: 'list', source: '=Lists!$A$1:$A$3' });
  set('A10', { type: 'whole', operator: 'equal', formula1: 1 }, { onInvalid: 'warn' });
  const failed = 'validation_failed';
  const cases: [string, unknown, string][] = [
    ['A1', 5, 'none'],
    ['A1', 10, 'none'],
    ['A1', 11, failed],
    ['A1', 1.5, failed],
    ['A1', '5', failed],
    ['A1', true, failed],
    ['A1', { error: '#N/A' }, failed],
    ['A1', '=99', 'none'],
    ['A1', null, 'none'],
    ['A2', 'yes', 'none'],
    ['A2', 3, 'none'],
    ['A2', "'3", 'none'],
    ['A2', 'Yes', failed],
    ['A3', 'tea', 'none'],
    ['A3', 7, 'none'],
    ['A3', 'Milk', failed],
    ['A4', 'abc', 'none'],
    ['A4', 'abcd', failed],
    ['A4', 1234, failed],
    ['A5', 45_001, 'none'],
    ['A5', 45_000, failed],
    ['A5', '2026-01-31', failed],
    ['A6', 2, 'none'],
    ['A6', 0.5, failed],
    ['A7', 1_000, 'none'],
    ['A7', 'x', failed],
    ['A8', 1, 'none'],
    ['A9', 'Milk', 'none'],
    ['A10', 5, 'none'],
  ];
  for (const [a1, input, code] of cases) {
    t.equal(entering(driver, a1, input), code, `${a1} ${JSON.stringify(input)}`);
  }
  const typed = { ...plan, parse: true, cells: [{ a1: 'A5', input: '2026-01-31' }] };
  t.equal(codeOf(driver.submit('cells.set', typed)), 'none', 'a date that is read as one');
  const partly = { ...plan, range: 'A1:A2', inputs: [[5], ['maybe']] };
  t.equal(codeOf(driver.submit('range.set', partly)), failed);
  t.equal(codeOf(driver.submit('range.fill', { ...plan, range: 'A:A', input: 'x' })), failed);
  driver.apply('rows.insert', { ...plan, before: 1 });
  t.equal(entering(driver, 'A1', 999), 'none');
  t.equal(entering(driver, 'A2', 999), failed, 'the rule went with its cell');
  driver.apply('range.clear', { ...plan, range: 'A2:A3', what: ['validation'] });
  t.equal(entering(driver, 'A2', 999), 'none');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('the list of a rule may shift from cell to cell', (t) => {
  const driver = emptyBook();
  driver.apply('range.set', {
    ...plan,
    range: 'D1:E2',
    inputs: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  });
  const rule = { type: 'list', source: '=$D1:$E1' };
  driver.apply('validation.set', { ...plan, ranges: ['A1:A2'], rule });
  t.equal(entering(driver, 'A1', 'b'), 'none');
  t.equal(entering(driver, 'A2', 'b'), 'validation_failed');
  t.equal(entering(driver, 'A2', 'd'), 'none');
  t.end();
});

t.test('clearing a part of a rule leaves the rest as it was', (t) => {
  const driver = emptyBook();
  const rule = { type: 'custom', formula1: '=COUNTIF($A$1:$A$9,A1)=1' };
  driver.apply('validation.set', { ...plan, ranges: ['A1:C9'], rule });
  driver.apply('range.clear', { ...plan, range: 'A1:B4', what: ['validation', 'values'] });
  t.same(places(driver, 'validation'), ['C1:C4,A5:C9']);
  t.equal(formulaOf(driver, 'validation'), '=COUNTIF($A$1:$A$9,C1)=1');
  t.match(driver.apply('range.clear', { ...plan, range: 'A1:B4', what: ['validation'] }), {
    status: 'noop',
  });
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a rule set again in other words changes nothing', (t) => {
  const driver = emptyBook();
  const rule = { type: 'cellIs', operator: 'equal', formula1: '=5' };
  const { resolved } = driver.apply('cf.set', { ...plan, ranges: ['A1'], rule });
  const before = entriesOf(driver.state);
  const again = { ...plan, id: resolved.record, ranges: ['$A$1:A1'], stopIfTrue: false };
  t.match(driver.apply('cf.set', { ...again, rule: { ...rule, formula1: 5 } }), { status: 'noop' });
  driver.apply('rows.insert', { ...plan, before: 5 });
  const text = { type: 'cellIs', operator: 'equal', formula1: '=B1' };
  driver.apply('cf.set', { ...again, rule: text });
  driver.apply('rows.insert', { ...plan, before: 7 });
  t.match(driver.apply('cf.set', { ...again, rule: text }), { status: 'noop' });
  t.not(entriesOf(driver.state), before);
  t.same(recordFaults(driver), []);
  t.end();
});
