import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { caseCount } from '../../support/case-count.ts';
import { operationHistory } from '../../support/operation-history.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

t.test('replaying what was journalled leads to the same state and mutations', async (t) => {
  let rebasedCount = 0;
  let rejectedCount = 0;
  const tables = new Map<string, number>();
  fc.assert(
    fc.property(operationHistory, (steps) => {
      const driver = new StateDriver();
      driver.apply('sheet.add', { name: 'One' });
      driver.apply('sheet.add', { name: 'Two' });
      const keyed = { keyColumn: 'k', schema: { columns: [{ name: 'k' }, { name: 'v' }] } };
      driver.apply('table.create', { name: 'Own', ...keyed });
      driver.apply('table.create', { name: 'Sales', ...keyed, sheetRange: 'Two!B3:C6' });
      const { head } = driver.state;
      for (const [{ kind, payload }, behind] of steps) {
        const baseSeq = Math.max(head, driver.state.head - behind);
        const result = driver.submit(kind, payload, { baseSeq });
        if (result instanceof Rejection) rejectedCount++;
        else if (result.status === 'rebased') rebasedCount++;
        if (!(result instanceof Rejection) && 'table' in payload) {
          const outcome = `${result.kind} ${result.status}`;
          tables.set(outcome, (tables.get(outcome) ?? 0) + 1);
        }
      }
      const { state, mutations } = driver.replayed();
      const admitted = driver.admitted.map((operation) => operation.mutations);
      if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
      if (drive(state.stateHash()) !== drive(driver.state.stateHash()))
        throw new Error('state hash');
      if (
        JSON.stringify(state.sheetSummaries()) !== JSON.stringify(driver.state.sheetSummaries())
      ) {
        throw new Error('summaries');
      }
    }),
    { numRuns: caseCount(100) },
  );
  t.comment(`${rebasedCount} rebased, ${rejectedCount} rejected`);
  t.comment(JSON.stringify(Object.fromEntries(tables)));
  t.ok(tables.size > 10);
  t.ok(rebasedCount > 50);
});

t.test('a fork goes its own way', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('range.fill', { range: 'A1:C3000', input: '=A1' });
  const hash = drive(driver.state.stateHash());
  const fork = driver.state.fork();
  t.equal(drive(fork.stateHash()), hash);
  driver.apply('cells.set', { cells: [{ a1: 'B5', input: 1 }] });
  driver.apply('rows.delete', { sheet: 'One', from: 1, count: 20 });
  t.equal(drive(fork.stateHash()), hash);
  t.not(drive(driver.state.stateHash()), hash);
});
