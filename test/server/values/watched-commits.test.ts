import t, { type Test } from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { Branches } from '../../../server/branches/branches.ts';
import { tellChanges } from '../../../server/branches/changes.ts';
import { Pool } from '../../../server/compute/pool.ts';
import { Metrics } from '../../../server/metrics.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { Models } from '../../../server/values/models.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';

const address = { workbookId: 'wb_1', branchNo: 1 };
const head = { address, branch: 'main', seq: 0, isPinned: false };

function start(t: Test, budgetBytes = 1 << 30) {
  const environment = realEnvironment;
  const report = (_step: string, error: unknown): void => void t.error(error);
  const store = new MemoryJournal();
  const loader = memoryLoader(store, { formulas: new Formulas(), environment });
  const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
  const pool = new Pool({ threadCount: 1, environment, metrics: new Metrics() });
  const models = new Models({ source: branches, pool, environment, report, budgetBytes });
  t.teardown(async () => {
    models.close();
    await pool.close();
  });
  const submit = (ops: readonly Operation[], isWatched = false) =>
    branches.submit(address, { principalId: 'agt_1', writer: 'me', ops, byteCount: 9, isWatched });
  const watch = async (ops: readonly Operation[]) => {
    await models.prepare(head);
    return submit(ops, true);
  };
  const tell = async (answer: Promise<{ lastSeq: number | undefined }>, cellsMost = 1000) => {
    const { lastSeq = 0 } = await answer;
    return tellChanges(models, { address, lastSeq }, cellsMost);
  };
  return { branches, models, submit, watch, tell };
}

const addSheet: Operation = { kind: 'sheet.add', payload: { name: 'S' } };

function set(a1: string, input: string | number): Operation {
  return { kind: 'cells.set', payload: { sheet: 'S', cells: [{ a1, input }] } };
}

function cell(a1: string, before: unknown, after: unknown): object {
  return { sheet: 'S', a1, before, after };
}

t.test('submissions that are watched at the same time hear of their own changes', async (t) => {
  const { submit, watch, tell } = start(t);
  await submit([addSheet, set('A1', 1), set('B1', '=A1*10'), set('C1', '=B1+A2')]);
  const told = await Promise.all([
    tell(watch([set('A1', 2)])),
    submit([set('A2', 5)]).then(() => 'not watched'),
    tell(watch([set('A1', 3), set('D1', '=1/A3')])),
    tell(watch([set('A1', 3)])),
  ]);
  const all = JSON.stringify(told);
  t.match(told[0], { cells: [cell('B1', 10, 20)], total: 2, errorTotal: 0, truncated: false });
  t.match(told[2], { total: 3, errors: [cell('D1', null, { error: '#DIV/0!' })] }, all);
  t.match(told[2], { cells: [cell('B1', 20, 30)] }, all);
  t.same(told[3], { cells: [], total: 0, errors: [], errorTotal: 0, truncated: false });
});

t.test(
  'many operations are one commit, and as many cells are told as were asked for',
  async (t) => {
    const { branches, submit, watch, tell } = start(t);
    const fill: Operation = {
      kind: 'range.fill',
      payload: { sheet: 'S', range: 'B1:B9500', input: '=A1+1' },
    };
    await submit([addSheet, fill]);
    let commitCount = 0;
    t.teardown(branches.subscribe(() => commitCount++));
    const ops = Array.from({ length: 9500 }, (_, index) => set(`A${index + 1}`, index + 1));
    const told = await tell(watch(ops), 2);
    t.equal(commitCount, 1, 'though a batch ends after 8,000 operations');
    t.same(told, {
      cells: [cell('B1', 1, 2), cell('B2', 1, 3)],
      total: 9500,
      errors: [],
      errorTotal: 0,
      truncated: true,
    });
  },
);

t.test('a reader who comes first takes nothing away', async (t) => {
  const { models, submit, watch, tell } = start(t);
  await submit([addSheet, set('B1', '=A1*10')]);
  const answer = await watch([set('A1', 2)]);
  await submit([set('A1', 3)]);
  await models.use(head, true, () => undefined);
  t.match(await tell(Promise.resolve(answer)), { cells: [cell('B1', 0, 20)] });
  t.match(await tell(Promise.resolve(answer)), { unavailable: { code: 'unavailable' } }, 'once');
});

t.test('what others wrote just before is no consequence', async (t) => {
  const { models, submit, tell } = start(t);
  await submit([addSheet, set('B1', '=A1*10+A2')]);
  await models.prepare(head);
  const [, answer] = await Promise.all([submit([set('A2', 5)]), submit([set('A1', 2)], true)]);
  t.match(await tell(Promise.resolve(answer)), { cells: [cell('B1', 5, 25)], total: 1 });
});

t.test('without the values before there is nothing to tell', async (t) => {
  const { models, submit, tell } = start(t);
  await submit([addSheet, set('B1', '=A1*10')]);
  t.match(await tell(submit([set('A1', 2)], true)), { unavailable: { code: 'unavailable' } });
  await models.prepare(head);
  models.forget('wb_1');
  t.match(await tell(submit([set('A1', 3)], true)), { unavailable: { code: 'unavailable' } });
});
