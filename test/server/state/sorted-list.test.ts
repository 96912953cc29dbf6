import * as fc from 'fast-check';
import t from 'tap';

import { beginsChunk, getList, noSink, putList } from '../../../server/state/nodes/nodes.ts';
import {
  sortedByKey,
  SortedList,
  type SortedEntry,
} from '../../../server/state/nodes/sorted-list.ts';
import { caseCount } from '../../support/case-count.ts';
import { NodeStore } from '../../support/node-store.ts';
import { drive } from '../../support/state-driver.ts';

const key = fc.nat(2_000).map((number) => `key ${number}`);
const change = fc.tuple(key, fc.option(fc.nat(3), { nil: undefined }));
const round = fc.oneof(
  fc.array(change, { maxLength: 5 }),
  fc.array(change, { minLength: 300, maxLength: 3_000 }),
);

function byKey([a]: SortedEntry, [b]: SortedEntry): number {
  return a < b ? -1 : 1;
}

function plainHash(model: ReadonlyMap<string, unknown>): string {
  const entries = [...model].sort(byKey).map(([name, value]) => {
    return [name, Buffer.from(JSON.stringify(value))] as const;
  });
  return putList(noSink, entries).toString('hex');
}

t.test('a changed list is stored as one that was made anew', async (t) => {
  fc.assert(
    fc.property(fc.array(round, { maxLength: 6 }), (rounds) => {
      let list = SortedList.none;
      const model = new Map<string, unknown>();
      const store = new NodeStore();
      for (const changes of rounds) {
        const last = new Map(changes);
        for (const [name, value] of last) {
          if (value === undefined) model.delete(name);
          else model.set(name, value);
        }
        list = drive(list.changed(drive(sortedByKey([...last]))));
        const shown = JSON.stringify([...list.entries()]);
        if (shown !== JSON.stringify([...model].sort(byKey))) throw new Error('entries');
        if (list.isEmpty !== (model.size === 0)) throw new Error('empty');
        const expected = plainHash(model);
        if (drive(list.put(noSink)).toString('hex') !== expected) throw new Error('hash');
        if (drive(list.put(store)).toString('hex') !== expected) throw new Error('stored hash');
        const stored = [...getList(store, Buffer.from(expected, 'hex'))];
        if (stored.length !== model.size) throw new Error('stored');
      }
    }),
    { numRuns: caseCount(60) },
  );
  t.pass('for every history that was tried');
});

t.test('long stretches without a key that begins a chunk are cut as always', async (t) => {
  const all = Array.from({ length: 10_000 }, (_, at) => String(at).padStart(5, '0'));
  const names = all.filter((name) => !beginsChunk(name));
  const model = new Map<string, unknown>(names.map((name) => [name, 1]));
  const list = drive(SortedList.none.changed([...model]));
  t.equal(drive(list.put(noSink)).toString('hex'), plainHash(model));
  const gone = names.slice(700, 1_500).map((name) => [name, undefined] as const);
  for (const [name] of gone) model.delete(name);
  const shorter = drive(list.changed(gone));
  t.equal(drive(shorter.put(noSink)).toString('hex'), plainHash(model));
});

t.test('a change of one entry makes no other anew', async (t) => {
  const entries = Array.from({ length: 20_000 }, (_, at): SortedEntry => {
    return [String(at).padStart(5, '0'), at];
  });
  const list = drive(SortedList.none.changed(entries));
  const store = new NodeStore();
  drive(list.put(store));
  store.written.clear();
  drive(drive(list.changed([['10000', 7]])).put(store));
  t.same(
    [...store.written],
    [
      ['chunk', 1],
      ['list', 1],
    ],
  );
});
