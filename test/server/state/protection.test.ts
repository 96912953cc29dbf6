import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { emptyBook, listed, recordFaults } from '../../support/record-driver.ts';
import type { StateDriver } from '../../support/state-driver.ts';

const ada = { principalId: 'usr_1', writer: 'ada' };
const bot = { principalId: 'usr_1', writer: 'bot' };
const eve = { principalId: 'usr_2', writer: 'ada' };
type Author = typeof ada;

function book(): StateDriver {
  const driver = emptyBook();
  driver.apply('range.set', {
    sheet: 'Plan',
    range: 'A1:C3',
    inputs: [1, 1, 1].map(() => [1, 2, 3]),
  });
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'B2:C2' });
  return driver;
}

function as(driver: StateDriver, author: Author) {
  return (kind: string, payload: object): string => {
    const result = driver.submit(kind, payload, { author });
    return result instanceof Rejection ? result.code : result.status;
  };
}

const plan = { sheet: 'Plan' };

t.test('a protected range takes writes of those it names only', (t) => {
  const driver = book();
  t.equal(as(driver, ada)('protect.set', { ...plan, ranges: ['B2:C3'], who: ['ada'] }), 'applied');
  t.same(listed(driver, 'protection'), [['B2:C3', { by: 'usr_1', who: ['usr_1/ada'] }]]);
  const set = (a1: string) => ({ ...plan, cells: [{ a1, input: 9 }] });
  t.equal(as(driver, ada)('cells.set', set('B2')), 'applied');
  for (const stranger of [bot, eve]) {
    const write = as(driver, stranger);
    t.equal(write('cells.set', set('B2')), 'protected');
    t.equal(write('cells.set', set('A1')), stranger === bot ? 'applied' : 'noop');
    t.equal(write('range.set', { ...plan, range: 'A3:B3', inputs: [[1, 1]] }), 'protected');
    t.equal(write('range.fill', { ...plan, range: 'C:C', input: 1 }), 'protected');
    t.equal(write('range.clear', { ...plan, range: 'C3:D9' }), 'protected');
    t.equal(write('numfmt.set', { ...plan, range: 'B2', pattern: '0' }), 'protected');
    t.equal(write('rows.delete', { ...plan, from: 3 }), 'protected');
    t.equal(write('cols.move', { ...plan, from: 'B', before: 'E' }), 'protected');
    t.equal(write('note.set', { ...plan, a1: 'C3', text: 'x' }), 'protected');
    t.equal(write('cellmerge.remove', { ...plan, range: 'B2' }), 'protected');
    t.equal(
      write('cf.set', { ...plan, ranges: ['A1:Z1', 'C3'], rule: { type: 'uniqueValues' } }),
      'protected',
    );
    t.equal(write('table.create', { name: 'T', sheetRange: 'Plan!B3:B9' }), 'protected');
    t.equal(write('sheet.delete', plan), 'protected');
    t.equal(write('sheet.rename', { ...plan, name: 'Mine' }), 'protected');
    t.equal(write('comment.add', { ...plan, a1: 'B2', text: 'may I?' }), 'applied');
  }
  t.equal(as(driver, bot)('rows.insert', { ...plan, before: 3 }), 'applied', 'new cells are free');
  t.equal(as(driver, bot)('cells.set', set('B4')), 'protected', 'and the old ones are not');
  t.equal(
    as(driver, bot)('cells.set', { sheet: 'Lists', cells: [{ a1: 'B2', input: 1 }] }),
    'applied',
  );
  t.equal(as(driver, eve)('cells.set', set('B3')), 'protected', 'what comes in between is in it');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a protection is changed by its maker and those it names', (t) => {
  const driver = book();
  as(driver, bot)('protect.set', { ...plan, id: 'p1', who: ['usr_3'] });
  const third = { principalId: 'usr_3', writer: 'x' };
  t.equal(as(driver, eve)('protect.delete', { id: 'p1' }), 'protected');
  t.equal(as(driver, eve)('protect.set', { ...plan, id: 'p1', who: ['*'] }), 'protected');
  t.equal(as(driver, eve)('protect.set', { ...plan, ranges: ['A1'], who: ['usr_2'] }), 'applied');
  t.equal(as(driver, third)('protect.set', { ...plan, id: 'p1', who: ['usr_3', '*'] }), 'applied');
  t.match(listed(driver, 'protection')[0], [null, { by: 'usr_1', who: ['*', 'usr_3'] }]);
  t.equal(as(driver, ada)('protect.delete', { id: 'p1' }), 'applied', 'by its maker');
  t.equal(as(driver, ada)('protect.delete', { id: 'p1' }), 'record_not_found');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test(
  'a protected sheet takes nothing, and protections do not stand in the way of a replay',
  (t) => {
    const driver = book();
    as(driver, ada)('protect.set', { ...plan, who: ['ada'], name: 'final' });
    const write = as(driver, bot);
    t.equal(write('rows.insert', { ...plan, before: 3 }), 'protected');
    t.equal(write('cells.set', { ...plan, cells: [{ a1: 'Z99', input: 1 }] }), 'protected');
    t.equal(write('filter.set', { ...plan, range: 'A1:B2' }), 'protected');
    t.equal(write('sheet.move', { ...plan, index: 1 }), 'applied');
    const refused = driver.submit(
      'cells.set',
      { cells: [{ a1: 'Plan!A1', input: 5 }] },
      { author: bot },
    );
    t.match(refused, { message: /^the sheet Plan is protected by p1\.\d+\.0 \(final\)$/ });
    t.equal(as(driver, ada)('cells.set', { ...plan, cells: [{ a1: 'A1', input: 7 }] }), 'applied');
    t.same(recordFaults(driver), []);
    t.end();
  },
);

t.test('an author is named after the writer unless the operation names one', (t) => {
  const driver = book();
  as(driver, ada)('note.set', { ...plan, a1: 'A1', text: 'x' });
  as(driver, ada)('note.set', { ...plan, a1: 'A2', text: 'x', author: 'Grace' });
  t.same(
    listed(driver, 'note').map(([, value]) => (value as { author: string }).author),
    ['ada', 'Grace'],
  );
  t.same(recordFaults(driver), [], 'the journal keeps the name');
  t.end();
});
