import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import { contentMutations } from '../../server/state/content-mutations.ts';
import { valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { Choice } from '../fuzz/choice.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';
import { UndoDriver } from '../support/undo-driver.ts';

/** A kernel that hears of each operation knows the same merged cells as one made of the state. */

const formulas = new Formulas();
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };

function valuesOf(kernel: Kernel, keys: readonly number[]): unknown[] {
  while (!kernel.recalculate(now, 1e8));
  const area = { row0: 0, column0: 0, row1: 15, column1: 9 };
  return keys.map((key) => kernel.readRange(key, area, { lens: 'value', form: valueForm }));
}

/** One random operation, which may be refused. */
function operationOf(choice: Choice, head: number): readonly [kind: string, payload: object] {
  const sheet = choice.oneIn(4) ? 'Other' : 'Plan';
  const [row, column] = [choice.between(1, 8), choice.between(0, 5)];
  const letter = (at: number): string => 'ABCDEFGHIJ'.charAt(at);
  const a1 = `${letter(column)}${row}`;
  const range = `${a1}:${letter(column + choice.between(0, 2))}${row + choice.between(0, 2)}`;
  const lines = { sheet, from: choice.between(1, 8), count: choice.between(1, 2) };
  const axis = choice.pick(['rows', 'cols']);
  switch (choice.between(0, 11)) {
    case 0:
    case 1:
    case 2:
      return ['cellmerge.add', { sheet, range }];
    case 3:
      return ['cellmerge.remove', { sheet, range }];
    case 4:
      return [`${axis}.insert`, { sheet, before: lines.from, count: lines.count }];
    case 5:
      return [`${axis}.delete`, lines];
    case 6:
      return [`${axis}.move`, { ...lines, before: choice.between(1, 10) }];
    case 7:
      return ['undo', {}];
    case 8:
      return ['sheet.add', { name: `Copy ${head}`, copyOf: sheet }];
    case 9:
      return ['range.clear', { sheet, range, what: ['values', 'formats'] }];
    default: {
      const input = choice.pick(['=SEQUENCE(3)', '=SEQUENCE(2,2)', '=SEQUENCE(1,4)', 7, null]);
      return ['cells.set', { sheet, cells: [{ a1, input }] }];
    }
  }
}

t.test('merged cells are known to kernels after whatever was done', async (t) => {
  let blockedCount = 0;
  const kinds = new Set<string>();
  for (let index = 0; index < caseCount(25); index++) {
    const choice = new Choice(new SeededRandom(testSeed + index));
    const driver = new UndoDriver(formulas);
    const kernel = Kernel.create();
    driver.apply('sheet.add', { name: 'Plan' });
    driver.apply('sheet.add', { name: 'Other' });
    let told = 0;
    for (let step = 0; step < 25; step++) {
      const [kind, payload] = operationOf(choice, driver.state.head);
      const isUndo = kind === 'undo';
      const of = choice.between(1, driver.state.head);
      const result = isUndo ? driver.undo(of) : driver.submit(kind, payload);
      if (!(result instanceof Rejection)) kinds.add(kind);
      for (const { mutations } of driver.admitted.slice(told)) kernel.apply(mutations);
      told = driver.admitted.length;
      const fresh = Kernel.create();
      fresh.apply(contentMutations(driver.state));
      const keys = driver.state.structure.sheets.map(({ key }) => key);
      const values = valuesOf(kernel, keys);
      if (JSON.stringify(values).includes('#SPILL!')) blockedCount++;
      const message = `seed ${testSeed + index}, step ${step}: ${kind} ${JSON.stringify(payload)}`;
      if (!t.same(values, valuesOf(fresh, keys), message)) return;
    }
  }
  t.ok(blockedCount > 20, `${blockedCount} times something stood in the way`);
  t.ok(kinds.size > 9, [...kinds].join(' '));
});
