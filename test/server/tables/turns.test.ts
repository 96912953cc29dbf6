import t from 'tap';

import { cellTag } from '../../../server/state/cells/block.ts';
import { diffStates } from '../../../server/state/diff/diff.ts';
import { noChangedRows } from '../../../server/state/diff/table-rows.ts';
import { sortedNumbers } from '../../../server/state/diff/sorted-numbers.ts';
import { sortedRows } from '../../../server/state/operations/sort-rows.ts';
import type { ColumnValues } from '../../../server/tables/reading/column-values.ts';
import { groupRows } from '../../../server/tables/reading/groups.ts';
import { kindOf } from '../../../server/tables/reading/row-arrow.ts';
import { WideMap } from '../../../server/tables/reading/wide-map.ts';
import { ChangeFeed } from '../../../server/diffs/change-feed.ts';
import { Scale } from '../../../server/state/ids/scale.ts';
import { operationSchema } from '../../../server/model/operation.ts';
import { planOperation } from '../../../server/state/planning.ts';
import { completed } from '../../../server/tables/writing/row-parts.ts';
import { SeenKeys } from '../../../server/tables/writing/seen-keys.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import { StateDriver } from '../../support/state-driver.ts';

// Between two steps nobody else has the thread. Counts of what a step does decide, no clock.

const rowCount = 40_000;

/** Runs a computation to its end; answers how many steps it took, and what `count` was at most. */
function stepped<Result>(steps: Generator<void, Result>, work = { count: 0 }) {
  let [stepCount, most] = [0, 0];
  for (;;) {
    work.count = 0;
    const { done, value } = steps.next();
    stepCount++;
    most = Math.max(most, work.count);
    if (done === true) return { stepCount, most, result: value };
  }
}

function texts(length: number): ColumnValues {
  return {
    tags: new Uint8Array(length).fill(cellTag.text),
    numbers: Float64Array.from({ length }, (_, row) => length - row),
    texts: [],
  };
}

t.test('rows are sorted by texts some thousand at a time', (t) => {
  const work = { count: 0 };
  const dictionary = {
    text: (number: number) => {
      work.count++;
      return `k${String(number).padStart(6, '0')}`;
    },
  };
  const key = { lanes: texts(rowCount), isDescending: false, type: 'auto' } as const;
  const { most, stepCount, result } = stepped(sortedRows(rowCount, [key], dictionary), work);
  t.ok(most <= 4_096, `${most} texts were read without a turn`);
  t.ok(stepCount > (2 * rowCount) / 4_096, `${stepCount} steps`);
  t.same(result.slice(0, 2), Uint32Array.of(rowCount - 1, rowCount - 2));
  t.end();
});

t.test('a group for each row: those that are shown are made', (t) => {
  const { state } = new StateDriver();
  const values: ColumnValues = {
    tags: new Uint8Array(rowCount).fill(cellTag.number),
    numbers: Float64Array.from({ length: rowCount }, (_, row) => row / 4),
    texts: [],
  };
  const column = { id: '1.1.0', name: 'a', line: { branch: 1, sequence: 1, offset: 0 } };
  const keys = [{ column, values }];
  const wanted = [
    { measure: 'sum', column, values },
    { measure: 'distinct', column, values },
  ] as const;
  const rows = Uint32Array.from({ length: rowCount }, (_, row) => rowCount - 1 - row);
  const { stepCount, result } = stepped(groupRows(rows, { keys, wanted, order: [] }, state));
  t.ok(stepCount > rowCount / 2_048, `${stepCount} steps`);
  t.equal(result.length, rowCount);
  t.same(result.slice(rowCount - 1, 10), [
    { key: [(rowCount - 1) / 4], values: [(rowCount - 1) / 4, 1] },
  ]);
  t.end();
});

t.test('the kind of a column is told some thousand values at a time', (t) => {
  const work = { count: 0 };
  function* values(): Generator<number> {
    for (let at = 0; at < rowCount; at++) {
      work.count++;
      yield at;
    }
  }
  const { most, result } = stepped(kindOf(values()), work);
  t.ok(most <= 4_096, `${most} values were read without a turn`);
  t.equal(result, 'number');
  t.end();
});

t.test('numbers are sorted piece by piece', (t) => {
  const numbers = Float64Array.from({ length: rowCount }, (_, at) => (at * 7_919) % rowCount);
  const { stepCount, result } = stepped(sortedNumbers(numbers));
  t.ok(stepCount > rowCount / 8_192, `${stepCount} steps`);
  t.same(
    result.every((number, at) => number === at),
    true,
  );
  t.end();
});

t.test('a wide map holds what a map holds', (t) => {
  const [wide, plain] = [new WideMap(), new Map<number, number>()];
  for (const key of [0, -0, 1, 0.1, -5, 2 ** 31, 2 ** 40, 1e300, ...texts(2_000).numbers]) {
    wide.set(key, key * 2);
    plain.set(key, key * 2);
  }
  t.same(
    [...plain].filter(([key, value]) => wide.get(key) !== value),
    [],
  );
  t.equal(wide.get(-0), wide.get(0));
  t.equal(wide.get(7_777_777), undefined);
  t.end();
});

t.test('changes of many rows are found with turns between, whatever became of them', (t) => {
  const driver = new StateDriver();
  const columns = [{ name: 'sku' }, { name: 'price' }];
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema: { columns } });
  const first = driver.state.fork();
  const count = 10_000;
  const rows = Array.from({ length: count }, (_, at) => ({ sku: `S${at}`, price: at }));
  driver.apply('rows.import', { table: 'Items', rows });
  const full = driver.state.fork();
  const raised = rows.slice(100, 9_000).map(({ sku, price }) => ({ sku, price: price + 1 }));
  driver.apply('rows.upsert', { table: 'Items', rows: [{ sku: 'new', price: 1 }, ...raised] });
  driver.apply('rows.delete', { table: 'Items', keys: ['S1', 'S9999'] });
  const kinds = new Set(['tables'] as const);
  const changes = (from: typeof first, to: typeof first) => {
    const { stepCount, result } = stepped(diffStates({ from, to }, { kinds }));
    const found = result.sheets[0]?.tables[0]?.rows;
    return { stepCount, found, counts: found?.counts };
  };
  const added = changes(first, full);
  t.ok(added.stepCount > count / 1_024, `${added.stepCount} steps`);
  t.same(added.counts, { added: count, modified: 0, removed: 0 });
  t.same(changes(full, first).counts, { added: 0, modified: 0, removed: count });
  const { counts, found, stepCount } = changes(full, driver.state);
  t.ok(stepCount > raised.length / 1_024, `${stepCount} steps`);
  t.same(counts, { added: 1, modified: raised.length, removed: 2 });
  t.same(
    found?.slice(raised.length - 1).map(({ change, read }) => [change, read().key]),
    [
      ['modified', 'S8999'],
      ['added', 'new'],
      ['removed', 'S1'],
      ['removed', 'S9999'],
    ],
  );
  t.end();
});

t.test('the rows of a part are prepared some hundred at a time', (t) => {
  const key = { name: 'sku' };
  const columns = [key, { name: 'price' }];
  const rows = Array.from({ length: 10_000 }, (_, at) => [`k${at % 9_999}`, at]);
  const part = { index: 0, columns: undefined, rows };
  const seen = new SeenKeys({ columns, key, date1904: false }, {});
  const added = stepped(seen.add(part));
  t.ok(added.stepCount >= (2 * rows.length) / 256, `${added.stepCount} steps`);
  t.same(added.result, []);
  const again = stepped(seen.add({ ...part, index: 10_000, rows: rows.slice(5, 6) }));
  t.match(again.result, [{ row: 10_000, key: 'k5' }]);
  const { stepCount, result } = stepped(completed(part, {}, columns));
  t.ok(stepCount >= rows.length / 256, `${stepCount} steps`);
  t.same(result.rows, rows);
  t.end();
});

t.test('rows of a table are carried out some thousand cells at a time', (t) => {
  const driver = new StateDriver();
  const columns = [{ name: 'sku' }, { name: 'price' }, { name: 'count' }];
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema: { columns } });
  const rowsOf = (from: number, length: number) => {
    return Array.from({ length }, (_, at) => ({ sku: `S${from + at}`, price: at, count: 1 }));
  };
  driver.apply('rows.import', { table: 'Items', rows: rowsOf(0, 9_999) });
  const { state } = driver;
  const payload = { table: 'Items', rows: rowsOf(5_000, 7_000) };
  const operation = operationSchema.parse({ kind: 'rows.upsert', payload });
  const { result } = stepped(planOperation(operation, state.contextAt(state.structure)));
  const { stepCount } = stepped(state.applySlowly(result.plan));
  // Columns, mutations and keys pause.
  t.ok(stepCount >= (3 * payload.rows.length) / 1_024, `${stepCount} steps`);
  const again = { table: 'Items', rows: rowsOf(11_998, 3) };
  t.match(driver.apply('rows.upsert', again).rows, { inserted: 1, updated: 2 });
  t.end();
});

t.test('whoever takes events as they come lets others have turns', async (t) => {
  const driver = new StateDriver();
  const columns = [{ name: 'sku' }];
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema: { columns } });
  const from = driver.state.fork();
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ sku: `S${at}` }));
  driver.apply('rows.import', { table: 'Items', rows });
  const { result } = stepped(diffStates({ from, to: driver.state }));
  const rowsChanged = result.sheets[0]?.tables[0]?.rows ?? noChangedRows;
  let [clock, turns] = [0, 0];
  const environment = {
    // Each look at the clock finds a slice used up.
    now: () => (clock += 10),
    elapsed: () => (clock += 10),
    after: (_delay: number, action: () => void) => {
      turns++;
      setImmediate(action);
      return () => undefined;
    },
    random: () => new Uint8Array(1),
  };
  const place = { address: { workbookId: 'wb', branchNo: 1 }, branch: 'main', seq: 2 };
  const ends = { from: { ...place, isPinned: true }, to: { ...place, isPinned: true } };
  const changes = {
    table: 't',
    name: 'Items',
    key: 'sku',
    change: null,
    schema: [],
    rows: rowsChanged,
  };
  const diffs = { tableChanges: async () => changes };
  const feed = new ChangeFeed({
    diffs,
    branches: { subscribe: () => () => undefined },
    environment,
  });
  const { signal } = new AbortController();
  const locate = async () => ends;
  let [events, told] = [0, 0];
  for await (const event of feed.follow({ workbookId: 'wb', table: 't', signal, locate })) {
    if (!event) continue;
    events++;
    told += (event.data as { changes: unknown[] }).changes.length;
    if (event.isLast) break;
  }
  t.same([events, told], [5, 5_000]);
  // Each reads its rows 64 at a time.
  t.ok(turns >= 5_000 / 64, `${turns} turns`);
});

t.test('the keys of a fork are those it changed, on top of the others', (t) => {
  const driver = new StateDriver();
  const columns = [{ name: 'sku' }, { name: 'price' }];
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema: { columns } });
  const rows = Array.from({ length: 3_000 }, (_, at) => ({ sku: `S${at}`, price: at }));
  driver.apply('rows.import', { table: 'Items', rows });
  driver.apply('rows.upsert', { table: 'Items', rows: [{ sku: 'S0', price: 9 }] });
  const weigh = (...states: { weighKeys: (scale: Scale) => void }[]): number => {
    const scale = new Scale();
    for (const state of states) state.weighKeys(scale);
    return scale.bytes;
  };
  const alone = weigh(driver.state);
  const fork = new StateDriver();
  fork.take(driver.state.fork());
  fork.apply('rows.delete', { table: 'Items', keys: ['S1'] });
  fork.apply('rows.upsert', { table: 'Items', rows: [{ sku: 'new', price: 1 }] });
  t.ok(alone > 0 && weigh(driver.state, fork.state) < 1.1 * alone, 'most is shared');
  const again = new StateDriver();
  again.take(fork.state.fork());
  again.apply('rows.delete', { table: 'Items', keys: ['S2', 'new'] });
  for (const [state, gone] of [
    [driver, ['new']],
    [fork, ['S1']],
    [again, ['S1', 'S2', 'new']],
  ] as const) {
    for (const key of ['S1', 'S2', 'S3', 'new']) {
      const deletion = state.submit('rows.delete', { table: 'Items', keys: [key] });
      const isGone = (gone as readonly string[]).includes(key);
      t.equal(deletion instanceof Rejection, isGone, key);
    }
  }
  t.end();
});
