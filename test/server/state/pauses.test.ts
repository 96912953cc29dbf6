import t from 'tap';

import { operationSchema } from '../../../server/model/operation.ts';
import { admit, admitAtOnce } from '../../../server/state/admission.ts';
import { ClientView } from '../../../server/state/client-view.ts';
import { toEnd } from '../../../server/state/plan/steps.ts';
import { planOperation } from '../../../server/state/planning.ts';
import { StateDriver } from '../../support/state-driver.ts';

/**
 * Operations on all columns of a sheet are planned and carried out with pauses, between which a
 * service answers others.
 */

/** A column at a time would be more than sixteen thousand. */
const pausesLeast = 500;

const operations = [
  ['range.fill', { range: 'A1:XFD3', input: 2 }],
  ['range.set', { range: 'A5:XFD5', inputs: [Array.from({ length: 16_384 }, (_, at) => at)] }],
  ['format.set', { range: 'A1:XFD1', style: { bold: true } }],
  ['range.copy', { source: 'A1:XFD2', to: 'A20' }],
  ['range.move', { source: 'A1:XFD2', to: 'A30' }],
  ['cols.delete', { from: 'B', count: 1 }],
  ['range.fill', { range: 'A40:XFD40', input: 3 }],
  ['cols.move', { from: 'B', count: 1, before: 'XFA' }],
  ['rows.delete', { from: 3, count: 3 }],
  ['range.clear', { range: 'A15:XFD19' }],
  ['rows.insert', { before: 60, count: 1 }],
] as const;

t.test('operations on all columns pause', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Sheet1' });
  driver.apply('range.fill', { range: 'A1:XFD2', input: 1 });
  driver.apply('range.fill', { range: 'A9:XFD9', input: 'x' });
  for (const [kind, payload] of operations) {
    const { state } = driver;
    const operation = operationSchema.parse({ kind, payload: { sheet: 'Sheet1', ...payload } });
    const options = { view: new ClientView(state.structure), strict: undefined };
    t.equal(admitAtOnce(state, operation, options), undefined, `${kind} is not done at once`);
    const steps = admit(state, operation, options);
    let pauseCount = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauseCount++;
    t.match(step.value, { status: 'applied' }, `${kind} is applied`);
    t.ok(pauseCount >= pausesLeast, `${kind} pauses ${pauseCount} times`);
  }
  t.equal(driver.read('A30'), null);
  t.equal(driver.read('XFB27'), 2);
});

t.test('whether a large write changes anything is found with pauses', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Sheet1' });
  const inputs = Array.from({ length: 200 }, (_, row) => Array<number>(130).fill(row));
  const cells = Array.from({ length: 2_000 }, (_, row) => ({ a1: `A${row + 600}`, input: row }));
  for (const [kind, payload, least] of [
    ['range.set', { range: 'A1', inputs }, 25],
    ['range.fill', { range: 'A300:XFD300', input: 1 }, 16_384],
    ['range.copy', { source: 'A1:DZ100', to: 'A400' }, 130],
    ['cells.set', { cells }, 1],
  ] as const) {
    const sent = { sheet: 'Sheet1', ...payload };
    driver.apply(kind, sent);
    const { state } = driver;
    const operation = operationSchema.parse({ kind, payload: sent });
    const planning = planOperation(operation, state.contextAt(state.structure));
    const steps = state.changesNothing(toEnd(planning).plan);
    let pauseCount = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauseCount++;
    t.equal(step.value, true, `${kind} changes nothing the second time`);
    t.ok(pauseCount >= least, `${kind} pauses ${pauseCount} times`);
    t.match(driver.apply(kind, sent), { status: 'noop' });
  }
});

t.test('a small operation is done at once', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Sheet1' });
  driver.apply('range.fill', { range: 'A1:C9', input: 1 });
  const operation = operationSchema.parse({ kind: 'range.clear', payload: { range: 'A1:B2' } });
  const view = new ClientView(driver.state.structure);
  t.match(admitAtOnce(driver.state, operation, { view, strict: undefined }), { status: 'applied' });
});
