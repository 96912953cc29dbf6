import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { formatOperation, propertyOperation } from '../../support/look-operations.ts';
import { seen } from '../../support/seen-state.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

// Rows F, D and W of the table of commutation, with all the kinds of looks there are: operations that
// write different registers may change places, those that write one to different values are a conflict.

interface Drawn {
  readonly kind: string;
  readonly payload: object;
}

const line = fc.integer({ min: 1, max: 8 });
const count = fc.integer({ min: 1, max: 2 });
const place = fc.record({ sheet: fc.constant('One'), from: line, count });

/** Neighbours give nothing to new lines here: what they have may be what the other one writes. */
const orderOperation = fc.oneof(
  place.map(({ sheet, from, count: n }) => ({
    kind: 'rows.insert',
    payload: { sheet, before: from, count: n, inherit: 'none' },
  })),
  place.map(({ sheet, from, count: n }) => ({
    kind: 'cols.insert',
    payload: { sheet, before: from, count: n, inherit: 'none' },
  })),
  fc
    .tuple(place, line)
    .map(([payload, before]) => ({ kind: 'rows.move', payload: { ...payload, before } })),
  fc
    .tuple(place, line)
    .map(([payload, before]) => ({ kind: 'cols.move', payload: { ...payload, before } })),
);

const valueOperation = fc
  .tuple(fc.constantFrom('A', 'B', 'C'), line, fc.constantFrom(1, 'x', '=A1'))
  .map(([column, row, input]) => ({
    kind: 'cells.set',
    payload: { sheet: 'One', cells: [{ a1: `${column}${row}`, input }] },
  }));

const settingOperation = fc
  .tuple(fc.constantFrom('title', 'calcMode', 'iteration.maxCount'), fc.boolean())
  .map(([path, isSet]) => {
    const values = { title: 'T', calcMode: 'manual', 'iteration.maxCount': 5 };
    const value = isSet ? values[path] : null;
    return { kind: 'settings.set', payload: { path, value } };
  });

const lookOperation = fc.oneof(formatOperation, propertyOperation).filter(({ kind, payload }) => {
  // Sheets that come and go, and copies of them, are other rows of the table.
  return kind !== 'sheet.add' && kind !== 'sheet.delete' && !wholeSheet(payload);
});

/**
 * Returns whether a look covers the whole sheet. A row takes over a look that most columns have:
 * equal to see, but stored in another way.
 */
function wholeSheet(payload: object): boolean {
  return 'range' in payload && payload.range === 'A:XFD';
}

function started(before: readonly Drawn[]): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('style.define', { id: 'Good', style: { bold: true } });
  driver.apply('style.define', { id: 'Heading 1', style: { size: 20 } });
  for (const { kind, payload } of before) driver.submit(kind, payload);
  return driver;
}

/** One after the other, both written against the same base; undefined when one is refused. */
function inOrder(before: readonly Drawn[], both: readonly [Drawn, Drawn]) {
  const driver = started(before);
  const base = driver.state.head;
  for (const { kind, payload } of both) {
    const result = driver.submit(kind, payload, { baseSeq: base, strict: true });
    if (result instanceof Rejection) return { code: result.code };
  }
  return { state: driver.state };
}

function commutes(name: string, left: fc.Arbitrary<Drawn>, right: fc.Arbitrary<Drawn>): void {
  t.test(`${name}: what does not conflict may change places`, async (t) => {
    let commuted = 0;
    let conflicts = 0;
    fc.assert(
      fc.property(fc.array(lookOperation, { maxLength: 3 }), left, right, (before, a, b) => {
        const one = inOrder(before, [a, b]);
        const other = inOrder(before, [b, a]);
        if (one.code === 'conflict' || other.code === 'conflict') {
          conflicts++;
          return;
        }
        if (!one.state || !other.state) return;
        commuted++;
        const [first, second] = [seen(one.state), seen(other.state)];
        if (first !== second) throw new Error(`${first}\n${second}`);
      }),
      { numRuns: 100 },
    );
    t.comment(`${commuted} commuted, ${conflicts} conflicts`);
    t.ok(commuted > 8);
  });
}

commutes('F and V', formatOperation.filter(isFormatOnly), valueOperation);
commutes('F and D', formatOperation.filter(isFormatOnly), propertyOnly());
commutes('F and F', formatOperation.filter(isFormatOnly), formatOperation.filter(isFormatOnly));
commutes('D and D', propertyOnly(), propertyOnly());
commutes('F and O', formatOperation.filter(isFormatOnly), orderOperation);
commutes('D and O', propertyOnly(), orderOperation);
commutes('D and W', propertyOnly(), settingOperation);
commutes('W and W', settingOperation, settingOperation);

function isFormatOnly({ kind, payload }: Drawn): boolean {
  return (kind === 'format.set' || kind === 'numfmt.set') && !wholeSheet(payload);
}

function propertyOnly(): fc.Arbitrary<Drawn> {
  return lookOperation.filter(({ kind }) => !/^(?:cells|range|format|numfmt)\./u.test(kind));
}

t.test('one register, two values: a conflict; the same value: none to look at', async (t) => {
  const pairs: [Drawn, Drawn][] = [
    [format({ bold: true }), format({ bold: false })],
    [format({ fill: '#FF0000' }), format({ fill: null })],
    [format({ border: { top: { style: 'thin' } } }), format({ border: { top: null } })],
    [set('rows.size', { px: 20 }), set('rows.size', { auto: true })],
    [set('rows.group', { collapsed: true }), set('rows.hide', { hidden: false })],
    [sheet({ zoom: 50 }), sheet({ zoom: 60 })],
    [
      { kind: 'style.define', payload: { id: 'Good', style: {} } },
      { kind: 'style.delete', payload: { id: 'good' } },
    ],
    [
      { kind: 'props.set', payload: { title: 'a' } },
      { kind: 'settings.set', payload: { path: 'title', value: 'b' } },
    ],
  ];
  for (const [a, b] of pairs) {
    t.equal(inOrder([], [a, b]).code, 'conflict', `${a.kind} and ${b.kind}`);
    const driver = started([a]);
    const hash = drive(driver.state.stateHash());
    driver.submit(a.kind, a.payload, { baseSeq: 2, strict: true });
    t.equal(drive(driver.state.stateHash()), hash, `${a.kind} twice`);
  }
  const apart: [Drawn, Drawn][] = [
    [format({ bold: true }), format({ italic: true })],
    [format({ border: { top: null } }), format({ border: { left: null } })],
    [set('rows.size', { px: 20 }), set('rows.hide', { hidden: false })],
    [sheet({ zoom: 50 }), sheet({ rtl: true })],
  ];
  for (const [a, b] of apart) {
    t.ok(inOrder([], [a, b]).state, `${a.kind} and ${b.kind}`);
  }
});

function format(style: object): Drawn {
  return { kind: 'format.set', payload: { sheet: 'One', range: 'B2:C3', style } };
}

function set(kind: string, values: object): Drawn {
  return { kind, payload: { sheet: 'One', from: 2, count: 2, ...values } };
}

function sheet(values: object): Drawn {
  return { kind: 'sheet.props', payload: { sheet: 'One', ...values } };
}
