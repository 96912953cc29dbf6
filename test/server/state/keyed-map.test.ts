import * as fc from 'fast-check';
import t from 'tap';

import { KeyedMap } from '../../../server/state/ids/keyed-map.ts';

type Step = readonly ['set', string, number] | readonly ['delete', string] | readonly ['copy'];

const key = fc.constantFrom('a', 'b', 'c', 'd', 'é', 'z');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('set' as const), key, fc.nat(5)),
  fc.tuple(fc.constant('delete' as const), key),
  fc.tuple(fc.constant('copy' as const)),
);

/** Does the same to a map and to a plain model of it; copies pile up, the last one is written to. */
function run(steps: readonly Step[]): { maps: KeyedMap<number>[]; models: Map<string, number>[] } {
  let map = new KeyedMap<number>();
  let model = new Map<string, number>();
  const [maps, models] = [[map], [model]];
  for (const [kind, name = '', value = 0] of steps) {
    if (kind === 'copy') {
      map = map.copy();
      model = new Map(model);
      maps.push(map);
      models.push(model);
    } else if (kind === 'set') {
      map.set(name, value);
      model.set(name, value);
    } else {
      map.delete(name);
      model.delete(name);
    }
  }
  return { maps, models };
}

t.test('a copy keeps what it had, whatever is written to the other side', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { maps, models } = run(steps);
      return maps.every((map, index) => {
        const sorted = [...(models[index] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
        return JSON.stringify([...map.sorted()]) === JSON.stringify(sorted);
      });
    }),
  );
  t.pass('for every history that was tried');
});

t.test('writing to the original leaves its copies alone', async (t) => {
  const original = new KeyedMap([['a', 1]]);
  const copy = original.copy();
  original.set('a', 2);
  original.set('b', 3);
  copy.delete('a');
  t.same(
    [...original.sorted()],
    [
      ['a', 2],
      ['b', 3],
    ],
  );
  t.same([...copy.sorted()], []);
  t.same([...original.startingWith('b')], [['b', 3]]);
});

t.test('unlike has the keys whose values are not the same, once each', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { maps, models } = run(steps);
      const first = models[0] ?? new Map<string, number>();
      const last = models.at(-1) ?? new Map<string, number>();
      const keys = [...new Set([...first.keys(), ...last.keys()])];
      const unlike = keys.filter((name) => first.get(name) !== last.get(name));
      const found = [...(maps[0]?.unlike(maps.at(-1) ?? new KeyedMap<number>()) ?? [])];
      const isRight = found.every(([name, own, others]) => {
        return unlike.includes(name) && own === first.get(name) && others === last.get(name);
      });
      return isRight && found.length === unlike.length;
    }),
  );
});
