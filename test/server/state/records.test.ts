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

function refusal(driver: StateDriver, kind: string, payload: object): string {
  const before = entriesOf(driver.state);
  const code = codeOf(driver.submit(kind, payload));
  return entriesOf(driver.state) === before ? code : 'changed';
}

t.test('merged cells keep what they cover, grow, shrink and never overlap', (t) => {
  const driver = emptyBook();
  const plan = { sheet: 'Plan' };
  driver.apply('range.set', {
    ...plan,
    range: 'B2:C3',
    inputs: [
      [1, 2],
      [3, 4],
    ],
  });
  driver.apply('cellmerge.add', { ...plan, range: 'B2:C3,E1:E2' });
  t.same(places(driver, 'cellmerge').sort(), ['B2:C3', 'E1:E2']);
  t.equal(driver.read('C3'), 4, 'covered values stay in the state');
  t.match(driver.apply('cellmerge.add', { ...plan, range: 'B2:C3' }), { status: 'noop' });
  t.equal(refusal(driver, 'cellmerge.add', { ...plan, range: 'C3:D9' }), 'merge_overlap');
  t.equal(refusal(driver, 'cellmerge.add', { ...plan, range: 'A1:XFD9' }), 'merge_overlap');
  t.equal(refusal(driver, 'cellmerge.add', { ...plan, range: 'H1:I2,I2:J3' }), 'merge_overlap');
  t.equal(refusal(driver, 'cellmerge.add', { ...plan, range: 'H1' }), 'bad_range');
  driver.apply('rows.insert', { ...plan, before: 3, count: 2 });
  t.same(places(driver, 'cellmerge').sort(), ['B2:C5', 'E1:E2'], 'what comes in between is in it');
  driver.apply('rows.insert', { ...plan, before: 2 });
  t.same(places(driver, 'cellmerge').sort(), ['B3:C6', 'E1:E3']);
  driver.apply('rows.delete', { ...plan, from: 2, count: 2 });
  t.same(places(driver, 'cellmerge').sort(), ['B2:C4'], 'E1 alone is no merge');
  driver.apply('cols.delete', { ...plan, from: 'B' });
  driver.apply('rows.delete', { ...plan, from: 3, count: 9 });
  t.same(places(driver, 'cellmerge'), []);
  driver.apply('cellmerge.add', { ...plan, range: 'A1:B2,D1:E2' });
  t.match(driver.apply('cellmerge.remove', { ...plan, range: 'B2:D2' }), { status: 'applied' });
  t.match(driver.apply('cellmerge.remove', { ...plan, range: 'A:F' }), { status: 'noop' });
  driver.apply('range.set', {
    ...plan,
    range: 'H1:I2',
    inputs: [
      ['a', 'b'],
      [1, 2],
    ],
  });
  driver.apply('table.create', { name: 'Sales', sheetRange: 'Plan!H1:I2' });
  t.equal(refusal(driver, 'cellmerge.add', { ...plan, range: 'I2:J2' }), 'merge_overlap');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a merge meant for an older position lies where its cells are now', (t) => {
  const driver = emptyBook();
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'Plan', before: 2 });
  driver.apply('sheet.rename', { sheet: 'Plan', name: 'Budget' });
  const result = driver.apply('cellmerge.add', { sheet: 'Plan', range: 'A1:B2' }, base);
  t.match(result, { status: 'rebased', payload: { sheet: 's1.1.0', range: 'A1:B3' } });
  const late = driver.submit('cellmerge.add', { sheet: 'Plan', range: 'B2:C3' }, { baseSeq: base });
  t.equal(codeOf(late), 'merge_overlap');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('lines moved into a merge never leave two merges on one cell', (t) => {
  const driver = emptyBook();
  driver.apply('cellmerge.add', { sheet: 'Plan', range: 'A1:A2,A4:A5,C1:D2' });
  driver.apply('rows.move', { sheet: 'Plan', from: 4, count: 2, before: 2 });
  t.same(places(driver, 'cellmerge').sort(), ['A1:A4', 'C1:D4']);
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('notes belong to a cell and go with it', (t) => {
  const driver = emptyBook();
  driver.apply('note.set', { sheet: 'Plan', a1: 'B2', text: 'look', author: 'Ada' });
  t.match(driver.apply('note.set', { a1: 'Plan!$B$2', text: 'look', author: 'Ada' }), {
    status: 'noop',
  });
  driver.apply('rows.insert', { sheet: 'Plan', before: 1 });
  t.same(listed(driver, 'note'), [['B3', { author: 'Ada', text: 'look' }]]);
  driver.apply('rows.move', { sheet: 'Plan', from: 3, before: 9 });
  t.same(places(driver, 'note'), ['B8']);
  t.match(driver.apply('note.delete', { sheet: 'Plan', a1: 'B3' }), { status: 'noop' });
  driver.apply('note.set', { sheet: 'Plan', a1: 'C1', text: 'x' });
  driver.apply('cols.delete', { sheet: 'Plan', from: 'B' });
  t.same(listed(driver, 'note'), [['B1', { text: 'x' }]]);
  driver.apply('range.clear', { sheet: 'Plan', range: 'A:C', what: ['notes'] });
  t.same(driver.state.records.counts(), {});
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a conversation outlives the cells it was about, and says so', (t) => {
  const driver = emptyBook();
  const { resolved } = driver.apply('comment.add', { sheet: 'Plan', a1: 'B5', text: 'why?' });
  const thread = resolved.record ?? '';
  t.match(resolved, { record: /^th1\.\d+\.0$/, comment: /^c1\.\d+\.0$/ });
  const reply = driver.apply('comment.reply', { thread, text: 'because', author: 'Bo' });
  const comment = reply.resolved.comment ?? '';
  t.match(driver.apply('comment.edit', { thread, comment, text: 'because' }), { status: 'noop' });
  driver.apply('comment.edit', { thread, comment, text: 'so' });
  driver.apply('comment.resolve', { thread, resolved: true });
  driver.apply('rows.delete', { sheet: 'Plan', from: 4, count: 3 });
  t.match(listed(driver, 'thread'), [
    [
      'B3',
      {
        displaced: true,
        resolved: true,
        comments: [{ text: 'why?' }, { text: 'so', edited: true }],
      },
    ],
  ]);
  driver.apply('rows.delete', { sheet: 'Plan', from: 1, count: 3 });
  t.same(places(driver, 'thread'), ['B1']);
  driver.apply('cols.delete', { sheet: 'Plan', from: 'A', count: 2 });
  t.same(places(driver, 'thread'), ['A1']);
  t.equal(
    refusal(driver, 'comment.edit', { thread, comment: 'c9', text: 'x' }),
    'record_not_found',
  );
  t.equal(refusal(driver, 'comment.reply', { thread: 'th9', text: 'x' }), 'record_not_found');
  t.equal(refusal(driver, 'comment.add', { thread, a1: 'A1', sheet: 'Plan', text: 'x' }), 'bad_id');
  const future = { thread: `th1.${driver.state.head + 5}.0`, sheet: 'Plan', a1: 'A1', text: 'x' };
  t.equal(refusal(driver, 'comment.add', future), 'bad_id', 'no id that is still to be given');
  driver.apply('comment.delete', { thread, comment });
  t.match(listed(driver, 'thread'), [['A1', { comments: [{ text: 'why?' }] }]]);
  const first = resolved.comment;
  driver.apply('comment.delete', { thread, comment: first });
  t.equal(refusal(driver, 'comment.resolve', { thread, resolved: false }), 'record_not_found');
  const kept = { thread, comment: first, sheet: 'Plan', a1: 'C3', text: 'again' };
  driver.apply('comment.add', kept);
  t.equal(viewsOf(driver.state)[0]?.id, thread, 'an id that is past can be taken up again');
  driver.apply('sheet.delete', { sheet: 'Plan' });
  t.same(driver.state.records.counts(), {});
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a cell has one link, and a place in the workbook follows its cells', (t) => {
  const driver = emptyBook();
  const plan = { sheet: 'Plan' };
  driver.apply('hyperlink.set', { ...plan, range: 'A1:B3', url: 'https://example.org/' });
  driver.apply('hyperlink.set', { ...plan, a1: 'B2', location: 'Lists!C3', tooltip: 'go' });
  t.same(places(driver, 'hyperlink').sort(), ['A1:B1', 'A2', 'A3:B3', 'B2']);
  driver.apply('rows.insert', { sheet: 'Lists', before: 2 });
  driver.apply('sheet.rename', { sheet: 'Lists', name: 'My lists' });
  const links = () => new Map(listed(driver, 'hyperlink'));
  t.same(links().get('B2'), { location: "'My lists'!C4", tooltip: 'go' });
  driver.apply('rows.delete', { ...plan, from: 1, count: 1 });
  t.same(links().get('B1'), { location: "'My lists'!C4", tooltip: 'go' }, 'it is not relative');
  driver.apply('sheet.delete', { sheet: 'My lists' });
  t.match(links().get('B1'), { location: /#REF!/ });
  driver.apply('hyperlink.set', { ...plan, range: 'A1:B1', url: null });
  t.same(places(driver, 'hyperlink'), ['A2:B2']);
  t.match(driver.apply('hyperlink.set', { ...plan, a1: 'J1', url: null }), { status: 'noop' });
  for (const url of ['javascript:alert(1)', ' JavaScript:x', 'data:text/html,x']) {
    t.equal(refusal(driver, 'hyperlink.set', { ...plan, a1: 'A9', url }), 'bad_link');
  }
  t.equal(refusal(driver, 'hyperlink.set', { ...plan, a1: 'A9' }), 'bad_link');
  t.equal(refusal(driver, 'hyperlink.set', { ...plan, url: 'https://x/' }), 'position_missing');
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('a sheet has one filter, whose criteria follow their columns', (t) => {
  const driver = emptyBook();
  const criteria = [
    { column: 'C', values: ['x'] },
    { column: 1, top: { count: 5 } },
  ];
  driver.apply('filter.set', { sheet: 'Plan', range: 'A1:D9', criteria });
  driver.apply('cols.insert', { sheet: 'Plan', before: 'B' });
  t.same(listed(driver, 'filter'), [
    [
      'A1:E9',
      {
        criteria: [
          { column: 'A', top: { count: 5 } },
          { column: 'D', values: ['x'] },
        ],
      },
    ],
  ]);
  driver.apply('cols.delete', { sheet: 'Plan', from: 'D' });
  t.same(listed(driver, 'filter'), [['A1:D9', { criteria: [{ column: 'A', top: { count: 5 } }] }]]);
  const set = (more: object) =>
    refusal(driver, 'filter.set', { sheet: 'Plan', range: 'A1:D9', ...more });
  t.equal(set({ criteria: [{ column: 'E', values: [1] }] }), 'bad_range');
  t.equal(set({ criteria: [{ column: 'A', values: [1], top: { count: 1 } }] }), 'bad_rule');
  t.equal(
    set({
      criteria: [
        { column: 'A', values: [1] },
        { column: 1, blanks: true },
      ],
    }),
    'bad_rule',
  );
  driver.apply('filter.set', { sheet: 'Plan', range: 'B2:C3' });
  t.same(listed(driver, 'filter'), [['B2:C3', { criteria: [] }]]);
  driver.apply('filter.clear', { sheet: 'Plan' });
  t.match(driver.apply('filter.clear', { sheet: 'Plan' }), { status: 'noop' });
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('images and charts keep what they are, whatever the order of its members', (t) => {
  const driver = emptyBook();
  const spec = { kind: 'bar', series: [{ values: 'B2:B9', color: null }] };
  const { resolved } = driver.apply('chart.set', { sheet: 'Plan', anchor: 'D2:H9', spec });
  const id = resolved.record ?? '';
  const turned = { series: [{ color: null, values: 'B2:B9' }], kind: 'bar' };
  t.match(driver.apply('chart.set', { id, sheet: 'Plan', anchor: 'D2:H9', spec: turned }), {
    status: 'noop',
  });
  driver.apply('chart.set', { id, sheet: 'Lists', anchor: 'A1', spec });
  t.same(places(driver, 'chart'), ['A1'], 'it moved to the other sheet');
  t.equal(refusal(driver, 'image.delete', { id }), 'record_not_found', 'a chart is no image');
  driver.apply('chart.delete', { id });
  t.same(driver.state.records.counts(), {});
  let deep: object = {};
  for (let depth = 0; depth < 20; depth++) deep = { deep };
  t.throws(() => driver.submit('chart.set', { sheet: 'Plan', anchor: 'A1', spec: deep }));
  const long = { text: 'x'.repeat(70_000) };
  t.throws(() => driver.submit('chart.set', { sheet: 'Plan', anchor: 'A1', spec: long }));
  t.same(recordFaults(driver), []);
  t.end();
});

t.test('strict submissions refuse what wrote to the same record, and nothing else', (t) => {
  const driver = emptyBook();
  const base = driver.state.head;
  driver.apply('note.set', { sheet: 'Plan', a1: 'A1', text: 'x' });
  const strict = (kind: string, payload: object) =>
    codeOf(driver.submit(kind, payload, { baseSeq: base, strict: true }));
  t.equal(strict('note.set', { sheet: 'Plan', a1: 'A1', text: 'y' }), 'conflict');
  t.equal(strict('range.clear', { sheet: 'Plan', range: 'A1:B9', what: ['notes'] }), 'conflict');
  t.equal(strict('note.set', { sheet: 'Plan', a1: 'A2', text: 'y' }), 'none');
  t.equal(strict('cells.set', { sheet: 'Plan', cells: [{ a1: 'A1', input: 1 }] }), 'none');
  t.equal(strict('cellmerge.add', { sheet: 'Plan', range: 'A1:B2' }), 'none');
  t.end();
});
