import { monitorEventLoopDelay } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { Branches } from '../../../server/branches/branches.ts';
import { Pool, TaskGivenUp } from '../../../server/compute/pool.ts';
import { Metrics } from '../../../server/metrics.ts';
import { cellName } from '../../../server/model/address.ts';
import type { Environment } from '../../../server/model/environment.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { parseReference } from '../../../server/model/reference.ts';
import { Models } from '../../../server/values/models.ts';
import { Positions } from '../../../server/values/positions.ts';
import type { ModelParts, ModelView } from '../../../server/values/model.ts';
import { valueForm } from '../../../workers/decode.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { memoryLoader, memoryParts } from '../../support/memory-history.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';

const workbookId = 'wb_1';
const address = { workbookId, branchNo: 1 };

/** Branches on a journal in memory, models over them, and a real pool unless one is given. */
function start(
  t: Test,
  given: { pool?: ModelParts['pool']; budgetBytes?: number; environment?: Environment } = {},
) {
  const { environment = realEnvironment } = given;
  const faults: unknown[] = [];
  const report = (_step: string, error: unknown): void => void faults.push(error);
  const store = new MemoryJournal();
  const loader = memoryLoader(store, { formulas: new Formulas(), environment });
  const branches = new Branches({ store, loader, environment, report, ...memoryParts() });
  const real = new Pool({ threadCount: 1, environment, metrics: new Metrics() });
  const { pool = real, budgetBytes } = given;
  const size = budgetBytes === undefined ? {} : { budgetBytes };
  const positions = new Positions(branches, environment);
  const models = new Models({ source: positions, pool, environment, report, ...size });
  t.teardown(async () => {
    models.close();
    await real.close();
  });
  const submit = async (...ops: Operation[]): Promise<number> => {
    const request = { principalId: 'agt_1', writer: 'me', ops, byteCount: 100 };
    const answer = await branches.submit(address, request);
    t.same(
      answer.results.filter(({ status }) => status === 'rejected'),
      [],
    );
    return answer.head;
  };
  const use = async <Result>(text: string, work: (view: ModelView) => Result): Promise<Result> => {
    const reference = parseReference(text);
    if (reference === undefined) throw new Error(text);
    return models.use(await models.locate(workbookId, reference), true, work);
  };
  const read = (text: string, row: number, column: number): Promise<unknown> =>
    use(text, ({ kernel }) => {
      const area = { row0: row, column0: column, row1: row, column1: column };
      return kernel.readRange(1, area, { lens: 'value', form: valueForm })[0]?.[0];
    });
  return { models, branches, positions, submit, use, read, faults };
}

const addSheet: Operation = { kind: 'sheet.add', payload: { name: 'S' } };

function set(a1: string, input: string | number): Operation {
  return { kind: 'cells.set', payload: { sheet: 'S', cells: [{ a1, input }] } };
}

function fill(range: string, input: string | number): Operation {
  return { kind: 'range.fill', payload: { sheet: 'S', range, input } };
}

t.test('a read sees the newest commit, and older positions stay what they were', async (t) => {
  const { models, submit, read, use } = start(t);
  await submit(addSheet, set('A1', 1), set('A2', '=A1*10'));
  t.equal(await read('main', 1, 0), 10);
  for (let value = 2; value < 30; value++) {
    const head = await submit(set('A1', value));
    t.equal(head, value + 2);
    t.equal(await read('main', 1, 0), value * 10);
  }
  t.equal(models.figures.builds, 1, 'kept up to date, not built again');
  t.equal(await read('main@20', 1, 0), 180);
  t.equal(await read('main@20', 1, 0), 180);
  t.equal(await read('main@31', 1, 0), 290, 'the head by its number');
  t.equal(models.figures.builds, 2, 'one more for the older position');
  await t.rejects(read('main@32', 0, 0), { key: 'refNotFound' } as never);
  const empty = await use('main@0', ({ kernel, sheets }) => [sheets.all.length, kernel.valueCount]);
  t.same(empty, [0, 0], 'before the first operation there is nothing');
});

t.test(
  'trials on a workbook come one after the other, or at once, in memory of their own',
  async (t) => {
    const { models, submit, read } = start(t);
    await submit(addSheet, set('A1', 1), fill('B1:B3000', '=A$1*10'));
    const place = await models.locate(workbookId, { branch: 'main', sequence: undefined });
    const tried = (value: number, more = 0) =>
      models.tryOn(place, async (trial) => {
        const cell = { kind: 'cell', sheet: 1, row: 0, column: 0, input: value } as const;
        // It outgrows the memory that it was copied into.
        const filled = {
          kind: 'fill',
          sheet: 1,
          row: 0,
          column: 2,
          rowCount: more,
          columnCount: 40,
        };
        const fills = more > 0 ? [{ ...filled, kind: 'fill', input: '=RAND()' } as const] : [];
        const changes = await trial.change([cell, ...fills]);
        return [changes.count, changes.before[1], changes.after[1]];
      });
    t.same(await tried(2), [3001, 10, 20]);
    t.equal((await tried(3, 1000))[0], 43_001);
    for (const value of [4, 5]) t.same(await tried(value), [3001, 10, value * 10]);
    await t.rejects(
      models.tryOn(place, () => Promise.reject(new Error('given up'))),
      /given up/u,
    );
    t.same(await Promise.all([tried(6), tried(7)]), [
      [3001, 10, 60],
      [3001, 10, 70],
    ]);
    await submit(set('A1', 2));
    t.same(await tried(8), [3001, 20, 80], 'what was committed since is in it');
    t.equal(await read('main', 2, 1), 20, 'nothing of it is in the model');
  },
);

t.test('others have the thread while a model is built', async (t) => {
  const world = { milliseconds: Date.now(), rests: 0 };
  const environment: Environment = {
    ...realEnvironment,
    now: () => (world.milliseconds += 5),
    elapsed: () => (world.milliseconds += 5),
    after: (delay, action) => {
      if (delay === 0) world.rests++;
      return realEnvironment.after(delay, action);
    },
  };
  const { submit, read } = start(t, { environment });
  await submit(addSheet, fill('A1:A100000', 3));
  world.rests = 0;
  t.equal(await read('main', 99_999, 0), 3);
  t.ok(world.rests > 40, 'after every other thousand of cells, when those take 5 ms');
});

t.test('reads and writes at the same time never show a mixture', async (t) => {
  const { models, submit, use } = start(t);
  await submit(addSheet, set('A1', 0), fill('B1:B200', '=$A$1'));
  const writes = Array.from({ length: 40 }, (_, index) => submit(set('A1', index + 1)));
  const reads = Array.from({ length: 40 }, () =>
    use('main', ({ kernel, position }) => {
      const area = { row0: 0, column0: 0, row1: 199, column1: 1 };
      const rows = kernel.readRange(1, area, { lens: 'value', form: valueForm });
      return {
        seq: position.seq,
        values: new Set(rows.map(([, value]) => value)),
        at: rows[0]?.[0],
      };
    }),
  );
  for (const { seq, values, at } of await Promise.all(reads)) {
    t.same([...values], [Math.max(0, seq - 3)]);
    t.equal(at, Math.max(0, seq - 3));
  }
  await Promise.all(writes);
  t.equal(models.figures.builds, 1, 'all waited for one construction');
});

t.test('a million formulas are evaluated without holding the serving thread', async (t) => {
  const { submit, read, use } = start(t);
  await submit(addSheet, set('A1', 1));
  t.equal(await read('main', 0, 0), 1);
  await submit(fill('A2:A1000001', '=A1+1'));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  t.equal(await read('main', 1_000_000, 0), 1_000_001);
  const seconds = (performance.now() - started) / 1000;
  delay.disable();
  const longest = delay.max / 1e6;
  t.comment(`${seconds.toFixed(2)} s, longest turn ${longest.toFixed(1)} ms`);
  t.match(await use('main', (view) => view.lastRecalculation), { inPool: true });
  await submit(set('A500001', 0));
  t.equal(await read('main', 1_000_000, 0), 500_000);
});

t.test('one heavy formula goes to the pool, light ones are computed at once', async (t) => {
  const { submit, use } = start(t);
  const inPool = () => use('main', ({ lastRecalculation }) => lastRecalculation?.inPool);
  await submit(addSheet, set('A1', 1), fill('B1:B100', '=$A$1+ROW()'));
  t.equal(await inPool(), true, 'nobody knows yet what the formulas cost');
  // They are judged by the time they took, which on a busy machine is not always little.
  let isLight = false;
  for (let value = 2; !isLight && value < 100; value++) {
    await submit(set('A1', value));
    isLight = (await inPool()) === false;
  }
  t.ok(isLight, 'they are light');
  await submit(set('C1', '=SUM(MMULT(SEQUENCE(400,400),SEQUENCE(400,400)))+A1'));
  t.equal(await inPool(), true, 'a new formula');
  await submit(set('A1', 1000));
  t.equal(await inPool(), true, 'which was found to be heavy');
});

t.test('a fault of the kernel is one answer; the next change gets a new model', async (t) => {
  let isBroken = true;
  const environment = realEnvironment;
  const real = new Pool({ threadCount: 1, environment, metrics: new Metrics() });
  t.teardown(() => real.close());
  const pool: ModelParts['pool'] = {
    run: (name, payload, options) =>
      isBroken
        ? Promise.resolve({ ok: false, fault: 'planted' } as never)
        : real.run(name, payload, options),
  };
  const { models, submit, read } = start(t, { pool });
  await submit(addSheet, set('A1', 1), fill('B1:B9000', '=A1+1'));
  await t.rejects(read('main', 0, 1), { key: 'evaluationFailed' } as never);
  isBroken = false;
  await t.rejects(read('main', 0, 1), { key: 'evaluationFailed' } as never, 'remembered');
  await submit(set('A1', 5));
  t.equal(await read('main', 8999, 1), 1, 'row 9000 refers to the blank A9000');
  t.equal(await read('main', 0, 1), 6);
  t.ok(models.figures.builds >= 2);
});

t.test('a state is read on while the pool applies what was read of it', async (t) => {
  let restCount = 0;
  // Each look at the clock ends a slice, so that every step rests.
  let now = Date.now();
  const environment: Environment = {
    ...realEnvironment,
    now: () => (now += 2),
    elapsed: () => (now += 2),
    after: (delay, action) => {
      if (delay === 0) restCount++;
      return realEnvironment.after(delay, action);
    },
  };
  const real = new Pool({ threadCount: 1, environment: realEnvironment, metrics: new Metrics() });
  t.teardown(() => real.close());
  const hasRested = (count: number): Promise<boolean> => {
    const wanted = restCount + count;
    return new Promise((resolve) => {
      const look = (turns: number): void => {
        if (restCount >= wanted || turns === 0) resolve(restCount >= wanted);
        else setImmediate(look, turns - 1);
      };
      look(200);
    });
  };
  let heldCount = 0;
  let isBroken = false;
  const pool: ModelParts['pool'] = {
    run: async (name, payload, options) => {
      if (isBroken) return { ok: false, fault: 'planted' } as never;
      if (heldCount++ === 0) t.ok(await hasRested(20), 'steps were taken meanwhile');
      return real.run(name, payload, options);
    },
  };
  const { models, submit, read } = start(t, { pool, environment });
  const columnCount = 150;
  const last = cellName(1_023, columnCount - 1);
  await submit(addSheet, fill(`A1:${last}`, 7), set('A1', '=B1*2'));
  t.equal(await read('main', 0, 0), 14);
  t.equal(await read('main', 1_023, columnCount - 1), 7);
  t.ok(heldCount > 2, 'in several parts');
  models.forget(workbookId);
  isBroken = true;
  await t.rejects(read('main', 0, 0), { key: 'evaluationFailed' } as never, 'a fault is told');
});

t.test('work on a model that is given up is held against nobody', async (t) => {
  const { models, submit, read, use } = start(t);
  await submit(addSheet, set('A1', '=2*3'));
  const givenUp = new TaskGivenUp('nobody waits for it any more');
  const giveUp = () => {
    throw givenUp;
  };
  await t.rejects(use('main', giveUp), givenUp);
  t.equal(await read('main', 0, 0), 6);
  t.equal(models.figures.builds, 2, 'nobody knows what it left of the first model');
});

t.test('who waits for a model that another use breaks gets a new one', async (t) => {
  const { models, submit, read, use } = start(t);
  await submit(addSheet, set('A1', 7));
  t.equal(await read('main', 0, 0), 7);
  const broken = use('main', () => {
    throw new TaskGivenUp();
  });
  const waiting = [read('main', 0, 0), read('main', 0, 0)];
  await t.rejects(broken);
  t.same(await Promise.all(waiting), [7, 7]);
  t.equal(models.figures.builds, 2, 'one new model for all who waited');
});

t.test('models are dropped when they take more than the budget', async (t) => {
  const { models, submit, read } = start(t, { budgetBytes: 24 << 20 });
  await submit(addSheet, set('A1', 1));
  for (let value = 2; value < 12; value++) await submit(set('A1', value));
  for (let seq = 2; seq < 12; seq++) t.equal(await read(`main@${seq}`, 0, 0), seq - 1);
  t.ok(models.figures.residentBytes <= 24 << 20);
  t.equal(await read('main', 0, 0), 11);
});

t.test('what open merges come to takes no room from the heads of branches', async (t) => {
  const { models, branches, positions, submit, read } = start(t, { budgetBytes: 24 << 20 });
  await submit(addSheet, set('A1', 1), set('B1', '=A1'));
  const onto = await positions.locate(workbookId, { branch: 'main', sequence: 3 });
  const head = await positions.locate(workbookId, { branch: 'main', sequence: undefined });
  t.equal(await read('main', 0, 1), 1);
  for (let choice = 0; choice < 40; choice++) {
    const preview = {
      state: await branches.stateAt(address, 3),
      stateHash: String(choice),
      at: 0,
      onto,
    };
    const place = positions.keep(workbookId, 'mrg_1', preview);
    const value = await models.use(place, true, ({ kernel }) => kernel.valueCount);
    t.equal(value, 2);
  }
  t.ok(models.holds(head), 'the branch is read on from memory');
});

t.test('changes that nobody reads are applied all the same', async (t) => {
  const { models, submit, read, faults } = start(t);
  await submit(addSheet, set('A1', 0), set('B1', '=A1'));
  await read('main', 0, 0);
  for (let value = 1; value <= 600; value++) await submit(set('A1', value));
  t.equal(await read('main', 0, 1), 600);
  t.equal(models.figures.builds, 1);
  t.same(faults, []);
});
