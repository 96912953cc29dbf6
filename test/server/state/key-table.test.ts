import * as fc from 'fast-check';
import t from 'tap';

import { cellTag } from '../../../server/state/cells/block.ts';
import { toEnd } from '../../../server/state/plan/steps.ts';
import { KeyTable, keyText, type KeyedRows } from '../../../server/state/cells/key-table.ts';
import { caseCount } from '../../support/case-count.ts';

const key = fc.record({
  tag: fc.constantFrom(cellTag.number, cellTag.text),
  number: fc.oneof(fc.integer({ min: -3, max: 40 }), fc.constantFrom(-0, 0.5, 1e300, 2 ** 40)),
});
const row = (offset: number, others?: KeyedRows): KeyedRows => ({
  branch: 1 + (offset % 3),
  sequence: 2 ** 33 + offset,
  offset,
  others,
});
const rows = fc.oneof(
  { weight: 4, arbitrary: fc.nat(1e6).map((offset) => row(offset)) },
  { weight: 1, arbitrary: fc.nat(1e6).map((offset) => row(offset, row(offset + 1))) },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('set' as const), key, rows }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key, rows }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), key, rows }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type Model = Map<string, { key: Step['key']; rows: KeyedRows | null }>;

function run(steps: readonly Step[], table: KeyTable, model: Model): void {
  for (const { do: what, key: own, rows: given } of steps) {
    if (what === 'set') table.set(own, given);
    else table[what](own);
    if (what === 'delete') model.delete(keyText(own));
    else model.set(keyText(own), { key: own, rows: what === 'set' ? given : null });
  }
}

function isLike(table: KeyTable, model: Model): boolean {
  const keys = [...model.values()];
  const areSame = keys.every(({ key: own, rows: held }) => {
    return JSON.stringify(table.get(own)) === JSON.stringify(held);
  });
  return areSame && table.size === keys.length;
}

t.test('a table of keys is a map, whatever is set, deleted, copied and taken over', async (t) => {
  const list = fc.array(step, { maxLength: 120 });
  const law = fc.property(list, list, (first, then) => {
    const [table, model]: [KeyTable, Model] = [new KeyTable(), new Map()];
    run(first, table, model);
    const [copy, former] = [table.copy(), new Map(model)];
    run(then, table, model);
    const [changes, changed]: [KeyTable, Model] = [new KeyTable(), new Map()];
    run(then, changes, changed);
    if (!isLike(table, model) || !isLike(copy, former)) return false;
    toEnd(copy.take(changes));
    for (const [name, one] of changed) {
      if (one.rows) former.set(name, one);
      else former.delete(name);
    }
    return isLike(copy, former);
  });
  fc.assert(law, { numRuns: caseCount(300) });
  t.pass('the law holds');
});

t.test('a hundred thousand keys are found, the unknown ones are not', async (t) => {
  const table = new KeyTable();
  const count = 100_000;
  for (let number = 0; number < count; number++) {
    table.set({ tag: cellTag.text, number }, row(number));
  }
  t.equal(table.size, count);
  for (let number = 1; number < count; number += 2) table.delete({ tag: cellTag.text, number });
  let wrong = 0;
  for (let number = 0; number < count + 1_000; number++) {
    const found = table.get({ tag: cellTag.text, number })?.offset;
    if (found !== (number < count && number % 2 === 0 ? number : undefined)) wrong++;
  }
  t.equal(wrong, 0);
  t.equal(table.get({ tag: cellTag.number, number: 2 }), undefined, 'a number is no text');
});
