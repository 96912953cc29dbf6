import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import {
  LineTable,
  NamedStyles,
  SheetPropertyTable,
} from '../../../server/state/structure/looks.ts';
import type { LineValue } from '../../../server/state/structure/line-value.ts';
import { caseCount } from '../../support/case-count.ts';
import {
  formatOperation,
  propertyOperation,
  structureOperation,
} from '../../support/look-operations.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

function twoSheets(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  return driver;
}

function rowsOf({ state }: StateDriver, sheet: number, count: number): LineValue[] {
  return linesOf(state, sheet, 'row', count);
}

function linesOf(state: BranchState, sheet: number, axis: 'row' | 'column', count: number) {
  const outline = state.structure.sheets[sheet];
  if (!outline) throw new Error('no such sheet');
  const order = axis === 'row' ? outline.rows : outline.columns;
  const lines = state.looks.lines.of(outline.id, axis);
  return Array.from({ length: count }, (_, position) => lines.at(order.idAt(position)));
}

const input = fc.constantFrom('=A1', '=One!B2+C3', '=SUM(Two!A2:B6)', 5, 'x', '').map((value) => ({
  kind: 'cells.set',
  payload: { sheet: 'One', cells: [{ a1: 'B3', input: value }] },
}));

const history = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: propertyOperation },
      { weight: 2, arbitrary: formatOperation },
      { weight: 2, arbitrary: structureOperation },
      { weight: 1, arbitrary: input },
    ),
    fc.nat(5),
  ),
  { minLength: 4, maxLength: 40 },
);

t.test('replaying what was journalled leads to the same state, and storing it too', async (t) => {
  const seen = new Set<string>();
  let rejectedCount = 0;
  fc.assert(
    fc.property(history, (steps) => {
      const driver = twoSheets();
      for (const [{ kind, payload }, behind] of steps) {
        const baseSeq = Math.max(2, driver.state.head - behind);
        const result = driver.submit(kind, payload, { baseSeq });
        if (result instanceof Rejection) rejectedCount++;
        else seen.add(`${kind} ${result.status}`);
      }
      const { state, mutations } = driver.replayed();
      const admitted = driver.admitted.map((operation) => operation.mutations);
      if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
      const hash = drive(driver.state.stateHash());
      if (drive(state.stateHash()) !== hash) throw new Error('state hash');
      checkStored(state);
    }),
    { numRuns: caseCount(300) },
  );
  t.comment(`${[...seen].sort().join(', ')}; ${rejectedCount} rejected`);
  for (const kind of ['rows.size', 'cols.group', 'sheet.props']) {
    t.ok(seen.has(`${kind} applied`), `${kind} was applied`);
    t.ok(seen.has(`${kind} noop`), `${kind} changed nothing`);
  }
  const rebased = [...seen].filter((outcome) => /^(?:rows|cols)\..* rebased$/u.test(outcome));
  t.ok(rebased.length > 0, 'lines were carried to the head');
});

function storedEntries(family: LineTable | NamedStyles | SheetPropertyTable) {
  return [...(family instanceof LineTable ? drive(family.list()) : family).entries()];
}

/** Every family is sorted, plain JSON, and the same after it was loaded. */
function checkStored({ looks }: BranchState): void {
  const families = [
    [looks.lines, LineTable],
    [looks.styles, NamedStyles],
    [looks.properties, SheetPropertyTable],
  ] as const;
  for (const [family, Family] of families) {
    const text = JSON.stringify(storedEntries(family));
    const entries = JSON.parse(text) as [string, unknown][];
    const keys = entries.map(([key]) => key);
    if (keys.join() !== keys.toSorted().join()) throw new Error('entries are not sorted');
    if (new Set(keys).size !== keys.length) throw new Error('two entries have one key');
    if (JSON.stringify(storedEntries(Family.from({ entries }))) !== text) throw new Error(text);
  }
}

t.test('a fork keeps how its sheets look', async (t) => {
  const driver = twoSheets();
  driver.apply('rows.size', { sheet: 'One', from: 2, count: 3, px: 40 });
  driver.apply('sheet.props', { sheet: 'One', zoom: 80 });
  driver.apply('props.set', { labels: ['b', 'a', 'b'], title: 'T' });
  driver.apply('style.define', { id: 'Good', style: { bold: true } });
  const fork = driver.state.fork();
  const hash = drive(fork.stateHash());
  driver.apply('rows.size', { sheet: 'One', from: 3, auto: true });
  driver.apply('sheet.props', { sheet: 'One', zoom: null });
  driver.apply('props.set', { labels: null });
  driver.apply('style.delete', { id: 'good' });
  t.equal(drive(fork.stateHash()), hash);
  t.same(fork.settings.get('labels'), ['a', 'b']);
  t.same(driver.state.settings.get('labels'), []);
  t.same(driver.state.sheetSummaries()[0]?.properties, {});
  t.same(fork.sheetSummaries()[0]?.properties, { zoom: 80 });
});

t.test('sizes, levels and hidden lines stay with their rows', async (t) => {
  const driver = twoSheets();
  driver.apply('rows.size', { sheet: 'One', from: 2, px: 33.333_333 });
  driver.apply('rows.group', { sheet: 'One', from: 3, count: 2, level: 1, collapsed: true });
  const folded = { collapsed: true, hidden: true, level: 1 };
  t.same(rowsOf(driver, 0, 5), [{}, { px: 33.333 }, folded, folded, {}]);
  driver.apply('rows.move', { sheet: 'One', from: 2, before: 5 });
  t.same(rowsOf(driver, 0, 5), [{}, folded, folded, { px: 33.333 }, {}]);
  driver.apply('rows.hide', { sheet: 'One', from: 2, hidden: false });
  t.same(rowsOf(driver, 0, 3), [{}, { level: 1 }, folded]);
  driver.apply('rows.group', { sheet: 'One', from: 2, count: 2, level: 0, collapsed: false });
  t.same(rowsOf(driver, 0, 5), [{}, {}, {}, { px: 33.333 }, {}]);
  driver.apply('rows.delete', { sheet: 'One', from: 4 });
  t.same([...drive(driver.state.looks.lines.list()).entries()], []);
});

t.test('new lines are like the one before them, but never hidden', async (t) => {
  const driver = twoSheets();
  driver.apply('cols.size', { sheet: 'One', spans: [{ from: 'B' }, { from: 'D' }], px: 120 });
  driver.apply('cols.hide', { sheet: 'One', from: 'B' });
  driver.apply('cols.insert', { sheet: 'One', after: 'B', count: 2 });
  driver.apply('cols.insert', { sheet: 'One', before: 'A' });
  driver.apply('cols.insert', { sheet: 'One', before: 'G', inherit: 'after' });
  const columns = linesOf(driver.state, 0, 'column', 8);
  const wide = { px: 120 };
  t.same(columns, [{}, {}, { hidden: true, ...wide }, wide, wide, {}, wide, wide]);
  const inserted = driver.admitted.find(({ kind }) => kind === 'cols.insert');
  t.same(inserted?.resolved.inherit, [0, 0, 1]);
});

t.test('one sheet always stays visible', async (t) => {
  const driver = twoSheets();
  driver.apply('sheet.props', { sheet: 'One', hidden: 'veryHidden' });
  t.match(driver.submit('sheet.props', { sheet: 'Two', hidden: true }), {
    code: 'last_visible_sheet',
  });
  t.match(driver.submit('sheet.delete', { sheet: 'Two' }), { code: 'last_visible_sheet' });
  driver.apply('sheet.props', { sheet: 'Two', hidden: false, zoom: 100 });
  driver.apply('sheet.delete', { sheet: 'One' });
  t.same([...driver.state.looks.properties.entries()], [], 'its properties went with it');
  t.match(driver.submit('sheet.props', { sheet: 'Two' }), { code: 'value_missing' });
  t.match(driver.submit('rows.size', { sheet: 'Two', from: 1 }), { code: 'value_missing' });
  t.match(driver.submit('rows.group', { sheet: 'Two', from: 1 }), { code: 'value_missing' });
  t.match(driver.submit('props.set', {}), { code: 'value_missing' });
  t.match(driver.submit('style.delete', { id: 'Normal' }), { code: 'bad_style' });
  t.match(driver.submit('style.delete', { id: 'x' }), { code: 'style_not_found' });
  const base = driver.state.head;
  driver.apply('rows.delete', { sheet: 'Two', from: 5 });
  const gone = driver.submit('rows.hide', { sheet: 'Two', from: 5 }, { baseSeq: base });
  t.match(gone, { code: 'target_deleted' });
});

t.test('settings of calculation are kept within their bounds', async (t) => {
  const driver = twoSheets();
  const set = (path: string, value: unknown) => driver.submit('settings.set', { path, value });
  t.match(set('iteration.maxCount', 50), { status: 'applied' });
  t.match(set('iteration.maxCount', 0.5), { code: 'bad_setting' });
  t.match(set('iteration.maxCount', 40_000), { code: 'bad_setting' });
  t.match(set('iteration.maxChange', 1e-6), { status: 'applied' });
  t.match(set('calcMode', 'manual'), { status: 'applied' });
  t.match(set('calcMode', 'sometimes'), { code: 'bad_setting' });
  t.match(set('labels', 'a'), { code: 'bad_setting', message: /props.set/ });
  t.match(set('theme.colors', 'red'), { code: 'bad_setting' });
  t.match(set('title', 'Plan'), { status: 'applied' });
  t.equal(driver.apply('props.set', { title: 'Plan' }).status, 'noop', 'one register');
  t.match(set('calcMode', null), { status: 'applied' });
  t.equal(driver.state.settings.get('calcMode'), 'auto');
});

t.test('a copy of a sheet has its cells, formulas and looks', async (t) => {
  const driver = twoSheets();
  driver.apply('range.fill', { sheet: 'One', range: 'B1:B2000', input: '=A1+One!$C$1+Two!A1' });
  driver.apply('range.set', { sheet: 'One', range: 'A1:A3', inputs: [[1], ["'=x"], [true]] });
  driver.apply('cells.set', {
    sheet: 'One',
    cells: [
      { a1: 'D1', input: '=A1:A2', array: 'D1:D2' },
      { a1: 'D3', input: '=A1', legacy: true },
      { a1: 'E3', input: '=A3', array: 'E3' },
      { a1: 'E4', input: '=A4', array: 'E4' },
    ],
  });
  driver.apply('format.set', { sheet: 'One', range: '1:1', style: { bold: true } });
  driver.apply('rows.size', { sheet: 'One', from: 1, px: 50 });
  driver.apply('sheet.props', { sheet: 'One', freezeRows: 1 });
  driver.apply('name.set', { name: 'rate', scope: 'One', ref: 'One!C1' });
  driver.apply('rows.insert', { sheet: 'One', before: 3, inherit: 'none' });
  const copied = driver.apply('sheet.add', { name: 'It is', copyOf: 'One', index: 0, rows: 10 });
  const id = copied.resolved.sheet;
  t.equal(copied.resolved.source, driver.state.structure.named('One')?.id);
  t.equal(driver.read('B1'), "=A1+'It is'!$C$1+Two!A1");
  t.equal(driver.read('B2001'), "=A2001+'It is'!$C$1+Two!A2000");
  t.equal(driver.read('B2001', 1), '=A2001+One!$C$1+Two!A2000');
  t.equal(driver.read('A2'), '=x');
  t.same(rowsOf(driver, 0, 2), [{ px: 50, style: { bold: true } }, {}]);
  t.match(driver.state.sheetSummaries()[0], {
    id,
    properties: { freezeRows: 1 },
    used: 'A1:E2001',
  });
  t.match(driver.state.nameSummaries(), [
    { name: 'rate', scope: driver.state.structure.named('One')?.id, formula: '=One!$C$1' },
    { name: 'rate', scope: id, formula: "='It is'!$C$1" },
  ]);
  const inputs = copied.mutations.flatMap((mutation) => ('input' in mutation ? [mutation] : []));
  t.match(
    inputs.find(({ column, row }) => column === 3 && row === 0),
    { input: { formula: '=A1:A2', array: 'D1:D2' } },
  );
  const single = inputs.filter(({ kind, column }) => kind === 'cell' && column === 4);
  t.same(
    single.map(({ row }) => row),
    [3, 4],
    'each array formula by itself',
  );
  driver.apply('cells.set', { sheet: 'It is', cells: [{ a1: 'A1', input: 9 }] });
  driver.apply('format.set', { sheet: 'It is', range: 'A1', style: { italic: true } });
  t.equal(driver.read('A1', 1), 1, 'the source keeps what it has');
  const { state } = driver.replayed();
  t.equal(drive(state.stateHash()), drive(driver.state.stateHash()));
});

t.test('a copy is of what the client saw, and the client sees the copy', async (t) => {
  const driver = twoSheets();
  const base = driver.state.head;
  driver.apply('sheet.rename', { sheet: 'One', name: 'First' });
  const copied = driver.apply('sheet.add', { name: 'Copy', copyOf: 'One' }, base);
  t.match(copied, { status: 'rebased', payload: { copyOf: /^s1\.1\.0$/ } });
  const missing = driver.submit('sheet.add', { name: 'Other', copyOf: 'Nowhere' });
  t.match(missing, { code: 'sheet_not_found' });
  t.match(driver.submit('sheet.add', { name: 'Copy', copyOf: 'Two' }), { code: 'name_taken' });
});
