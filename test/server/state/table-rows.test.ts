import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { admit } from '../../../server/state/admission.ts';
import { ClientView } from '../../../server/state/client-view.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { drive } from '../../support/state-driver.ts';
import { TableDriver } from '../../support/table-driver.ts';

const columns = [
  { name: 'id', type: 'text' },
  { name: 'number', type: 'number', nullable: false },
  { name: 'whole', type: 'integer' },
  { name: 'flag', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'moment', type: 'datetime' },
  { name: 'size', type: 'text', enum: ['S', 'M'], default: 'M' },
  { name: 'free' },
];

function typed(): TableDriver {
  const driver = new TableDriver();
  driver.apply('sheet.add', { name: 'Main' });
  driver.apply('table.create', { name: 'T', keyColumn: 'id', schema: { columns } });
  return driver;
}

/** A table of two columns, `k` and `v`, whose key is `k`. */
function simple(keyType = 'text'): TableDriver {
  const driver = new TableDriver();
  driver.apply('sheet.add', { name: 'Main' });
  const schema = { columns: [{ name: 'k', type: keyType }, { name: 'v' }] };
  driver.apply('table.create', { name: 'T', keyColumn: 'k', schema });
  return driver;
}

const rowsOf = (...pairs: readonly (readonly [string | number, unknown])[]) => ({
  table: 'T',
  rows: pairs.map(([k, v]) => ({ k, v })),
});

t.test('values are held against the schema, and what is wrong is pointed at', async (t) => {
  const driver = typed();
  const refusal = (row: object) => {
    const rows = [
      { id: 'ok', number: 1 },
      { id: 'x', number: 1, ...row },
    ];
    return driver.refusal('rows.upsert', { table: 'T', rows });
  };
  const wrong = [
    [{ number: 'one' }, '/rows/1/number'],
    [{ number: null }, '/rows/1/number'],
    [{ number: true }, '/rows/1/number'],
    [{ whole: 1.5 }, '/rows/1/whole'],
    [{ whole: 2 ** 53 }, '/rows/1/whole'],
    [{ flag: 1 }, '/rows/1/flag'],
    [{ day: '2026-02-30' }, '/rows/1/day'],
    [{ day: '31.1.2026' }, '/rows/1/day'],
    [{ day: 45_000.5 }, '/rows/1/day'],
    [{ day: -1 }, '/rows/1/day'],
    [{ moment: '2026-01-31T25:00' }, '/rows/1/moment'],
    [{ moment: '2026-01-31T10:00:00+02:00' }, '/rows/1/moment'],
    [{ size: 'XL' }, '/rows/1/size'],
    [{ size: 's' }, '/rows/1/size'],
    [{ number: '=1+1' }, '/rows/1/number'],
    [{ number: { error: '#N/A' } }, '/rows/1/number'],
    [{ id: '' }, '/rows/1/id'],
    [{ id: 7 }, '/rows/1/id'],
    [{ id: 'ok' }, '/rows/1/id'],
  ] as const;
  for (const [row, pointer] of wrong) t.equal(refusal(row), `row_invalid ${pointer}`);
  t.equal(refusal({ other: 1 }), 'column_not_found /rows/1/other');
  const without = { table: 'T', rows: [{ id: 'x' }] };
  t.equal(driver.refusal('rows.upsert', without), 'row_invalid /rows/0', 'a new row is complete');
  const list = { table: 'T', columns: ['number', 'id'], rows: [[1, 'a', 2]] };
  t.equal(driver.refusal('rows.upsert', list), 'row_invalid /rows/0');
  t.equal(driver.refusal('rows.upsert', { ...list, rows: [['a', 'b']] }), 'row_invalid /rows/0/0');
  t.same(driver.rows('T'), [], 'nothing was written');
});

t.test('values are kept as what they are', async (t) => {
  const driver = typed();
  const row = {
    id: "'=a",
    number: 1.5,
    whole: 2,
    flag: false,
    day: '2026-01-31',
    moment: '2026-01-31T12:00:00Z',
    free: '=1+1',
  };
  driver.apply('rows.upsert', { table: 'T', rows: [row] });
  t.same(driver.rows('T'), [
    {
      id: '=a',
      number: 1.5,
      whole: 2,
      flag: false,
      day: 46_053,
      moment: 46_053.5,
      size: 'M',
      free: '=1+1',
    },
  ]);
  const sheet = driver.state.structure.named('T');
  const area = { row0: 1, row1: 1, column0: 4, column1: 5 };
  const formats = [['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss']];
  t.same(sheet && driver.state.numberFormats(sheet, area), formats);
  driver.apply('rows.upsert', {
    table: 'T',
    rows: [{ id: '=b', number: 1, free: '=c' }],
    raw: true,
  });
  t.match(driver.rows('T')[1], { id: '=b', free: '=c' });
  driver.apply('settings.set', { path: 'dateSystem', value: 1904 });
  driver.apply('rows.upsert', { table: 'T', rows: [{ id: 'c', number: 1, day: '1904-01-02' }] });
  t.equal(driver.rows('T')[2]?.['day'], 1);
  driver.compare();
});

t.test('a date may be the key, as a day or as its number', async (t) => {
  const driver = simple('date');
  driver.apply('rows.upsert', rowsOf(['2026-01-31', 'a'], [46_054, 'b']));
  driver.apply('rows.upsert', rowsOf([46_053, 'c']));
  t.same(
    driver.rows('T').map(({ v }) => v),
    ['c', 'b'],
  );
  driver.apply('rows.delete', { table: 'T', keys: ['2026-02-01'] });
  t.same(
    driver.rows('T').map(({ k }) => k),
    [46_053],
  );
});

t.test('keys are exact', async (t) => {
  const driver = simple('any');
  driver.apply(
    'rows.upsert',
    rowsOf(['a', 1], ['A', 2], ['\u00e9', 3], ['e\u0301', 4], [1, 5], ['1', 6]),
  );
  t.equal(driver.rows('T').length, 6);
  t.equal(
    driver.refusal('rows.upsert', { table: 'T', rows: [{ k: true }] }),
    'row_invalid /rows/0/k',
  );
  driver.apply('rows.delete', { table: 'T', keys: ['A', 1] });
  t.same(
    driver.rows('T').map(({ v }) => v),
    [1, 3, 4, 6],
  );
});

t.test('rows that do not fit can be left out', async (t) => {
  const driver = typed();
  const rows = [
    { id: 'a', number: 1 },
    { id: 'b', number: 'x' },
    { number: 2 },
    { id: 'c', number: 3 },
  ];
  const { payload, clipped, status } = driver.apply('rows.upsert', {
    table: 'T',
    rows,
    onInvalid: 'skip',
  });
  t.same(clipped, ['/rows/1/number', '/rows/2']);
  t.match(
    [status, payload],
    [
      'rebased',
      {
        rows: [
          { id: 'a', number: 1 },
          { id: 'c', number: 3 },
        ],
      },
    ],
  );
  t.same(
    driver.rows('T').map(({ id }) => id),
    ['a', 'c'],
  );
  const none = driver.apply('rows.upsert', { table: 'T', rows: [{ id: '' }], onInvalid: 'skip' });
  t.equal(none.status, 'noop');
});

t.test('an import replaces all rows, and those whose key stays are the same rows', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1], ['b', 2], ['c', 3]));
  const before = driver.rowIds('T');
  const { resolved } = driver.apply('rows.import', {
    table: 'T',
    columns: ['k'],
    rows: [['d'], ['c'], ['a']],
  });
  t.same(driver.rows('T'), [
    { k: 'a', v: null },
    { k: 'c', v: null },
    { k: 'd', v: null },
  ]);
  const after = driver.rowIds('T');
  t.same([after.get('a'), after.get('c')], [before.get('a'), before.get('c')]);
  const idOf = (ids: Map<unknown, string>, key: string) => ids.get(key)?.split('.').map(Number);
  const span = (ids: Map<unknown, string>, key: string) => [...(idOf(ids, key) ?? []), 1];
  t.match(resolved, {
    lines: span(before, 'b'),
    areas: [{ rows: ['d', 'c', 'a'].flatMap((key) => span(after, key)) }],
  });
  t.match(driver.apply('rows.import', { table: 'T', rows: [{ k: 'd' }, { k: 'a' }, { k: 'c' }] }), {
    status: 'noop',
  });
  driver.apply('rows.import', { table: 'T', rows: [] });
  t.same([driver.rows('T'), driver.range('T')], [[], 'A1:B2']);
  t.equal(driver.apply('rows.import', { table: 'T', rows: [] }).status, 'noop');
  driver.compare();
});

t.test('keys of no row are an error unless they may be missing', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1]));
  const keys = { table: 'T', keys: ['a', 'b'] };
  t.equal(driver.refusal('rows.delete', keys), 'key_not_found /keys/1');
  t.equal(driver.rows('T').length, 1);
  t.equal(driver.apply('rows.delete', { ...keys, onMissing: 'ignore' }).status, 'applied');
  t.equal(driver.apply('rows.delete', { ...keys, onMissing: 'ignore' }).status, 'noop');
  driver.apply('range.set', { sheet: 'Main', range: 'A1:A3', inputs: [['x'], [1], [2]] });
  driver.apply('table.create', { name: 'Plain', sheetRange: 'Main!A1:A3' });
  t.equal(driver.refusal('rows.upsert', { table: 'Plain', rows: [{ x: 3 }] }), 'key_needed');
  t.equal(driver.refusal('rows.delete', { table: 'Plain', keys: [1] }), 'key_needed');
  t.equal(driver.refusal('rows.upsert', { table: 'None', rows: [{ x: 3 }] }), 'table_not_found');
});

t.test('what is typed into the cells of the key counts', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1], ['b', 2], ['c', 3]));
  driver.apply('cells.set', { sheet: 'T', cells: [{ a1: 'A2', input: 'x' }] });
  driver.apply('rows.upsert', rowsOf(['a', 4], ['x', 5]));
  t.same(
    driver.rows('T').map(({ k, v }) => `${String(k)}${String(v)}`),
    ['x5', 'b2', 'c3', 'a4'],
  );
  driver.apply('cells.set', { sheet: 'T', cells: [{ a1: 'A4', input: 'b' }] });
  driver.apply('rows.upsert', rowsOf(['b', 6]));
  t.same(
    driver.rows('T').map(({ v }) => v),
    [5, 6, 3, 4],
    'the topmost of two',
  );
  driver.apply('rows.delete', { table: 'T', keys: ['b'] });
  driver.apply('rows.upsert', rowsOf(['b', 7]));
  t.same(
    driver.rows('T').map(({ v }) => v),
    [5, 7, 4],
    'then the other one',
  );
  const fork = driver.state.fork();
  driver.apply('rows.delete', { table: 'T', keys: ['x', 'a'] });
  const view = new ClientView(fork.structure);
  const again = { kind: 'rows.delete', payload: { table: 'T', keys: ['x', 'b'] } } as Operation;
  const result = drive(admit(fork, again, { view, strict: undefined }));
  t.notOk(result instanceof Rejection, 'a fork has keys of its own');
  t.equal(driver.refusal('rows.delete', { table: 'T', keys: ['x'] }), 'key_not_found /keys/0');
});

t.test('strict submissions hear of the same keys and columns, and of no others', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1], ['b', 2], ['c', 3]));
  const base = driver.state.head;
  const strict = (kind: string, payload: object) =>
    driver.refusal(kind, payload, { baseSeq: base, strict: true });
  driver.apply('rows.upsert', rowsOf(['a', 9], ['new', 1]));
  driver.apply('rows.delete', { table: 'T', keys: ['c'] });
  t.equal(strict('rows.upsert', rowsOf(['a', 5])), 'conflict');
  t.equal(strict('rows.upsert', rowsOf(['new', 5])), 'conflict');
  t.equal(strict('rows.upsert', rowsOf(['c', 5])), 'conflict', 'deleted and written');
  t.equal(strict('rows.delete', { table: 'T', keys: ['a'] }), 'conflict');
  t.equal(strict('table.drop', { table: 'T' }), 'conflict');
  t.equal(strict('table.key.change', { table: 'T', keyColumn: 'v' }), 'conflict');
  t.equal(strict('table.column.drop', { table: 'T', column: 'v' }), 'conflict');
  t.equal(strict('rows.upsert', rowsOf(['b', 5])), 'none');
  t.equal(strict('rows.upsert', rowsOf(['z', 5])), 'none');
  t.equal(strict('table.column.add', { table: 'T', column: 'w' }), 'none');
  t.equal(strict('table.rename', { table: 'T', name: 'U' }), 'none');
  t.equal(strict('table.rename', { table: 'T', name: 'V' }), 'conflict');
});

t.test('scenarios of two writers, one of whom saw the table before the other', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1]));
  const base = driver.state.head;
  driver.apply('table.column.add', { table: 'T', column: 'c', type: 'integer', default: 7 });
  driver.apply('rows.upsert', rowsOf(['b', 2]), base);
  t.match(driver.rows('T')[1], { k: 'b', v: 2, c: 7 }, '26: a row without the new column');
  driver.apply('table.column.drop', { table: 'T', column: 'v' });
  const both = { table: 'T', rows: [{ k: 'a', v: 5 }] };
  t.equal(driver.refusal('rows.upsert', both, { baseSeq: base }), 'target_deleted', '27');
  const seen = driver.state.head;
  driver.apply('rows.upsert', { table: 'T', rows: [{ k: 'n', c: 1 }] });
  driver.apply('table.column.add', { table: 'T', column: 'd' });
  driver.apply('rows.upsert', { table: 'T', rows: [{ k: 'n', d: 2 }] });
  t.match(driver.rows('T')[2], { k: 'n', c: 1, d: 2 }, '28: one row');
  driver.apply('table.column.alter', { table: 'T', column: 'c', type: 'number' }, seen);
  driver.apply('rows.upsert', { table: 'T', rows: [{ k: 'n', c: 3 }] }, seen);
  t.match(driver.rows('T')[2], { c: 3, d: 2 }, '29: wider, and a plain upsert of before');
  const clipped = driver.apply('table.column.drop', { table: 'T', column: 'd' });
  t.equal(clipped.status, 'applied');
  const parts = driver.apply(
    'rows.upsert',
    { table: 'T', rows: [{ k: 'n', c: 4, d: 1 }] },
    driver.state.head - 1,
  );
  t.same([parts.status, parts.clipped], ['rebased', ['T[d]']]);
});

t.test('operations of one submission see what the earlier ones did', async (t) => {
  const driver = simple();
  driver.apply('rows.upsert', rowsOf(['a', 1], ['b', 2]));
  const base = driver.state.structure;
  driver.apply('rows.insert', { sheet: 'T', before: 2, count: 2 });
  driver.apply('table.rename', { table: 'T', name: 'U' });
  const view = new ClientView(base);
  const submit = (kind: string, payload: object) => {
    const operation = { kind, payload } as Operation;
    return drive(admit(driver.state, operation, { view, strict: undefined }));
  };
  submit('table.column.add', { table: 'T', column: 'w', before: 'v' });
  submit('rows.upsert', { table: 'T', rows: [{ k: 'c', w: 3, v: 4 }] });
  submit('table.create', { name: 'V', keyColumn: 'x', schema: { columns: [{ name: 'x' }] } });
  submit('rows.upsert', { table: 'V', rows: [{ x: 1 }] });
  submit('rows.delete', { table: 'T', keys: ['a'] });
  const typed = submit('cells.set', { sheet: 'T', cells: [{ a1: 'C2', input: 'of b' }] });
  t.match(typed, { status: 'rebased', payload: { cells: [{ a1: 'C4' }] } });
  t.same(driver.rows('U'), [
    { k: 'b', w: null, v: 'of b' },
    { k: 'c', w: 3, v: 4 },
  ]);
  t.same(driver.rows('V'), [{ x: 1 }]);
});
