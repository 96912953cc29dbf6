import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import { Formulas } from '../../workers/formulas.ts';
import { lawFaults } from '../support/law-checks.ts';
import { listed, places, viewsOf } from '../support/record-driver.ts';
import { StateDriver } from '../support/state-driver.ts';

const formulas = new Formulas();
const plan = { sheet: 'Plan' };
const rule = { type: 'expression', formula1: '=B2>$F$1' };

/** Two sheets; on the first, C3:D4 and around it, one record of each type. */
function book(): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('sheet.add', { name: 'Lists' });
  driver.apply('cells.set', { ...plan, cells: [{ a1: 'C3', input: 1 }] });
  return driver;
}

function idsOf({ state }: StateDriver): string[] {
  return viewsOf(state)
    .map(({ id }) => id ?? '')
    .toSorted();
}

function refused(driver: StateDriver, kind: string, payload: object): string {
  const result = driver.submit(kind, payload);
  return result instanceof Rejection ? result.code : result.status;
}

t.test('what lies on cells is cut and pasted with them', async (t) => {
  for (const toSheet of ['Plan', 'Lists']) {
    const driver = book();
    driver.apply('cellmerge.add', { ...plan, range: 'C3:D4' });
    driver.apply('note.set', { ...plan, a1: 'C3', text: 'n' });
    driver.apply('comment.add', { ...plan, range: 'C3:D3', text: 'hi' });
    driver.apply('hyperlink.set', { ...plan, range: 'C4:D4', url: 'https://a/' });
    driver.apply('validation.set', { ...plan, ranges: ['C3:D4'], rule: { type: 'any' } });
    driver.apply('cf.set', { ...plan, ranges: ['C3:D4'], rule });
    driver.apply('image.set', { ...plan, anchor: 'C3:C4', spec: { kind: 'png' } });
    driver.apply('protect.set', { ...plan, ranges: ['D3:D4'], who: ['*'] });
    const ids = idsOf(driver);
    driver.apply('range.move', { ...plan, source: 'C3:D4', toSheet, to: 'G10' });
    const found = viewsOf(driver.state).map(({ type, sheet, ranges }) => {
      return [type, driver.state.structure.withId(sheet)?.name, ranges?.join(',')].join(' ');
    });
    t.same(
      found.sort(),
      [
        `cellmerge ${toSheet} G10:H11`,
        `cf ${toSheet} G10:H11`,
        `hyperlink ${toSheet} G11:H11`,
        `image ${toSheet} G10:G11`,
        `note ${toSheet} G10`,
        `protection ${toSheet} H10:H11`,
        `thread ${toSheet} G10:H10`,
        `validation ${toSheet} G10:H11`,
      ],
      toSheet,
    );
    t.same(idsOf(driver), ids, 'they are the same records');
    const fixed = toSheet === 'Plan' ? '$F$1' : 'Plan!$F$1';
    t.match(listed(driver, 'cf'), [['G10:H11', { rule: { formula1: `=F9>${fixed}` } }]]);
    t.same(lawFaults(driver), []);
  }
});

t.test('of a rule that is cut in part a part stays', async (t) => {
  const driver = book();
  driver.apply('cf.set', { ...plan, ranges: ['B2:D9'], rule });
  driver.apply('cf.set', { ...plan, ranges: ['A1:A9'], rule });
  driver.apply('cf.set', { sheet: 'Lists', ranges: ['A1:C3'], rule });
  driver.apply('range.move', { ...plan, source: 'A3:C4', to: 'F20' });
  t.same(places(driver, 'cf'), ['B2:D2,D3:D4,B5:D9,G20:H21', 'A1:A2,A5:A9,F20:F21', 'A1:C3']);
  driver.apply('range.move', { ...plan, source: 'F20:G21', toSheet: 'Lists', to: 'B2' });
  const cf = viewsOf(driver.state).filter(({ type }) => type === 'cf');
  t.same(
    cf.map(({ id, ranges, sheet }) => [
      id,
      driver.state.structure.withId(sheet)?.name,
      ranges?.join(','),
    ]),
    [
      ['cf1.4.0', 'Plan', 'B2:D2,D3:D4,B5:D9,H20:H21'],
      ['cf1.5.0', 'Plan', 'A1:A2,A5:A9'],
      ['cf1.6.0', 'Lists', 'A1:C1,A2:A3'],
      ['cf1.8.0', 'Lists', 'C2:C3'],
      ['cf1.8.1', 'Lists', 'B2:B3'],
    ],
  );
  t.same(lawFaults(driver), []);
});

t.test('what was there is replaced, but a conversation stays and says so', async (t) => {
  const driver = book();
  driver.apply('note.set', { ...plan, a1: 'F5', text: 'old' });
  driver.apply('comment.add', { ...plan, a1: 'F5', text: 'hi' });
  driver.apply('comment.add', { ...plan, range: 'F5:K5', text: 'ho' });
  driver.apply('hyperlink.set', { ...plan, range: 'E5:G5', url: 'https://a/' });
  driver.apply('validation.set', { ...plan, ranges: ['F5'], rule: { type: 'any' } });
  driver.apply('cellmerge.add', { ...plan, range: 'F7:G7' });
  driver.apply('range.move', { ...plan, source: 'C3:D5', to: 'F5' });
  t.same(places(driver, 'note'), []);
  t.same(places(driver, 'validation'), []);
  t.same(places(driver, 'cellmerge'), []);
  t.same(places(driver, 'hyperlink'), ['E5']);
  t.match(listed(driver, 'thread'), [
    ['F5', { displaced: true }],
    ['F5:K5', { displaced: undefined }],
  ]);
  t.same(lawFaults(driver), []);
});

t.test('no merge is ever cut', async (t) => {
  const driver = book();
  driver.apply('cellmerge.add', { ...plan, range: 'C3:D4' });
  const tries = [
    ['range.move', { ...plan, source: 'C3:C4', to: 'H1' }],
    ['range.move', { ...plan, source: 'H1:H9', to: 'D3' }],
    ['range.copy', { ...plan, source: 'H1:H9', to: 'D3' }],
    ['range.insert', { ...plan, range: 'C1', shift: 'down' }],
    ['range.delete', { ...plan, range: 'A3', shift: 'left' }],
    ['range.sort', { ...plan, range: 'A1:F5', order: [5, 4, 3, 2, 1] }],
    ['range.sort', { ...plan, range: '1:5', order: [5, 4, 3, 2, 1] }],
    ['table.create', { name: 'Own', sheetRange: 'Plan!A1:C5' }],
  ] as const;
  for (const [kind, payload] of tries) {
    t.equal(refused(driver, kind, payload), 'merge_overlap', `${kind} ${JSON.stringify(payload)}`);
  }
  t.equal(refused(driver, 'range.copy', { ...plan, source: 'C3', to: 'H1' }), 'applied', 'part');
  t.equal(
    refused(driver, 'range.copy', { ...plan, source: 'H1', to: 'D3', paste: ['values'] }),
    'applied',
    'values alone take no merge away',
  );
  t.same(places(driver, 'cellmerge'), ['C3:D4']);
  driver.apply('range.insert', { ...plan, range: 'C1:D1', shift: 'down' });
  driver.apply('range.insert', { ...plan, range: 'B4:B5', shift: 'right' });
  t.same(places(driver, 'cellmerge'), ['D4:E5']);
  driver.apply('table.create', { name: 'Own', sheetRange: 'Lists!A1:C5' });
  const onto = { ...plan, source: 'D4:E5', toSheet: 'Lists', to: 'B2' };
  t.equal(refused(driver, 'range.move', onto), 'merge_overlap', 'nor does one lie on a table');
  t.same(lawFaults(driver), []);
});

t.test('rows that are merged alike are sorted', async (t) => {
  const driver = book();
  for (const row of [1, 2, 3]) driver.apply('cellmerge.add', { ...plan, range: `B${row}:C${row}` });
  driver.apply('range.set', { ...plan, range: 'A1', inputs: [[3], [2], [1]] });
  driver.apply('range.sort', { ...plan, range: 'A1:C3', keys: [{ col: 'A' }] });
  t.same(driver.rows('A1:A3').flat(), [1, 2, 3]);
  t.same(places(driver, 'cellmerge'), ['B1:C1', 'B2:C2', 'B3:C3']);
});

t.test('a copy takes along what its way of pasting says', async (t) => {
  const copied = (paste: string[] | undefined, to = 'F1') => {
    const driver = book();
    driver.apply('cellmerge.add', { ...plan, range: 'A1:B1' });
    driver.apply('note.set', { ...plan, a1: 'A1', text: 'n' });
    driver.apply('comment.add', { ...plan, a1: 'A1', text: 'hi' });
    driver.apply('hyperlink.set', { ...plan, a1: 'A2', location: 'Lists!B2' });
    driver.apply('validation.set', { ...plan, ranges: ['A1:B2'], rule: { type: 'any' } });
    driver.apply('cf.set', { ...plan, ranges: ['B1:B9'], rule });
    driver.apply('range.copy', { ...plan, source: 'A1:B2', to, ...(paste && { paste }) });
    t.same(lawFaults(driver), []);
    const types = ['cellmerge', 'note', 'thread', 'hyperlink', 'validation', 'cf'];
    return types.map((type) => places(driver, type).join(' ')).join(' | ');
  };
  const none = 'A1:B1 | A1 | A1 | A2 | A1:B2 | B1:B9';
  t.equal(copied(['values', 'formulas']), none);
  t.equal(copied(['formats']), 'A1:B1 F1:G1 | A1 | A1 | A2 | A1:B2 | B1:B9,G1:G2');
  t.equal(
    copied(undefined),
    'A1:B1 F1:G1 | A1 F1 | A1 | A2 F2 | A1:B2,F1:G2 | B1:B9,G1:G2',
    'a conversation is not copied',
  );
  t.equal(
    copied(undefined, 'F1:I4'),
    'A1:B1 F1:G1 H1:I1 F3:G3 H3:I3 | A1 F1 H1 F3 H3 | A1 | A2 F2 H2 F4 H4 | A1:B2,F1:I4 | ' +
      'B1:B9,G1:G4,I1:I4',
    'as often as it goes into the target',
  );
});

t.test('shifted cells take along what lies on them', async (t) => {
  const driver = book();
  driver.apply('note.set', { ...plan, a1: 'B5', text: 'n' });
  driver.apply('note.set', { ...plan, a1: 'C5', text: 'beside' });
  driver.apply('comment.add', { ...plan, a1: 'B2', text: 'hi' });
  driver.apply('cf.set', { ...plan, ranges: ['A1:C9'], rule });
  driver.apply('validation.set', { ...plan, ranges: ['B4:B6'], rule: { type: 'any' } });
  driver.apply('range.insert', { ...plan, range: 'B2:B3', shift: 'down' });
  t.same(places(driver, 'note'), ['C5', 'B7']);
  t.same(places(driver, 'cf'), ['A1:A9,C1:C9,B1:B11']);
  t.same(places(driver, 'validation'), ['B6:B8']);
  t.same(places(driver, 'thread'), ['B4']);
  driver.apply('range.delete', { ...plan, range: 'B3:B6', shift: 'up' });
  t.same(places(driver, 'note'), ['B3', 'C5']);
  t.same(places(driver, 'validation'), ['B3:B4']);
  t.match(listed(driver, 'thread'), [['B4', { displaced: true }]]);
  driver.apply('range.delete', { ...plan, range: 'A5', shift: 'left' });
  t.same(places(driver, 'note'), ['B3', 'B5']);
  t.same(lawFaults(driver), []);
});

t.test('notes, conversations and links go with the cells of a block that is sorted', async (t) => {
  const driver = book();
  driver.apply('range.set', { ...plan, range: 'A1', inputs: [[3], [2], [1]] });
  driver.apply('note.set', { ...plan, a1: 'A1', text: 'three' });
  driver.apply('note.set', { ...plan, a1: 'A3', text: 'one' });
  driver.apply('comment.add', { ...plan, a1: 'A1', text: 'hi' });
  driver.apply('hyperlink.set', { ...plan, range: 'A1:B1', url: 'https://a/' });
  driver.apply('hyperlink.set', { ...plan, range: 'D1:F1', url: 'https://b/' });
  driver.apply('cf.set', { ...plan, ranges: ['A1'], rule });
  driver.apply('range.sort', { ...plan, range: 'A1:E3', keys: [{ col: 'A' }] });
  t.match(listed(driver, 'note'), [
    ['A1', { text: 'one' }],
    ['A3', { text: 'three' }],
  ]);
  t.same(places(driver, 'thread'), ['A3']);
  t.same(places(driver, 'hyperlink').sort(), ['A3:B3', 'D3:E3', 'F1']);
  t.same(places(driver, 'cf'), ['A1']);
  t.same(lawFaults(driver), []);
});

t.test(
  'each row of a link goes with its cells, so that links never lie on one another',
  async (t) => {
    const driver = book();
    driver.apply('range.set', { ...plan, range: 'A1', inputs: [[5], [1], [4], [2], [3]] });
    driver.apply('hyperlink.set', { ...plan, range: 'A1:B1', url: 'https://a/' });
    driver.apply('hyperlink.set', { ...plan, range: 'A3:B7', url: 'https://b/' });
    driver.apply('hyperlink.set', { ...plan, range: 'D1:D9', url: 'https://c/' });
    driver.apply('range.sort', { ...plan, range: 'A1:E5', keys: [{ col: 'A' }] });
    t.same(places(driver, 'hyperlink').sort(), ['A2:B4', 'A5:B5', 'A6:B7', 'D1:D9']);
    t.same(lawFaults(driver), []);
  },
);

t.test('formulas of rules and links follow cells that are cut', async (t) => {
  const driver = book();
  const own = { type: 'expression', formula1: '=A1>$F$1+Lists!$B$2' };
  driver.apply('cf.set', { ...plan, ranges: ['A1:A9'], rule: own });
  driver.apply('hyperlink.set', { sheet: 'Lists', a1: 'A1', location: 'Plan!F1' });
  driver.apply('range.move', { ...plan, source: 'F1', toSheet: 'Lists', to: 'C3' });
  t.match(listed(driver, 'cf'), [['A1:A9', { rule: { formula1: '=A1>Lists!$C$3+Lists!$B$2' } }]]);
  t.match(listed(driver, 'hyperlink'), [['A1', { location: 'Lists!C3' }]]);
  driver.apply('range.insert', { sheet: 'Lists', range: 'B1:C1', shift: 'down' });
  t.match(listed(driver, 'cf'), [['A1:A9', { rule: { formula1: '=A1>Lists!$C$4+Lists!$B$3' } }]]);
  t.same(lawFaults(driver), []);
});

t.test('a copy of a sheet has records of its own', async (t) => {
  const driver = book();
  const own = { type: 'expression', formula1: '=B2>Plan!$F$1+Lists!$B$2' };
  driver.apply('cf.set', { ...plan, ranges: ['A1:A9'], rule: own });
  driver.apply('cf.set', { ...plan, ranges: ['B1'], rule, priority: 1 });
  driver.apply('cellmerge.add', { ...plan, range: 'C3:D4' });
  driver.apply('comment.add', { ...plan, a1: 'A1', text: 'hi' });
  driver.apply('filter.set', {
    ...plan,
    range: 'A1:C9',
    criteria: [{ column: 'B', values: ['x'] }],
  });
  driver.apply('protect.set', { ...plan, who: ['me'] });
  driver.apply('rows.insert', { ...plan, before: 2 });
  driver.apply('sheet.add', { name: 'Copy', copyOf: 'Plan' });
  const copy = driver.state.structure.named('Copy');
  const views = viewsOf(driver.state).filter(({ sheet }) => sheet === copy?.id);
  t.same(
    views.map(({ type, ranges }) => [type, ranges?.join(',')]),
    [
      ['cellmerge', 'C4:D5'],
      ['thread', 'A1'],
      ['cf', 'A1:A10'],
      ['cf', 'B1'],
      ['filter', 'A1:C10'],
      ['protection', undefined],
    ],
  );
  t.match(views[2]?.value, {
    rule: { formula1: '=B3>Copy!$F$1+Lists!$B$2' },
    priority: 2,
  });
  const ids = idsOf(driver).filter((id) => id !== '');
  t.equal(new Set(ids).size, ids.length, 'each has an id of its own');
  driver.apply('rows.delete', { sheet: 'Copy', from: 1 });
  t.same(places(driver, 'thread'), ['A1', 'A1']);
  t.same(lawFaults(driver), []);
});
