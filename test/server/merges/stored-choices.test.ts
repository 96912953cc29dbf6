import * as fc from 'fast-check';
import t from 'tap';

import {
  packChoices,
  unpackChoices,
  withoutRepeated,
} from '../../../server/merges/stored-choices.ts';
import type { Choices } from '../../../server/state/outcome/stored-choice.ts';
import { caseCount } from '../../support/case-count.ts';

const made = fc.record({
  id: fc.constantFrom('c_1', 'c_2', 'c_3', 'c_4'),
  sides: fc.constantFrom('a', 'b'),
  choice: fc.constantFrom('ours' as const, 'theirs' as const),
  at: fc.constantFrom(1, 2),
});
const merge = fc.record({ choices: fc.array(made, { maxLength: 4 }), takesOver: fc.boolean() });

function choicesOf(
  some: readonly { id: string; sides: string; choice: 'ours' | 'theirs'; at: number }[],
) {
  return new Map(some.map(({ id, ...said }) => [id, { ...said, by: 'usr_1' }])) as Choices;
}

function sorted(choices: Choices): unknown[] {
  return [...choices].sort(([a], [b]) => (a < b ? -1 : 1));
}

t.test('the latest of each choice counts, however often merges took it over', async (t) => {
  fc.assert(
    fc.property(fc.array(merge, { maxLength: 6 }), (merges) => {
      let before: Choices = new Map();
      const oldestFirst = merges.map(({ choices, takesOver }) => {
        before = new Map([...(takesOver ? before : []), ...choicesOf(choices)]);
        return packChoices(before);
      });
      const expected = sorted(unpackChoices(oldestFirst.flat()));
      const found = sorted(unpackChoices(withoutRepeated(oldestFirst.toReversed())));
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(JSON.stringify({ found, expected }));
      }
    }),
    { numRuns: caseCount(1_000) },
  );
  t.pass('for all merges');
});

t.test('choices that merges took over are there once', async (t) => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `c_${at}`);
  const first = choicesOf(ids.map((id) => ({ id, sides: 'a', choice: 'ours', at: 1 })));
  const own = choicesOf([{ id: 'c_new', sides: 'a', choice: 'theirs', at: 2 }]);
  const packed = packChoices(new Map([...first, ...own]));
  const left = withoutRepeated([...Array.from({ length: 19 }, () => packed), packChoices(first)]);
  t.equal(
    left.reduce((sum, { of: entries }) => sum + entries.length, 0),
    1_001,
  );
});
