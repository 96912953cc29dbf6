import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../../support/case-count.ts';
import { drive } from '../../support/state-driver.ts';
import { WatchedTable } from '../../support/watched-table.ts';
import { layouts, TableModel, type ModelStep } from '../../support/table-model.ts';

const key = fc.constantFrom('k0', 'k1', 'k2', 'k3', 'k4', 'k5');
const value = fc.option(fc.integer({ min: 1, max: 9 }), { nil: null });
const place = fc.nat(9);
const behind = fc.nat(4);
const cells = fc.array(fc.tuple(place, value), { maxLength: 3 });
const rows = fc.array(fc.record({ key, cells }), { minLength: 1, maxLength: 5 });
const name = fc.constantFrom('a', 'b', 'Unit price', "it's [x]", 'c d', 'E');
const table = fc.constantFrom('Stock', 'Goods', 'Ware');
const just = <Kind extends string>(kind: Kind) => fc.constant(kind);

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: just('upsert'), rows, behind }) },
  { weight: 2, arbitrary: fc.record({ kind: just('import'), rows, behind }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: just('delete'),
      keys: fc.array(key, { minLength: 1, maxLength: 4 }),
      behind,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: just('add'), name, fallback: value, at: place }),
  },
  { weight: 1, arbitrary: fc.record({ kind: just('drop'), column: place }) },
  { weight: 2, arbitrary: fc.record({ kind: just('rename'), column: place, name }) },
  { weight: 2, arbitrary: fc.record({ kind: just('move'), column: place, at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('renameTable'), name: table }) },
  { weight: 1, arbitrary: fc.record({ kind: just('insertRow'), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('deleteRow'), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('moveRow'), from: place, to: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('insertColumn'), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('retype'), at: place, value }) },
);

const steps = fc.array(step, { minLength: 1, maxLength: 25 });

for (const layout of layouts) {
  t.test(`a table is a map of its keys, whatever else happens: ${layout}`, async (t) => {
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(steps, (all) => {
        const model = new TableModel(layout);
        for (const one of all) {
          const former = new WatchedTable(model);
          const outcome = `${one.kind} ${model.run(one)}`;
          former.check();
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
        const { driver } = model.driver;
        const { state, mutations } = driver.replayed();
        const admitted = driver.admitted.map((operation) => operation.mutations);
        if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
        if (drive(state.stateHash()) !== drive(driver.state.stateHash())) throw new Error('hash');
      }),
      { numRuns: caseCount(20), seed: 11 },
    );
    t.comment(JSON.stringify(Object.fromEntries(outcomes)));
    const carried = [...outcomes.keys()].filter((outcome) => outcome.endsWith(' rebased'));
    t.ok(carried.length > 0, 'some were carried to the head');
    t.ok((outcomes.get('delete applied') ?? 0) > 0, 'some were deleted');
  });
}
