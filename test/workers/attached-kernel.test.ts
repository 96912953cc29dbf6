import t from 'tap';

import { Pool } from '../../server/compute/pool.ts';
import { realEnvironment } from '../../server/foundation.ts';
import { Metrics } from '../../server/metrics.ts';
import { valueForm } from '../../workers/decode.ts';
import { attach } from '../../workers/attached-kernel.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 0, seedHigh: 0, seedLow: 0 };
const timeoutMilliseconds = 60_000;
const mebibyte = 2 ** 20;
const rowCount = 300_000;

function modelOf(input: number): Kernel {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Plan', index: 0 },
    { kind: 'fill', sheet: 1, row: 0, column: 0, rowCount, columnCount: 1, input },
    { kind: 'cell', sheet: 1, row: 0, column: 1, input: { formula: '=SUM(A:A)' } },
  ]);
  return kernel;
}

t.test('a thread works on one model after the other, and again on the first', async (t) => {
  const [one, other] = [modelOf(1), modelOf(2)];
  const sums: unknown[] = [];
  for (const model of [one, one, other, one]) {
    const kernel = attach(model.loan);
    kernel.apply([{ kind: 'cell', sheet: 1, row: 0, column: 0, input: 0 }]);
    kernel.recalculate(now, Number.MAX_SAFE_INTEGER);
    model.refresh();
    const cell = { row0: 0, column0: 1, row1: 0, column1: 1 };
    sums.push(model.readRange(1, cell, { lens: 'value', form: valueForm }));
  }
  t.same(
    sums,
    [1, 1, 2, 1].map((each) => [[(rowCount - 1) * each]]),
  );
});

t.test('models that nobody uses any more leave every thread', async (t) => {
  const pool = new Pool({ threadCount: 1, environment: realEnvironment, metrics: new Metrics() });
  t.teardown(() => pool.close());
  const before = process.memoryUsage.rss();
  let weight = 0;
  for (let count = 0; count < 200; count++) {
    const kernel = modelOf(count);
    weight += kernel.weigh();
    const task = { loan: kernel.loan, commands: [], recalculation: now, budgetMilliseconds: 1000 };
    t.match(await pool.run('recalculate', task, { timeoutMilliseconds }), { ok: true });
  }
  const grown = process.memoryUsage.rss() - before;
  t.ok(weight > 600 * mebibyte, `models of ${weight} bytes`);
  t.ok(grown < weight / 2, `${grown} bytes more are resident`);
});
